import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { LeaseLost } from '../../../packages/durable/src/work/steps.ts'
import { openStore } from '../../../src/app/store.ts'
import { openBreakingSteps } from '../../databases/breaking-steps.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const auditEvent = (outcome: AuditEvent['outcome']): AuditEvent => ({
  workspaceId: 'T1',
  at: new Date(),
  actor: { userId: 'U1' },
  verb: '/hc delete',
  object: 'health-check 1',
  outcome,
  reference: 'R1',
})

describe.each(SHARED_DATABASES)('the steps of an act on $name', ({ start }) => {
  async function startAct() {
    await using disposables = new AsyncDisposableStack()
    const store = disposables.use(await openStore(disposables.use(await start())))
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const resources = disposables.move()
    return {
      store,
      steps: store.steps,
      id: work.id,
      step: { workId: work.id, line: 1, name: 'delete' },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  }

  it('are each recorded once, with audit rows for the intent and the outcome', async () => {
    await using act = await startAct()
    const { store, steps, id, step } = act
    expect(await steps.record('two', step, auditEvent('begun'))).toBeUndefined()
    const attempt = await steps.record('one', step, auditEvent('begun'))
    if (!attempt) throw new Error('The step was not recorded.')
    expect(await steps.record('one', step, auditEvent('begun'))).toBeUndefined()
    expect(await steps.list(id)).toMatchObject([
      { name: 'delete', state: 'begun', body: { outcome: 'begun' } },
    ])
    const body = { uuid: 'u', createdAt: new Date(5), none: undefined }
    const settled = { ...attempt, state: 'done' as const, body }
    await steps.recordOutcome({ ...settled, begunBy: 'two' }, auditEvent('failed'))
    await steps.recordOutcome({ ...settled, begunAt: '2026-01-01T00:00:00.000Z' }, auditEvent('failed'))
    await steps.recordOutcome(settled, auditEvent('done'))
    await steps.recordOutcome({ ...settled, state: 'refused', body: 0 }, auditEvent('failed'))
    expect(await steps.list(id)).toMatchObject([{ state: 'done', body }])
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'begun'])
  })

  it('were not sent if the process that recorded them lost its connection meanwhile, and only it knows that', async () => {
    await using address = await start()
    await using store = await openStore(address)
    await using broken = await openBreakingSteps(address, () => true)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const step = { workId: work.id, line: 1, name: 'delete' }
    const { steps: breaking } = broken
    await expect(breaking.record('one', step)).rejects.toThrow('broke')
    expect(await store.steps.list(work.id)).toMatchObject([{ state: 'begun' }])
    const [unsent] = await breaking.list(work.id)
    expect(unsent?.state).toBe('ready')
    // It begins again, and is then like any other step that was begun.
    expect(await store.steps.record('one', { ...step, attempt: unsent })).toBeDefined()
    expect(await breaking.list(work.id)).toMatchObject([{ state: 'begun' }])
  })

  it('that this process knows not to have happened aren’t called unknown, although it couldn’t store that', async () => {
    await using address = await start()
    await using store = await openStore(address)
    let breaks = false
    await using broken = await openBreakingSteps(address, () => breaks)
    const { steps, audit } = broken
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const step = { workId: work.id, line: 1, name: 'delete' }
    const attempt = await steps.record('one', step, auditEvent('begun'))
    if (!attempt) throw new Error('The step was not recorded.')
    breaks = true
    await expect(steps.recordOutcome({ ...attempt, begunAt: '1', state: 'ready' })).rejects.toThrow('broke')
    expect(await store.steps.list(work.id)).toMatchObject([{ state: 'begun' }])
    expect(await steps.list(work.id)).toMatchObject([{ state: 'ready' }])
    await using database = await openDatabase(address.url)
    await database.rows
      .transaction()
      .execute((transaction) => steps.auditUnknownOutcomes(transaction, [work.id]))
    expect(audit.appendMissing).not.toHaveBeenCalled()
    await database.rows
      .transaction()
      .execute((transaction) => store.steps.auditUnknownOutcomes(transaction, [work.id]))
    const rows = await store.audit.search({ workspaceId: 'T1', limit: 9 })
    expect(rows.map(({ outcome }) => outcome)).toEqual(['unknown'])
  })

  it('are called unknown once, and a late answer still counts', async () => {
    await using act = await startAct()
    const { store, steps, id, step } = act
    const attempt = await steps.record('one', step, auditEvent('begun'))
    if (!attempt) throw new Error('It was not begun.')
    // Two processes find out nothing about it.
    for (const body of ['first', 'second'])
      await steps.recordOutcome({ ...attempt, state: 'unknown', body }, auditEvent('unknown'))
    expect(await steps.list(id)).toMatchObject([{ state: 'unknown', body: 'first' }])
    await steps.recordOutcome({ ...attempt, state: 'done', body: 'late' }, auditEvent('done'))
    expect(await steps.list(id)).toMatchObject([{ state: 'done', body: 'late' }])
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 9 })
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'unknown', 'begun'])
  })

  it('are restarted by only one of several concurrent callers, and never after they ended', async () => {
    await using act = await startAct()
    const { steps, id, step } = act
    const first = await steps.record('one', { ...step, body: 'intent' })
    if (!first) throw new Error('The step was not recorded.')
    // Attempts that begin in the same millisecond count as the same attempt.
    await setTimeout(2)
    expect(await steps.record('two', { ...step, attempt: first })).toBeUndefined()
    const attempts = await Promise.all([1, 2].map(() => steps.record('one', { ...step, attempt: first })))
    const [second, ...others] = attempts.filter((attempt) => attempt !== undefined)
    if (!second) throw new Error('Neither attempt was recorded.')
    expect(others).toEqual([])
    expect(await steps.list(id)).toMatchObject([{ ...second, body: 'intent' }])
    expect(second.begunAt).not.toBe(first.begunAt)
    await steps.recordOutcome({ ...first, state: 'refused', body: 1 })
    expect(await steps.list(id)).toMatchObject([{ state: 'begun' }])
    await steps.recordOutcome({ ...second, state: 'done', body: 1 })
    expect(await steps.record('one', { ...step, attempt: second })).toBeUndefined()
  })

  it('that didn’t happen can be restarted or ended', async () => {
    await using act = await startAct()
    const { steps, id, step } = act
    const findStep = async () => (await steps.list(id))[0]
    const first = await steps.record('one', { ...step, body: 'intent' })
    if (!first) throw new Error('The step was not recorded.')
    await steps.recordOutcome({ ...first, begunBy: 'two', state: 'ready' })
    expect(await findStep()).toMatchObject({ state: 'begun' })
    await steps.recordOutcome({ ...first, state: 'ready' })
    expect(await findStep()).toMatchObject({ state: 'ready', body: 'intent' })
    await setTimeout(2)
    const second = await steps.record('one', { ...step, body: 'again', attempt: first })
    if (!second) throw new Error('The attempt was not recorded.')
    await steps.recordOutcome({ ...first, state: 'ready' })
    expect(await findStep()).toMatchObject({ state: 'begun', body: 'again' })
    await steps.recordOutcome({ ...second, state: 'ready' })
    await steps.recordOutcome({ ...second, state: 'refused', body: 1 }, auditEvent('failed'))
    await steps.recordOutcome({ ...second, state: 'ready' })
    expect(await findStep()).toMatchObject({ state: 'refused', body: 1 })
  })

  it('decide once: what one of them changed isn’t changed again', async () => {
    await using act = await startAct()
    const { store, steps, step } = act
    const count = { key: 'count', read: (stored: unknown) => Number(stored ?? 0) }
    const decide = () =>
      steps.decide('one', step, 'T1', async (decisions) => ({
        auditEvent: auditEvent('done'),
        outcome: await store.settings.decide(decisions, count, (current) => current + 1),
      }))
    expect(await decide()).toBe(1)
    await expect(decide()).rejects.toBeInstanceOf(LeaseLost)
    expect(await store.settings.get('T1', count)).toBe(1)
  })

  it('that aren’t numbered end only with the outcome of their last attempt, and aren’t listed with the others', async () => {
    await using act = await startAct()
    const { steps, id } = act
    const post = { workId: id, name: 'card', body: 1 }
    const lost = await steps.record('one', post)
    // It begins again only after this attempt.
    expect(await steps.record('one', post)).toBeUndefined()
    expect(await steps.record('two', { ...post, name: 'reply' })).toBeUndefined()
    const find = async () => (await steps.list(id, { isNumbered: false }))[0]
    const found = await find()
    expect(found).toMatchObject({ ...lost, state: 'begun', body: 1 })
    const again = await steps.record('one', { ...post, line: found?.line, attempt: found, body: 2 })
    if (!lost || !again) throw new Error('It was not begun.')
    // A late answer about the first attempt says nothing about the second.
    await steps.remove(lost)
    expect(await find()).toMatchObject({ ...again, body: 2 })
    expect(await steps.list(id)).toEqual([])
    expect((await steps.countByState(id)).begun).toBe(0)
    await steps.remove(again)
    expect(await find()).toBeUndefined()
  })

  it('can store a value only from the process that owns the act', async () => {
    await using act = await startAct()
    const value = { ...act.step, name: 'kept: check', state: 'done', body: [1, 'two'] } as const
    expect(await act.steps.record('two', value)).toBeUndefined()
    expect(await act.steps.record('one', value)).toBeDefined()
    expect(await act.steps.list(act.id)).toMatchObject([
      { name: 'kept: check', state: 'done', body: [1, 'two'] },
    ])
  })
})

describe.each(SHARED_DATABASES)('the steps of a job on $name', ({ start }) => {
  async function startJob() {
    await using disposables = new AsyncDisposableStack()
    const database = disposables.use(await start())
    const store = disposables.use(await openStore(database))
    const workId = await store.work.add({ workspaceId: 'T1', kind: 'job' }, 'waiting')
    const { steps } = store
    await steps.add(
      workId,
      [1, 2, 3].map((line) => ({ line, body: line })),
    )
    await store.work.claimDue('me', ['job'], 1)
    const begin = async (line: number) => {
      const attempt = await steps.record('me', { workId, line })
      if (!attempt) throw new Error('The step was not started.')
      return attempt
    }
    const resources = disposables.move()
    return {
      url: database.url,
      workId,
      store,
      steps,
      begin,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  }

  it('ignore the outcome of an older attempt, even from the same process', async () => {
    await using job = await startJob()
    const { workId, steps, begin } = job
    const first = await begin(1)
    await steps.recordOutcome({ ...first, state: 'ready' })
    // Attempts that begin in the same millisecond count as the same attempt.
    await setTimeout(2)
    const second = await begin(1)
    await steps.recordOutcome({ ...first, state: 'ready' })
    await steps.recordOutcome({ ...first, body: 'no', state: 'refused' })
    expect(await steps.countByState(workId)).toMatchObject({ begun: 1, ready: 2, refused: 0 })
    await steps.recordOutcome({ ...second, body: 'uuid', state: 'done' })
    expect(await steps.list(workId, { state: 'done' })).toMatchObject([{ line: 1, body: 'uuid' }])
    expect(await steps.list(workId, { afterLine: 1, limit: 1 })).toMatchObject([{ line: 2, body: 2 }])
  })

  it('keep their first outcome, and are settled unbegun only by the process that has the job', async () => {
    await using job = await startJob()
    const { workId, steps, begin } = job
    await steps.recordOutcome({ workId, line: 1, owner: 'me', body: 'uuid', state: 'skipped' })
    await steps.recordOutcome({ workId, line: 1, owner: 'me', body: 'no', state: 'refused' })
    const attempt = await begin(2)
    expect(await steps.record('me', { workId, line: 1 })).toBeUndefined()
    await steps.recordOutcome({ workId, line: 2, owner: 'me', body: 'not begun', state: 'refused' })
    await steps.recordOutcome({ workId, line: 3, owner: 'other', body: 'not theirs', state: 'done' })
    expect(await steps.countByState(workId)).toMatchObject({ ready: 1, begun: 1, skipped: 1, refused: 0 })
    // Who sent a request knows its outcome, whoever has the job.
    await steps.recordOutcome({ ...attempt, body: 'sent', state: 'done' })
    expect(await steps.countByState(workId)).toMatchObject({ ready: 1, begun: 0, done: 1, skipped: 1 })
  })

  it('aren’t audited when their work is deleted, because their bodies aren’t audit events', async () => {
    await using job = await startJob()
    const { url, workId, store, steps, begin } = job
    await begin(1)
    await using database = await openDatabase(url)
    const auditing = database.rows
      .transaction()
      .execute((transaction) => steps.auditUnknownOutcomes(transaction, [workId]))
    await expect(auditing).resolves.toBeUndefined()
    expect(await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })).toEqual([])
  })
})
