import { inTurns } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { type CardModel, cardModel } from '../../../src/features/watching/rules/describe-card.ts'
import { cardView } from '../../../src/features/watching/views/cards.ts'
import { checkNotes } from '../../../src/features/watching/views/check-notes.ts'
import { homeHeldBlocks } from '../../../src/features/watching/views/watches.ts'
import { createModel, type Model } from './model/model.ts'
import { at, CARDS, outage } from './models.ts'

const UNHEALTHY_ALONE = 0
const INSTALLING_ALONE = 2
const BOTH = 3

/** One letter is one poll: Down, Up, Installing. */
const STATUSES = { D: 'UNHEALTHY', U: 'HEALTHY', I: 'INSTALLING' } as const

interface Case {
  what: string
  filter: number
  after: number
  polls: string
  says: string[]
}

/** How each card of the channel reads in the end, after the polls of its one check. */
async function told({ filter, after, polls }: Pick<Case, 'filter' | 'after' | 'polls'>): Promise<string[]> {
  await using model = await createModel()
  await model.watch(0, filter, after)
  await model.minute()
  for (const poll of polls) {
    model.set(0, STATUSES[poll as keyof typeof STATUSES])
    await model.minute()
  }
  expect(model.faults).toEqual([])
  return shown(model)
}

const shown = ({ channels }: Model): string[] =>
  [...channels.standing.values()].map(({ model }) =>
    model.kind === 'outage' ? `${model.status} ${model.state}` : model.kind,
  )

/** What is being installed is not down any more for whoever watches what is down. */
const CASES: Case[] = [
  { what: 'a new one', filter: UNHEALTHY_ALONE, after: 1, polls: 'IIIU', says: [] },
  {
    what: 'a new one that is down then',
    filter: UNHEALTHY_ALONE,
    after: 1,
    polls: 'IID',
    says: ['UNHEALTHY down'],
  },
  { what: 'for ever', filter: UNHEALTHY_ALONE, after: 1, polls: 'I'.repeat(20), says: [] },
  { what: 'edited while up', filter: UNHEALTHY_ALONE, after: 1, polls: 'UIIU', says: [] },
  {
    what: 'edited while down',
    filter: UNHEALTHY_ALONE,
    after: 1,
    polls: 'DIIII',
    says: ['UNHEALTHY installing'],
  },
  {
    what: 'edited while down, and down again',
    filter: UNHEALTHY_ALONE,
    after: 1,
    polls: 'DIID',
    says: ['UNHEALTHY down'],
  },
  {
    what: 'edited while down, and up',
    filter: UNHEALTHY_ALONE,
    after: 1,
    polls: 'DIIUU',
    says: ['UNHEALTHY installing'],
  },
  {
    what: 'one good poll before',
    filter: UNHEALTHY_ALONE,
    after: 1,
    polls: 'DUI',
    says: ['UNHEALTHY installing'],
  },
  {
    what: 'for one poll after it was down',
    filter: UNHEALTHY_ALONE,
    after: 1,
    polls: 'DIU',
    says: ['UNHEALTHY recovered'],
  },
  { what: 'one bad poll of two before', filter: UNHEALTHY_ALONE, after: 2, polls: 'DIII', says: [] },
  {
    what: 'between two bad polls',
    filter: UNHEALTHY_ALONE,
    after: 2,
    polls: 'DIDD',
    says: ['UNHEALTHY down'],
  },
  {
    what: 'watched, for ever',
    filter: INSTALLING_ALONE,
    after: 1,
    polls: 'I'.repeat(20),
    says: ['INSTALLING down'],
  },
  { what: 'watched, not confirmed', filter: INSTALLING_ALONE, after: 3, polls: 'IIUIIU', says: [] },
  {
    what: 'watched, and up',
    filter: INSTALLING_ALONE,
    after: 1,
    polls: 'IIUU',
    says: ['INSTALLING recovered'],
  },
  {
    what: 'watched, and down',
    filter: INSTALLING_ALONE,
    after: 1,
    polls: 'IDD',
    says: ['INSTALLING recovered'],
  },
  {
    what: 'both watched',
    filter: BOTH,
    after: 1,
    polls: 'IDDUU',
    says: ['INSTALLING recovered', 'UNHEALTHY recovered'],
  },
  {
    what: 'both watched, edited while down',
    filter: BOTH,
    after: 1,
    polls: 'DII',
    says: ['UNHEALTHY installing', 'INSTALLING down'],
  },
]

describe('a check that is being installed', () => {
  it.each(CASES)('$what: $polls says $says', async ({ says, ...one }) => {
    expect(await told(one)).toEqual(says)
  })
})

it('many that are being installed are never called down', async () => {
  await using model = await createModel()
  await model.watch(0, INSTALLING_ALONE, 1)
  await model.minute()
  for (let index = 0; index < 6; index += 1) model.set(index, 'INSTALLING')
  await model.minute()
  const [storm] = [...model.channels.standing.values()].map((one) => one.model)
  expect(storm).toMatchObject({ kind: 'storm', fell: 'INSTALLING', still: 'INSTALLING' })
  const { storm: down, 'storm over': over, reminder } = CARDS
  const said = (card: CardModel | undefined, reason?: 'resumed') => {
    const installing = { fell: 'INSTALLING', still: 'INSTALLING' }
    const { text } = cardView({ ...card, ...(reason && { reason }), ...installing } as CardModel)
    return text.split('\n')[0]
  }
  expect(said(down)).toMatch(/^🟡 Storm: 120 health checks began to be installed, 88 still are · since/)
  expect(said(over)).toMatch(/^🟢 Storm over: 5 health checks began to be installed, and all are up/)
  expect(said(reminder)).toMatch(/^🟡 Reminder: a still installing · of 2 as of/)
  expect(said(reminder, 'resumed')).toMatch(
    /^🟡 2 health checks began to be .* 1 of them still is installing/,
  )
})

it.each([
  {
    of: 'DDDII',
    fell: /^🔴 Storm: 5 health checks went down or began to be installed, all of them still are/,
  },
  {
    of: 'DDDII',
    up: [0, 1, 2],
    fell: /^🟡 Storm: 5 .* 2 still are installing/,
    ended: /^🟡 .* ended: 2 .* still installing/,
  },
  {
    of: 'DDDII',
    up: [3, 4],
    fell: /^🔴 Storm: 5 .* 3 still are down ·/,
    ended: /^🔴 .* ended: 3 .* still down ·/,
  },
  { of: 'DDDII', up: [4], fell: /^🔴 Storm/, ended: /^🔴 .* ended: 4 .* still down or installing ·/ },
])('of many, some down and some being installed, no more is said than is so: $of, up $up', async (one) => {
  await using model = await createModel()
  await model.watch(0, BOTH, 1)
  await model.minute()
  for (const [index, poll] of [...one.of].entries()) model.set(index, STATUSES[poll as keyof typeof STATUSES])
  await model.minute()
  for (const index of one.up ?? []) model.set(index, 'HEALTHY')
  await model.quietly(3)
  await model.mute(0, 9)
  await model.unmute()
  await model.quietly(2)
  const ids = [...model.channels.standing.values()].map((one) => one.model.cardId)
  const drawn = ids.map(async (id) => {
    const found = await model.store.watching.cards.find('T1', id)
    return found ? cardView(await inTurns(cardModel(found))).text : ''
  })
  const [storm, ended] = await Promise.all(drawn)
  expect(storm).toMatch(one.fell)
  if (one.ended) expect(ended).toMatch(one.ended)
})

it('one that was being installed was not down, in App Home and on the card of its check', () => {
  const installed = outage('web', { status: 'INSTALLING' })
  const home = JSON.stringify(homeHeldBlocks([{ environment: 'production', outage: installed }]))
  expect(home).toContain('🟡 web has been installing since ')
  const known = { channels: [], mute: undefined, maintenance: undefined, runbooks: [], channelId: undefined }
  const latest = [{ ...installed, endedAt: at('10:00'), ending: 'recovered' as const }]
  expect(checkNotes({ ...known, check: installed.check, latest }).since).toEqual({
    status: 'HEALTHY',
    at: at('10:00'),
  })
})
