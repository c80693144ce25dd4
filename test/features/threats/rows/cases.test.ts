import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { CASE_WORK } from '../../../../src/features/threats/rows/case-rows.ts'
import type { CaseStepRequest } from '../../../../src/features/threats/rows/cases.ts'
import { CASE_STATES } from '../../../../src/features/threats/rules/case-steps.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const DAY_MS = 86_400_000
const minutesLater = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000)
const EVENT = { workspaceId: 'T1', environment: 'production', eventId: 'e1' } as const
const ANN = { userId: 'U1', name: 'Ann' }
const BEN = { userId: 'U2', name: 'Ben' }
const NEW_CASE = { eventSnapshot: { domain: 'secret.example' }, severity: 1 }
const CARD = { channelId: 'C1' }

let stepCount = 0
const createStep = (
  kind: CaseStepRequest['kind'],
  overrides: Partial<CaseStepRequest> = {},
): CaseStepRequest => {
  stepCount += 1
  return {
    ...EVENT,
    enterpriseId: undefined,
    kind,
    by: ANN,
    now: NOW,
    reference: `r${stepCount}`,
    newCase: NEW_CASE,
    ...overrides,
  }
}

describe.each(SHARED_DATABASES)('cases of threat events in $name', ({ start }) => {
  it('move from step to step, and record the person and time of each step', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatCases: cases } = store
    expect(await cases.find(EVENT)).toBeUndefined()
    expect(await cases.step(createStep('release'))).toEqual({ kind: 'none' })
    expect(await cases.step(createStep('take', { card: CARD }))).toEqual({ kind: 'stepped' })
    expect(await cases.step(createStep('take'))).toEqual({ kind: 'refused' })
    expect(await cases.step(createStep('take', { by: BEN }))).toEqual({ kind: 'held-by-other' })
    expect(await cases.step(createStep('take', { by: BEN, seenVersion: 7 }))).toEqual({
      kind: 'held-by-other',
    })
    expect(await cases.step(createStep('take', { by: BEN, seenVersion: 1, now: minutesLater(2) }))).toEqual({
      kind: 'stepped',
      previousHolder: 'Ann',
    })
    expect(await cases.step(createStep('takedown-sent', { by: BEN, now: minutesLater(1) }))).toEqual({
      kind: 'stepped',
    })
    expect(await cases.step(createStep('down', { by: undefined, now: minutesLater(9) }))).toEqual({
      kind: 'stepped',
    })
    const found = await cases.find(EVENT)
    expect(found).toMatchObject({
      ...EVENT,
      state: 'down',
      holder: BEN,
      version: 4,
      severity: 1,
      eventSnapshot: NEW_CASE.eventSnapshot,
      card: CARD,
      openedAt: NOW,
      changedAt: minutesLater(9),
      shownVersion: 0,
      postedVersion: 0,
    })
    // The third step came from a process whose clock was a minute behind. The steps still stay in order.
    expect(
      found?.steps.map(({ kind, by, at, previousHolder }) => [kind, by?.name, at, previousHolder]),
    ).toEqual([
      ['take', 'Ann', NOW, undefined],
      ['take', 'Ben', minutesLater(2), 'Ann'],
      ['takedown-sent', 'Ben', minutesLater(2), undefined],
      ['down', undefined, minutesLater(9), undefined],
    ])
    expect(await cases.get('T1', found?.id ?? '')).toEqual(found)
    expect(await cases.get('T2', found?.id ?? '')).toBeUndefined()
    expect(await cases.find({ ...EVENT, environment: 'ote' })).toBeUndefined()
  })

  it('accept only one of several concurrent steps, and apply a repeated step once', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatCases: cases } = store
    const outcomes = await Promise.all(
      [ANN, BEN, { userId: 'U3', name: 'Cy' }].map((by) => cases.step(createStep('take', { by }))),
    )
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['held-by-other', 'held-by-other', 'stepped'])
    const repeatedStep = createStep('false-positive')
    expect(await cases.step(repeatedStep)).toEqual({ kind: 'stepped' })
    expect(await cases.step(repeatedStep)).toEqual({ kind: 'stepped' })
    expect(await cases.step(createStep('false-positive'))).toEqual({ kind: 'refused' })
    expect(await cases.find(EVENT)).toMatchObject({ version: 2 })
  })

  it('queue updates to post, and record which ones are posted and where the card is', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatCases: cases, work } = store
    await cases.step(createStep('take', { card: CARD }))
    const { id = '' } = (await cases.find(EVENT)) ?? {}
    const postWork = { workspaceId: 'T1', kind: CASE_WORK.post, key: id }
    expect(await work.claim(postWork, 'me')).toMatchObject({ key: id })
    await cases.markCardShown(id, 1, undefined, { channelId: 'C1', ts: '1.1' })
    await cases.markCardShown(id, 1, undefined, { channelId: 'C1', ts: '1.2' })
    await cases.markStepsPosted(id, 1)
    await cases.markCardShown(id, 0, undefined)
    const posted = await cases.find(EVENT)
    expect(posted).toMatchObject({ shownVersion: 1, postedVersion: 1, card: { messageTs: '1.1' } })
    await cases.detachCard(id, { channelId: 'C1', messageTs: '1.9' })
    expect((await cases.find(EVENT))?.card).toEqual({ channelId: 'C1', messageTs: '1.1' })
    await cases.detachCard(id, { channelId: 'C1', messageTs: '1.1' })
    expect((await cases.find(EVENT))?.card).toBeUndefined()
    await cases.step(createStep('release', { card: { channelId: 'C2', messageTs: '2.1', threadTs: '2.0' } }))
    expect((await cases.find(EVENT))?.card).toEqual({ channelId: 'C2', messageTs: '2.1', threadTs: '2.0' })
  })

  it('are listed in pages, with the most severe first and then the oldest', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatCases: cases } = store
    const severities = [2, 0, 1, 0]
    for (const [index, severity] of severities.entries()) {
      const newCase = { eventSnapshot: index, severity }
      await cases.step(createStep('take', { eventId: `e${index}`, now: minutesLater(index), newCase }))
    }
    await cases.step(createStep('down', { eventId: 'closed' }))
    await cases.step(
      createStep('take', { eventId: 'bens', by: BEN, newCase: { eventSnapshot: 'bens', severity: 3 } }),
    )
    await cases.step(createStep('take', { workspaceId: 'T2' }))
    const filter = { workspaceId: 'T1', environment: 'production' } as const
    const listSnapshots = async (overrides: object = {}) =>
      (await cases.list({ ...filter, limit: 10, ...overrides })).map(
        (threatCase) => 'eventSnapshot' in threatCase && threatCase.eventSnapshot,
      )
    expect(await listSnapshots()).toEqual([1, 3, 2, 0, 'bens'])
    expect(await listSnapshots({ limit: 2, offset: 1 })).toEqual([3, 2])
    expect(await listSnapshots({ holderId: 'U2' })).toEqual(['bens'])
    expect(await listSnapshots({ state: 'down' })).toEqual([NEW_CASE.eventSnapshot])
    expect(await cases.count(filter, 100)).toBe(5)
    expect(await cases.count(filter, 3)).toBe(3)
  })

  it('are deleted a year after they were closed, three years after the last change if open, or with their workspace', async () => {
    await using database = await start()
    const clock = { now: NOW.getTime() + 365 * DAY_MS }
    await using store = await openStore({ ...database, clock: () => new Date(clock.now) })
    const { threatCases: cases, threatShares: shares } = store
    const sweepCases = async () => (await store.sweepRows()).get('threat_case')
    await cases.step(createStep('false-positive'))
    await cases.step(createStep('take', { eventId: 'open' }))
    expect(await sweepCases()).toBe(0)
    clock.now += DAY_MS
    expect(await sweepCases()).toBe(1)
    clock.now += 730 * DAY_MS
    expect(await sweepCases()).toBe(1)
    clock.now = NOW.getTime()
    await cases.step(createStep('take'))
    await cases.step(createStep('take', { workspaceId: 'T2' }))
    const card = { channelId: 'C1', messageTs: '1.1' }
    await shares.add(EVENT, { ...card, messageTs: '1.0' }, NOW)
    await shares.add(EVENT, card, NOW)
    expect(await shares.findNewest(EVENT)).toEqual(card)
    expect((await store.sweepRows()).get('threat_card')).toBe(0)
    await shares.removeFromChannel(EVENT, 'C9')
    expect(await shares.findNewest(EVENT)).toEqual(card)
    await shares.removeFromChannel(EVENT, 'C1')
    expect(await shares.findNewest(EVENT)).toBeUndefined()
    await shares.add(EVENT, card, NOW)
    expect((await store.forgetWorkspace('T1'))?.cases).toBe(1)
    expect(await shares.findNewest(EVENT)).toBeUndefined()
    expect(await cases.find(EVENT)).toBeUndefined()
    expect(await cases.find({ ...EVENT, workspaceId: 'T2' })).toBeDefined()
  })

  it('can have a person’s ID and name erased', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatCases: cases } = store
    await cases.step(createStep('take'))
    await cases.step(createStep('take', { by: BEN, seenVersion: 1 }))
    await cases.step(createStep('take', { eventId: 'e2' }))
    expect(await cases.erasePerson('T1', ANN.userId)).toEqual({ erased: 2, undecryptable: 0 })
    expect(await cases.erasePerson('T1', ANN.userId)).toEqual({ erased: 0, undecryptable: 0 })
    expect(JSON.stringify(await cases.find(EVENT))).not.toMatch(/"U1\b|\bAnn\b/)
    expect(await cases.find({ ...EVENT, eventId: 'e2' })).toMatchObject({
      state: 'taken',
      holder: { userId: 'erased' },
    })
    expect(await cases.find(EVENT)).toMatchObject({ holder: BEN })
  })

  it('can have a former holder erased by name if the ID isn’t stored', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatCases: cases } = store
    await cases.step(createStep('take', { by: { userId: 'U9', name: 'Ann' } }))
    await cases.step(createStep('take', { by: BEN, seenVersion: 1 }))
    expect(await cases.erasePerson('T1', 'U1')).toMatchObject({ erased: 0 })
    expect(await cases.erasePerson('T1', 'U1', ['Ann'])).toMatchObject({ erased: 1 })
    expect((await cases.find(EVENT))?.steps.at(-1)).toMatchObject({ previousHolder: 'someone' })
  })
})

describe.each(SHARED_DATABASES)('the database triggers for cases in $name', ({ start }) => {
  it('reject transitions that `caseTransitions` doesn’t allow, and a taken case without a holder', async () => {
    await using database = await start()
    await using store = await openStore(database)
    await store.threatCases.step(createStep('down'))
    await using raw = await openDatabase(database.url)
    const row = await raw.rows.selectFrom('threat_case').selectAll().executeTakeFirstOrThrow()
    expect(row.sealed_about).not.toContain('secret')
    const updateCase = (changes: object) => raw.rows.updateTable('threat_case').set(changes).execute()
    for (const state of CASE_STATES.filter((other) => !['down', 'taken'].includes(other)))
      await expect(updateCase({ state })).rejects.toThrow('no such step of a threat case')
    await expect(updateCase({ state: 'taken', holder_id: null })).rejects.toThrow()
    await updateCase({ state: 'taken', holder_id: 'U1' })
    await expect(updateCase({ state: 'gone' })).rejects.toThrow()
  })
})

describe.each(SHARED_DATABASES.filter(({ name }) => name === 'PostgreSQL'))(
  'a step of a case on $name',
  ({ start }) => {
    it('keeps the location of a card that was posted while the step waited for a lock', async () => {
      await using database = await start()
      await using store = await openStore(database)
      await using otherDatabase = await openDatabase(database.url)
      const { threatCases: cases } = store
      await cases.step(createStep('take', { card: CARD }))
      let step: Promise<unknown> | undefined
      await otherDatabase.rows.transaction().execute(async (rows) => {
        await rows.updateTable('threat_case').set({ message_ts: '1.5' }).execute()
        step = cases.step(createStep('takedown-sent'))
        // Waits until the step has read the case and is blocked by the lock.
        await expect.poll(countBlocked).toBe(1)
      })
      await step
      expect(await cases.find(EVENT)).toMatchObject({ state: 'takedown-sent', card: { messageTs: '1.5' } })

      async function countBlocked(): Promise<number> {
        await using thirdDatabase = await openDatabase(database.url)
        const { rows } = await sql<{ count: number }>`
        select cast(count(*) as integer) as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(thirdDatabase.rows)
        return rows[0]?.count ?? 0
      }
    })
  },
)
