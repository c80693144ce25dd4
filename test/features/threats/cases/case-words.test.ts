import { describe, expect, it } from 'vitest'
import { withStep } from '../../../../src/features/threats/rows/case-rows.ts'
import type { CaseStep } from '../../../../src/features/threats/rules/case-steps.ts'
import { rankSeverity } from '../../../../src/features/threats/rules/event-snapshot.ts'
import { stepButtons } from '../../../../src/features/threats/views/case.ts'
import { queueView } from '../../../../src/features/threats/views/case-queue.ts'
import { caseCardView, stepsView } from '../../../../src/features/threats/views/case-thread.ts'
import {
  askToTakeOver,
  describeCaseState,
  describeRefusal,
  downNotice,
  formatStep,
} from '../../../../src/features/threats/views/case-words.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'
import { ANN, BEN, createSampleCase, ID, NOW, type SampleStep } from './sample.ts'

/** Reported at 11:48, twelve minutes before the first step. */
const EVENT = readEvent({ ...createThreatEvent('exa.mple'), date: '2026-11-20T11:48:00Z' })
const UNDATED_EVENT = readEvent({ ...createThreatEvent('exa.mple'), date: undefined })

const TAKEN: SampleStep = ['take', ANN]

describe('the state of a case on a card', () => {
  it.each<[string, SampleStep[]]>([
    ['Taken by Ann 12 min after the report', [TAKEN]],
    ['Taken by Ben 1 h 12 min after the report', [TAKEN, ['take', BEN, 60]]],
    ['Open, unassigned', [TAKEN, ['release', ANN, 1]]],
    ['Takedown sent by Ann 1 h 12 min after the report', [TAKEN, ['takedown-sent', ANN, 60]]],
    ['Takedown sent by Ben 1 h 12 min after the report, Ann has it', [TAKEN, ['takedown-sent', BEN, 60]]],
    [
      'Takedown sent by Ann 1 h 12 min after the report, Ben has it',
      [TAKEN, ['takedown-sent', ANN, 60], ['take', BEN, 90]],
    ],
    [
      'Takedown sent by Ann 1 h 12 min after the report, unassigned',
      [TAKEN, ['takedown-sent', ANN, 60], ['release', ANN, 61]],
    ],
    ['Taken down 3 d 4 h after the report', [TAKEN, ['down', undefined, 4560]]],
    ['Taken down 13 min after the report, says Ben', [TAKEN, ['down', BEN, 1]]],
    ['False positive, says Ben', [['false-positive', BEN]]],
    ['Taken by Ben 14 min after the report', [TAKEN, ['down', ANN, 1], ['reopen', BEN, 2]]],
  ])('is shown as: %s', async (expected, steps) => {
    expect(describeCaseState(await createSampleCase(EVENT, ...steps))).toBe(expected)
  })

  it('doesn’t show the time since the report if the event has no date', async () => {
    expect(describeCaseState(await createSampleCase(UNDATED_EVENT, TAKEN))).toBe('Taken by Ann')
  })

  it.each<[string | undefined, SampleStep[]]>([
    ['🟢 Taken down 13 min after the report, says Ben', [TAKEN, ['down', BEN, 1]]],
    [undefined, [TAKEN, ['up', BEN, 2]]],
    [undefined, [TAKEN, ['false-positive', BEN, 2]]],
    [undefined, [TAKEN]],
  ])('is shown above the facts only if the page is down (expected line: %s)', async (notice, steps) => {
    const threatCase = await createSampleCase(EVENT, ...steps)
    expect(downNotice(threatCase)).toBe(notice)
    const lines = caseCardView(threatCase, true).text.split('\n')
    expect(lines.length).toBeLessThanOrEqual(8)
    expect([lines[1]].filter((line) => /^(🟢|⚪)/u.test(line ?? ''))).toEqual(notice ? [notice] : [])
  })

  it('is shown in the footer of a card with at most eight lines and four buttons', async () => {
    const { text, blocks } = caseCardView(await createSampleCase(EVENT, TAKEN), true)
    expect(text.split('\n').length).toBeLessThanOrEqual(8)
    expect(text.split('\n').at(-1)).toMatch(
      /^Taken by Ann 12 min after the report · reported <!date\^1795175280\^[^>]*> · as of </,
    )
    const actions = blocks.find(({ type }) => type === 'actions')
    expect(actions && 'elements' in actions ? actions.elements : []).toHaveLength(4)
  })
})

it('lists each new step in the thread on its own line, with the time since the previous one', async () => {
  const steps: SampleStep[] = [
    TAKEN,
    ['take', BEN, 5],
    ['release', BEN, 6],
    ['take', ANN, 7],
    ['takedown-sent', ANN, 67],
    ['note', undefined, 68, 'Seen down for the first time'],
    ['down', ANN, 1507],
    ['reopen', ANN, 1508],
    ['false-positive', BEN, 1508],
  ]
  const card = { channelId: 'C1', isFull: true }
  const threatCase = { ...(await createSampleCase(EVENT, ...steps)), card }
  expect(stepsView(threatCase)?.text.split('\n')).toEqual([
    'Taken by Ann · 12 min after the report',
    'Taken over by Ben from Ann · 5 min later',
    'Given back by Ben · 1 min later',
    'Taken by Ann · 1 min later',
    'Takedown sent, says Ann · 1 h later',
    'Seen down for the first time · 1 min later',
    'Taken down, says Ann · 23 h 59 min later',
    'Reopened by Ann · 1 min later',
    'False positive, says Ben · moments later',
  ])
  expect(stepsView({ ...threatCase, postedVersion: 8 })?.text).toBe(
    'False positive, says Ben · moments later',
  )
  expect(stepsView({ ...threatCase, postedVersion: 9 })).toBeUndefined()
  expect(stepsView({ ...threatCase, card: undefined, postedVersion: 8 })?.text).toBe(
    'False positive · moments later',
  )
})

it('shows no names in a channel unless someone reveals them', async () => {
  const threatCase = await createSampleCase(EVENT, TAKEN, ['take', BEN, 5], ['takedown-sent', ANN, 6])
  expect(stepsView(threatCase)?.text.split('\n')).toEqual([
    'Taken · 12 min after the report',
    'Taken over · 5 min later',
    'Takedown sent · 1 min later',
  ])
  expect(caseCardView(threatCase).text).toContain('Takedown sent 18 min after the report · reported')
  expect(caseCardView(threatCase, true).text).toContain(
    'Takedown sent by Ann 18 min after the report, Ben has it',
  )
})

describe('the buttons of a case', () => {
  it.each<[string, SampleStep[], string]>([
    ['its holder', [['take', BEN]], 'Takedown sent, It’s down, False positive, Give back'],
    ['someone else', [TAKEN], 'Take over, Takedown sent, It’s down, False positive'],
    [
      'anyone, after it was given back',
      [TAKEN, ['release', ANN]],
      'Take, Takedown sent, It’s down, False positive',
    ],
    [
      'its holder, after the takedown was sent',
      [['takedown-sent', BEN]],
      'It’s down, False positive, Give back',
    ],
    ['anyone, after it was closed', [['down', BEN]], 'Reopen'],
  ])('match what the viewer can do: %s', async (_, steps, labels) => {
    const { shown, folded } = stepButtons(ID, await createSampleCase(EVENT, ...steps), {
      viewerId: BEN.userId,
      isTakeAnnounced: false,
    })
    expect([...shown, ...folded].map(({ text }) => text.text).join(', ')).toBe(labels)
  })

  it('are also shown for an event without a case', () => {
    const listLabels = (isTakeAnnounced: boolean) => {
      const { shown, folded } = stepButtons(ID, undefined, { viewerId: BEN.userId, isTakeAnnounced })
      return [...shown, ...folded].map(({ text }) => text.text).join(', ')
    }
    expect(listLabels(false)).toBe('Take, Takedown sent, It’s down, False positive')
    expect(listLabels(true)).toBe('Take and announce, Takedown sent, It’s down, False positive')
  })
})

it('says who has a case, and for how long, before you take it over', async () => {
  const later = new Date(NOW.getTime() + 3 * 60_000)
  const threatCase = await createSampleCase(EVENT, TAKEN)
  const { message, suggestion } = askToTakeOver(threatCase, later)
  expect(message).toBe('Ann has had this case for 3 min. Nothing was changed. Do you want to take it over?')
  const sharedCase = askToTakeOver({ ...threatCase, card: { channelId: 'C1' } }, later)
  expect(sharedCase.message).toContain('If you do, Signalman posts that in the thread of its card.')
  expect(suggestion.line).toBe(`/threat take ${ID} --over 1 --env production`)
})

it('says why a step isn’t possible', async () => {
  const later = new Date(NOW.getTime() + 3 * 60_000)
  const threatCase = await createSampleCase(EVENT, TAKEN)
  expect(describeRefusal(threatCase, 'take', 'U1', later)).toBe('You already have this case.')
  const closed = await createSampleCase(EVENT, ['false-positive', BEN])
  expect(describeRefusal(closed, 'down', 'U1', later)).toBe(
    'This case can’t be marked as down now. False positive, says Ben (3 min ago).',
  )
})

it.each<[string, SampleStep[]]>([
  ['Ben has had this case for 5 min.', [TAKEN, ['release', ANN, 5], ['takedown-sent', BEN, 60]]],
  ['Ann has had this case for 1 h 5 min.', [['takedown-sent', ANN]]],
])('says how long the holder has had the case: %s', async (expected, steps) => {
  const threatCase = await createSampleCase(EVENT, ...steps)
  expect(askToTakeOver(threatCase, new Date(NOW.getTime() + 65 * 60_000)).message).toContain(expected)
})

it.each([
  [0, 1, 0, 'There are no open threat cases · Take a threat event on its card to open a case.', ''],
  [1, 1, 1, '1 open threat case · most severe and oldest first', ''],
  [25, 2, 10, '25 open threat cases · most severe and oldest first · page 2 of 3', 'Previous, Next'],
  [25, 3, 5, '25 open threat cases · most severe and oldest first · page 3 of 3', 'Previous'],
  [
    1000,
    100,
    10,
    '1,000 or more open threat cases · most severe and oldest first · page 100',
    'Previous, Next',
  ],
])('lists %i cases: page %i shows %i of them', async (total, page, shown, heading, pages) => {
  const cases = await Promise.all(Array.from({ length: shown }, () => createSampleCase(EVENT, TAKEN)))
  const request = { environment: 'production', page } as const
  const { text, blocks } = queueView({ cases, page, total }, request, NOW)
  expect(text.split('\n')[0]).toBe(heading)
  expect(blocks.filter(({ type }) => type === 'section')).toHaveLength(shown)
  const labels = JSON.stringify(blocks).match(/"(?:Previous|Next)"/g) ?? []
  expect(labels.map((label) => JSON.parse(label)).join(', ')).toBe(pages)
})

it.each([
  ['ODD', 0],
  [undefined, 0],
  ['CRITICAL', 1],
  [' high ', 2],
  ['LOW', 4],
])('ranks the severity %s as %i', (level, severity) => {
  expect(rankSeverity(readEvent({ criticality: { level } }))).toBe(severity)
})

it('a refused step says how long ago the case got its state, not how long ago its newest note is', async () => {
  const steps: SampleStep[] = [TAKEN, ['down', BEN, 60], ['note', ANN, 180, 'Still down']]
  const threatCase = await createSampleCase(EVENT, ...steps)
  const later = new Date(NOW.getTime() + 181 * 60_000)
  expect(describeRefusal(threatCase, 'down', 'U1', later)).toContain('says Ben (2 h 1 min ago).')
})

it('a long history keeps the steps that say who has the case and since when, and has no time across a gap', async () => {
  const notes: SampleStep[] = Array.from({ length: 10 }, (_, index) => ['note', ANN, index, 'a'])
  const takenOver: SampleStep = ['take', BEN, 600]
  const newest: SampleStep[] = Array.from({ length: 61 }, (_, index) => ['note', BEN, 601 + index, 'b'])
  const full = await createSampleCase(EVENT, TAKEN, ...notes, takenOver, ...newest)
  const steps = full.steps.reduce<readonly CaseStep[]>(withStep, [])
  const threatCase = { ...full, steps }
  expect(steps).toHaveLength(66)
  expect(describeCaseState(threatCase)).toBe('Taken by Ben 10 h 12 min after the report')
  expect(askToTakeOver(threatCase, new Date(NOW.getTime() + 720 * 60_000)).message).toContain('for 2 h.')
  const afterGap = steps.find(({ version }) => version === 12)
  expect(afterGap && formatStep(threatCase, afterGap)).toBe('Taken over by Ben from Ann')
})
