import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { LeaseLost } from '../../../../packages/durable/src/work/steps.ts'
import type { Store } from '../../../../src/app/store.ts'
import type { ShownMessage } from '../../../../src/bot/posts/outbox.ts'
import { POST_CASE, type ThreatCases } from '../../../../src/features/threats/rows/cases.ts'
import type { CardLocation } from '../../../../src/features/threats/rules/threat-case.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'
import { startStore } from '../../../databases/store.ts'
import { changeCases } from '../../../decide.ts'

type StepRequest = Parameters<ReturnType<ThreatCases['within']>['step']>[0]

const NOW = new Date('2026-11-20T12:00:00.000Z')
const minutesLater = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000)
const EVENT = { workspaceId: 'T1', environment: 'production', eventId: 'e1' } as const
const ANN = { userId: 'U1', name: 'Ann' }
const BEN = { userId: 'U2', name: 'Ben' }
const createNewCase = (domain: string, severity = 1) => ({
  event: {
    verdict: 'HIGH',
    lines: [domain],
    notes: [],
    readAt: NOW.toISOString(),
    reportedAt: NOW.toISOString(),
  },
  severity,
  domainKey: `key ${severity}`,
})
const NEW_CASE = createNewCase('secret.example')
const CARD = { channelId: 'C1' }

/** Takes a step in a decision of its own. */
const takeStep = (store: Store, kind: StepRequest['kind'], overrides: Partial<StepRequest> = {}) =>
  changeCases(store, 'T1', ({ step }) =>
    step({
      ...{ ...EVENT, kind, by: ANN, now: NOW, newCase: NEW_CASE },
      ...overrides,
    }),
  )

describe.each(SHARED_DATABASES)('cases of threat events in $name', ({ start }) => {
  it('move from step to step, and record the person and time of each step', async () => {
    await using store = await startStore(start)
    const { threatCases: cases } = store
    expect(await cases.find(EVENT)).toBeUndefined()
    expect(await takeStep(store, 'note')).toEqual({ refusal: 'no-case' })
    expect(await takeStep(store, 'take', { newCase: undefined })).toEqual({ refusal: 'no-case' })
    expect(await takeStep(store, 'take', { card: CARD })).toMatchObject({
      state: 'taken',
      holder: ANN,
    })
    expect(await takeStep(store, 'take')).toEqual({ refusal: 'yours-already' })
    expect(await takeStep(store, 'take', { by: BEN, seenVersion: 7 })).toEqual({
      refusal: 'held-by-other',
    })
    await takeStep(store, 'take', { by: BEN, seenVersion: 1, now: minutesLater(2) })
    await takeStep(store, 'note', { by: BEN, now: minutesLater(1), text: 'called' })
    await takeStep(store, 'down', { seenVersion: 3, now: minutesLater(9) })
    const found = await cases.find(EVENT)
    expect(found).toMatchObject({
      ...EVENT,
      ...{ state: 'down', holder: BEN, version: 4, severity: 1, event: NEW_CASE.event, card: CARD },
      ...{ openedAt: NOW, changedAt: minutesLater(9), shownVersion: 0, postedVersion: 0 },
    })
    // The third step came from a process whose clock was a minute behind. The steps still stay in order.
    expect(found?.steps.map(({ kind, by, at, text }) => [kind, by.name, at, text])).toEqual([
      ['take', 'Ann', NOW, undefined],
      ['take', 'Ben', minutesLater(2), undefined],
      ['note', 'Ben', minutesLater(2), 'called'],
      ['down', 'Ann', minutesLater(9), undefined],
    ])
    expect(await cases.get('T1', found?.id ?? '')).toEqual(found)
    expect(await cases.get('T2', found?.id ?? '')).toBeUndefined()
    expect(await cases.find({ ...EVENT, environment: 'ote' })).toBeUndefined()
  })

  it('accept only one of several concurrent steps', async () => {
    await using store = await startStore(start)
    const outcomes = await Promise.all(
      [ANN, BEN, { userId: 'U3', name: 'Cy' }].map((by) => takeStep(store, 'take', { by })),
    )
    expect(outcomes.filter((outcome) => 'refusal' in outcome)).toHaveLength(2)
    expect(await takeStep(store, 'false-positive')).toMatchObject({ version: 2 })
    expect(await takeStep(store, 'false-positive')).toEqual({ refusal: 'ended' })
  })

  it('are opened by sharing a card, and keep their first card until its channel refuses it', async () => {
    await using store = await startStore(start)
    const { threatCases: cases, work } = store
    const share = (channelId: string, messageTs: string) =>
      changeCases(store, 'T1', (cases) =>
        cases.share({
          ...{ ...EVENT, now: NOW, newCase: NEW_CASE },
          card: { channelId, messageTs },
        }),
      )
    await share('C1', '1.1')
    const listIn = (channelId: string) => cases.listByMessage('T1', { channelId, ts: '1.1' })
    expect([await listIn('C1'), await listIn('C9')]).toMatchObject([[{ state: 'open', version: 0 }], []])
    await takeStep(store, 'take', { card: { channelId: 'C9' } })
    await share('C2', '2.1')
    const found = await cases.find(EVENT)
    expect(found).toMatchObject({ state: 'taken', card: { channelId: 'C1', messageTs: '1.1' } })
    const id = found?.id ?? ''
    const claimed = await work.claimDue('me', [POST_CASE], 1)
    expect(claimed).toMatchObject([{ key: id }])
    const [notice] = claimed
    if (!found || !notice) throw new Error('There is no case.')
    const storeShown = (
      owner: string,
      shown: readonly ShownMessage[],
      card: CardLocation = { channelId: 'C1' },
    ) => cases.storeShown({ ...found, card }, shown, { work: notice, owner })
    const card = { key: 'card', channelId: 'C1', ts: '1.1', version: 0, editedTo: 1 }
    const steps = { key: 'steps', channelId: 'C1', ts: '', version: 1 }
    await expect(storeShown('another', [card, steps])).rejects.toThrow(LeaseLost)
    expect(await cases.find(EVENT)).toMatchObject({ shownVersion: 0, postedVersion: 0 })
    await storeShown('me', [card, steps])
    expect(await cases.find(EVENT)).toMatchObject({ shownVersion: 1, postedVersion: 1 })
    await cases.removeCard(id, { channelId: 'C7' })
    await storeShown('me', [steps], { channelId: 'C7' })
    expect((await cases.find(EVENT))?.card?.messageTs).toBe('1.1')
    await storeShown('me', [steps])
    expect((await cases.find(EVENT))?.card).toMatchObject({ channelId: 'C1', messageTs: undefined })
    await storeShown('me', [{ ...card, ts: '1.2' }, steps])
    expect(await cases.find(EVENT)).toMatchObject({ shownVersion: 1, card: { messageTs: '1.2' } })
    await cases.removeCard(id, { channelId: 'C1' })
    expect((await cases.find(EVENT))?.card).toBeUndefined()
    await share('C2', '2.1')
    expect((await cases.find(EVENT))?.card).toMatchObject({ channelId: 'C2', messageTs: '2.1' })
  })

  it('are listed in pages, with the most severe first and then the oldest', async () => {
    await using store = await startStore(start)
    const { threatCases: cases } = store
    for (const [index, severity] of [2, 0, 1, 0].entries())
      await takeStep(store, 'take', {
        ...{ eventId: `e${index}`, now: minutesLater(index), newCase: createNewCase(`${index}`, severity) },
      })
    await takeStep(store, 'down', { eventId: 'closed', newCase: createNewCase('closed') })
    await takeStep(store, 'take', { eventId: 'bens', by: BEN, newCase: createNewCase('bens', 3) })
    await takeStep(store, 'take', { workspaceId: 'T2' })
    await takeStep(store, 'take', { environment: 'ote' })
    const filter = { workspaceId: 'T1', environment: 'production' } as const
    const listDomains = async (overrides: object = {}) =>
      (await cases.list({ ...filter, limit: 10, ...overrides })).map(
        (threatCase) => 'event' in threatCase && threatCase.event.lines[0],
      )
    expect(await listDomains()).toEqual(['1', '3', '2', '0', 'bens'])
    expect(await listDomains({ limit: 2, offset: 1 })).toEqual(['3', '2'])
    expect(await listDomains({ holderId: 'U2' })).toEqual(['bens'])
    expect(await cases.count(filter)).toBe(5)
    const sameDomain = { domainKey: 'key 0', notEventId: 'e1' }
    expect([await listDomains(sameDomain), await cases.count({ ...filter, ...sameDomain })]).toEqual([
      ['3'],
      1,
    ])
  })

  it('can have a person’s ID and name erased', async () => {
    await using store = await startStore(start)
    const { threatCases: cases } = store
    await takeStep(store, 'take')
    await takeStep(store, 'take', { by: BEN, seenVersion: 1 })
    await takeStep(store, 'take', { eventId: 'e2' })
    expect(await cases.erasePerson('T1', ANN.userId)).toEqual({ erased: 2, undecryptable: 0 })
    expect(await cases.erasePerson('T1', ANN.userId)).toEqual({ erased: 0, undecryptable: 0 })
    expect(JSON.stringify(await cases.find(EVENT))).not.toMatch(/"U1\b|\bAnn\b/)
    expect(await cases.find(EVENT)).toMatchObject({ holder: BEN })
    const other = await cases.find({ ...EVENT, eventId: 'e2' })
    expect(other).toMatchObject({ state: 'taken', holder: { userId: 'erased' } })
  })

  it('are never taken without a holder in their rows', async () => {
    await using store = await startStore(start)
    await takeStep(store, 'down')
    await using raw = await openDatabase(store.url)
    const row = await raw.rows.selectFrom('threat_case').selectAll().executeTakeFirstOrThrow()
    expect(row.sealed_about).not.toContain('secret')
    const updateCase = (changes: object) => raw.rows.updateTable('threat_case').set(changes).execute()
    await expect(updateCase({ state: 'taken', holder_id: null })).rejects.toThrow()
    await updateCase({ state: 'taken', holder_id: 'U1' })
  })
})

it.each(SHARED_DATABASES.filter(({ name }) => name === 'PostgreSQL'))(
  'a step of a case keeps the location of a card that was posted while the step waited for a lock, on $name',
  async ({ start }) => {
    await using store = await startStore(start)
    await using otherDatabase = await openDatabase(store.url)
    const { threatCases: cases } = store
    await takeStep(store, 'take', { card: CARD })
    let step: Promise<unknown> | undefined
    await otherDatabase.rows.transaction().execute(async (rows) => {
      await rows.updateTable('threat_case').set({ message_ts: '1.5' }).execute()
      step = takeStep(store, 'note', { text: 'x' })
      // Waits until the step has read the case and is blocked by the lock.
      await expect.poll(countBlocked).toBe(1)
    })
    await step
    expect(await cases.find(EVENT)).toMatchObject({ version: 2, card: { messageTs: '1.5' } })

    async function countBlocked(): Promise<number> {
      await using thirdDatabase = await openDatabase(store.url)
      const { rows } = await sql<{ count: number }>`
      select cast(count(*) as integer) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(thirdDatabase.rows)
      return rows[0]?.count ?? 0
    }
  },
)
