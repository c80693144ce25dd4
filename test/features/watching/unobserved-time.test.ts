import { MINUTE_MS } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { checkView } from '../../../src/features/health-checks/views/check.ts'
import { timelineView } from '../../../src/features/watching/timeline/views.ts'
import { checkNotes } from '../../../src/features/watching/views/check-notes.ts'
import { formatOutageRow } from '../../../src/features/watching/views/outages.ts'
import { readCardTexts, showTimes } from './model/card-texts.ts'
import { createModel } from './model/model.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

type Model = Awaited<ReturnType<typeof createModel>>

/** A channel watches the checks, and the first one has been down since 12:03. It is 12:06. */
async function createWithFall(options?: Parameters<Model['watch']>[3]): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1, options)
  await model.passMinutes(3)
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(3)
  return model
}

/** The first check comes up, and the second one goes down, while Signalman can't see them until 16:06. */
async function createWithGap(pass: (model: Model) => Promise<void>): Promise<Model> {
  const model = await createWithFall()
  model.setStatus(0, 'HEALTHY')
  model.setStatus(1, 'UNHEALTHY')
  await pass(model)
  model.setServiceFailure(false)
  await model.passMinutes(3)
  return model
}

const readSince = async ({ store }: Model, uuid: string) => {
  const query = { ...SCOPE, uuid, channelId: 'C1', outageLimit: 5 }
  const { latest, unseen, observedSince } = await store.watching.readCheckDetails(query)
  return checkNotes({
    check: { uuid, name: uuid },
    ...{ channels: [], silences: [], runbooks: [], mayEnd: () => true, channelId: 'C1' },
    latest,
    observedSince: unseen ? undefined : observedSince,
  }).since
}

async function readHistoryRows({ store, now }: Model): Promise<string[]> {
  const query = { ...SCOPE, from: new Date(0), to: now(), limit: 9 }
  const outages = await store.watching.history.listOutages(query)
  return outages.map((outage) =>
    formatOutageRow(outage, now())
      .map((part) => (part instanceof Date ? part.toISOString().slice(11, 16) : part))
      .join(''),
  )
}

async function readTimelines({ channels, store }: Model): Promise<string[]> {
  const cardIds = [...channels.messages.values()].map(({ model }) => model.cardId)
  const histories = await Promise.all(cardIds.map((id) => store.watching.readCardHistory('T1', id)))
  return histories.flatMap((history) => (history ? [showTimes(timelineView(history).text)] : []))
}

const GAPS: readonly [string, (model: Model) => Promise<void>][] = [
  [
    'in which the service didn’t answer',
    async (model) => {
      model.setServiceFailure('unavailable')
      await model.passMinutes(240)
    },
  ],
  ['in which Signalman didn’t run', (model) => model.jumpClock(240)],
]

describe.each(GAPS)('after a time %s', (_, pass) => {
  it('cards say when a change was noticed, and only the time seen down as downtime', async () => {
    await using model = await createWithGap(pass)
    const texts = readCardTexts(model)
    const findCard = (name: string) => texts.find((text) => text.includes(`${name} is`))
    expect(findCard('check-a1')).toMatch(
      /^🟢 check-a1 is up again · noticed 16:06, not observed since 12:0[56], was down at least 2 min/,
    )
    expect(findCard('check-a2')).toMatch(/^🔴 check-a2 is down · noticed 16:06, not observed since 12:0[56]/)
    await model.passMinutes(12)
    expect(readCardTexts(model).join('\n')).toMatch(/From 12:03 to 16:06 at the latest/)
  })

  it('the history says so too', async () => {
    await using model = await createWithGap(pass)
    expect(await readHistoryRows(model)).toEqual([
      '🟢 down 12:03, seen up 16:06 (> 2 min)',
      '🔴 seen down 16:06, still down (> 2 min)',
    ])
  })

  it('timelines say what was noticed', async () => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinutes(3)
    for (const index of [0, 2]) model.setStatus(index, 'UNHEALTHY')
    await model.passMinutes(3)
    model.setStatus(0, 'HEALTHY')
    model.setStatus(1, 'UNHEALTHY')
    model.removeCheck(2)
    await pass(model)
    model.setServiceFailure(false)
    await model.passMinutes(3)
    const text = (await readTimelines(model)).join('\n')
    for (const line of [
      '12:03  🔴 check-a1 went down',
      '16:06  🟢 Noticed that check-a1 is up',
      '16:06  🔴 Noticed that check-a2 is down',
      '16:06  ⚪ Noticed that check-a3 was deleted',
    ])
      expect(text).toContain(line)
    expect((await readHistoryRows(model)).join('\n')).toContain('⚪ down 12:03, seen deleted 16:06 (> 2 min)')
  })

  it('everything says that an outage that goes on wasn’t observed all the time', async () => {
    await using model = await createWithFall()
    await pass(model)
    model.setServiceFailure(false)
    await model.passMinutes(3)
    const gap = /not observed from 12:0[56] to 16:06/.source
    expect(readCardTexts(model)[0]).toMatch(new RegExp(`^🔴 check-a1 is down · since 12:03, ${gap}\n`))
    const [row] = await readHistoryRows(model)
    expect(row).toMatch(new RegExp(`^🔴 down 12:03, ${gap}, still down \\(> [456] min\\)$`))
    const since = await readSince(model, 'a1')
    expect(since).toMatchObject({ status: 'UNHEALTHY', gaps: { count: 1 } })
    const shown = { uuid: 'a1', name: 'check-a1', status: 'UNHEALTHY' }
    const { text } = checkView(shown, [], 'production', model.now(), {
      extras: { since, entries: [], buttons: [] },
    })
    expect(showTimes(text)).toMatch(new RegExp(`^🔴 check-a1 is down · since 12:03, ${gap}\n`))
    const seenSince = (await model.store.watching.history.findDownSince(SCOPE, ['a1'])).get('a1')
    expect(seenSince).toEqual({ at: since?.gaps?.to, isAtLeast: true })
    model.setStatus(0, 'HEALTHY')
    await model.passMinutes(3)
    expect(readCardTexts(model)[0]).toMatch(
      /^🟢 check-a1 is up again · since 16:09, was down at least [456] min\n/,
    )
    await model.passMinutes(12)
    expect(readCardTexts(model)[0]).toMatch(new RegExp(`\nFrom 12:03 to 16:09, ${gap}\n`))
    expect((await readHistoryRows(model))[0]).toMatch(
      new RegExp(`^🟢 down 12:03, ${gap}, up 16:09 \\(> [456] min\\)$`),
    )
  })
})

it('a card says that a check that is up again wasn’t observed all the time', async () => {
  await using model = await createWithFall()
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(3)
  await goBlind(model)
  await model.passMinutes(3)
  expect(readCardTexts(model)[0]).toMatch(
    /^🟢 check-a1 is up again · since 12:06, not observed from 12:0[89] to 16:09, was down 3 min\n/,
  )
})

it('cards about several checks say the same as those about one', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinutes(3)
  for (const index of [0, 1]) model.setStatus(index, 'UNHEALTHY')
  await model.passMinutes(3)
  for (const index of [3, 4]) model.setStatus(index, 'UNHEALTHY')
  await goBlind(model)
  await model.passMinutes(3)
  const lines = readCardTexts(model).flatMap((text) => text.split('\n'))
  for (const name of ['check-a1', 'check-a2'])
    expect(lines).toContainEqual(
      expect.stringMatching(`^🔴 ${name} · since 12:03, not observed from 12:0[56] to 16:06$`),
    )
  for (const name of ['check-b1', 'check-b2'])
    expect(lines).toContainEqual(
      expect.stringMatching(`^🔴 ${name} · noticed 16:06, not observed since 12:0[56]$`),
    )
})

it('counts the gaps of an outage, and what was observed between them', async () => {
  await using model = await createWithFall()
  await goBlind(model)
  await model.passMinutes(5)
  await goBlind(model)
  await model.passMinutes(5)
  expect(readCardTexts(model)[0]).toMatch(/since 12:03, not observed 2 times between 12:0[56] and 20:1\d\n/)
  expect((await readHistoryRows(model))[0]).toMatch(/, still down \(> 1\d min\)$/)
})

/** Lets the service fail for four hours. */
async function goBlind(model: Model): Promise<void> {
  model.setServiceFailure('unavailable')
  await model.passMinutes(240)
  model.setServiceFailure(false)
}

it('says since when a check is up or down only if that was observed', async () => {
  await using model = await createWithFall()
  const { history } = model.store.watching
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(3)
  expect(await readSince(model, 'a1')).toMatchObject({ status: 'HEALTHY', downMs: 3 * MINUTE_MS })
  expect(await history.findAllUpSince(SCOPE)).toBeDefined()
  await goBlind(model)
  model.setStatus(1, 'UNHEALTHY')
  await model.passMinutes(3)
  expect(await readSince(model, 'a1')).toBeUndefined()
  expect(await readSince(model, 'a2')).toMatchObject({ status: 'UNHEALTHY', isLowerBound: true })
  expect((await history.findDownSince(SCOPE, ['a2'])).get('a2')).toMatchObject({ isAtLeast: true })
  await model.unwatch(0)
  expect(await readSince(model, 'a2')).toBeUndefined()
})

it('doesn’t say since when all checks are up if they couldn’t be seen since', async () => {
  await using model = await createWithFall()
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(3)
  await goBlind(model)
  await model.passMinutes(3)
  expect(await model.store.watching.history.findAllUpSince(SCOPE)).toBeUndefined()
})

it('pages say since when people could know, whether or not the checks were seen since', async () => {
  await using model = await createWithFall({ pages: true })
  await goBlind(model)
  await model.passMinutes(10)
  const pages = readCardTexts(model).filter((text) => text.startsWith('<'))
  expect(pages).toHaveLength(2)
  for (const page of pages) expect(page).toContain('check-a1 is down. It has waited for someone since 12:03.')
  await model.press('take')
  await model.passMinute()
  expect(readCardTexts(model).join('\n')).not.toContain('waited')
})

it('a card whose page waits for the service doesn’t name a time that has passed', async () => {
  await using model = await createWithFall({ pages: true })
  const readNext = () => readCardTexts(model)[0]?.replaceAll('\u2060', '').split('\n').at(-1)
  model.setServiceFailure('unavailable')
  await model.passMinutes(1)
  expect(readNext()).toBe('Nobody is on it. Pages @oncall 12:08.')
  await model.passMinutes(2)
  expect(readNext()).toBe('Nobody is on it. Pages @oncall once I can see the health checks again.')
  model.setServiceFailure(false)
  await model.passMinute()
  expect(readNext()).toMatch(/^Nobody is on it\. Pages @oncall 12:1[01]\.$/)
  await model.passMinutes(2)
  expect(model.channels.pagedPeople).toEqual(['S1'])
})
