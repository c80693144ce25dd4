import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'

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
  it('are each recorded once, with audit rows for the intent and the outcome', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const identity = { workId: work.id, line: 1, name: '/hc delete health-check 1' }
    expect(await store.recordedSteps.begin('two', identity, auditEvent('begun'))).toBeUndefined()
    const attempt = await store.recordedSteps.begin('one', identity, auditEvent('begun'))
    if (!attempt) throw new Error('The step was not recorded.')
    expect(await store.recordedSteps.list(work.id)).toMatchObject([
      { name: identity.name, state: 'begun', result: undefined },
    ])
    const result = { uuid: 'u', createdAt: new Date(5), none: undefined }
    const settled = { ...attempt, state: 'done' as const, result }
    await store.recordedSteps.settle({ ...settled, begunBy: 'two' }, auditEvent('failed'))
    const earlierAttempt = { ...settled, begunAt: '2026-01-01T00:00:00.000Z' }
    await store.recordedSteps.settle(earlierAttempt, auditEvent('failed'))
    await store.recordedSteps.settle(settled, auditEvent('done'))
    await store.recordedSteps.settle({ ...settled, state: 'refused', result: 0 }, auditEvent('failed'))
    expect(await store.recordedSteps.list(work.id)).toMatchObject([{ state: 'done', result }])
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'begun'])
  })

  it('are restarted by only one of several concurrent callers, and never after they ended', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { recordedSteps: steps } = store
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const first = await steps.begin('one', { workId: work.id, line: 1, name: 'delete' })
    if (!first) throw new Error('The step was not recorded.')
    // Attempts that begin in the same millisecond count as the same attempt.
    await setTimeout(2)
    expect(await steps.beginAgain('two', first)).toBeUndefined()
    const attempts = await Promise.all([1, 2].map(() => steps.beginAgain('one', first)))
    const [second, ...others] = attempts.filter((attempt) => attempt !== undefined)
    if (!second) throw new Error('Neither attempt was recorded.')
    expect(others).toEqual([])
    expect(await steps.list(work.id)).toMatchObject([second])
    expect(second.begunAt).not.toBe(first.begunAt)
    await steps.settle({ ...first, state: 'refused', result: 1 })
    expect(await steps.list(work.id)).toMatchObject([{ state: 'begun' }])
    await steps.settle({ ...second, state: 'done', result: 1 })
    expect(await steps.beginAgain('one', second)).toBeUndefined()
  })

  it('can be marked as undone only by their owner, which can then restart or end them', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { recordedSteps: steps } = store
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const findStep = async () => (await steps.list(work.id))[0]
    const identity = { workId: work.id, line: 1, name: 'delete' }
    const first = await steps.begin('one', identity, auditEvent('begun'))
    if (!first) throw new Error('The step was not recorded.')
    await steps.markUndone({ ...first, begunBy: 'two' })
    expect(await findStep()).not.toHaveProperty('isUndone')
    await steps.markUndone(first)
    expect(await findStep()).toMatchObject({ state: 'begun', isUndone: true, intent: { outcome: 'begun' } })
    const second = await steps.beginAgain('one', first)
    if (!second) throw new Error('The attempt was not recorded.')
    expect(await findStep()).not.toHaveProperty('isUndone')
    await steps.markUndone(second)
    await steps.settle({ ...second, state: 'refused', result: 1 }, auditEvent('failed'))
    expect(await findStep()).toMatchObject({ state: 'refused', result: 1 })
    await steps.markUndone(second)
    expect(await findStep()).toMatchObject({ state: 'refused', result: 1 })
  })

  it('can store a value only from the process that owns the act', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const storedValue = { workId: work.id, line: 1, name: 'kept: check', result: [1, 'two'] }
    expect(await store.recordedSteps.storeValue('two', storedValue)).toBe(false)
    expect(await store.recordedSteps.storeValue('one', storedValue)).toBe(true)
    expect(await store.recordedSteps.list(work.id)).toMatchObject([
      { name: 'kept: check', state: 'done', result: [1, 'two'] },
    ])
  })
})
