import { setImmediate } from 'node:timers/promises'
import { newId } from '@signalman/runtime'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import type { Store } from '../../../src/app/store.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import type { OrderState } from '../../../src/features/cert-orders/rules/order-states.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { startStore } from '../../databases/store.ts'
import { changeCases, changeWatching } from '../../decide.ts'
import { addOrder } from '../../features/cert-orders/store-orders.ts'
import { ALL_CHECKS } from '../../features/watching/all-checks.ts'
import { addGrant } from '../../give-role.ts'
import { eitherOf } from '../../long.ts'
import { saveConnection } from '../../write-store.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const DAYS = { key: 'audit-days', read: Number }

/** The tables whose rows a deletion keeps. */
const KEPT = ['audit_entry', 'role_grant', 'setting']

const POST = { key: 'card', version: 1 }

async function storeOrder(store: Store, workspaceId: string, state: OrderState): Promise<void> {
  const answered = { id: '7', answer: 'Ann’s address' }
  const order = {
    workspaceId,
    environment: 'production' as const,
    state,
    requesterId: 'U1',
    bodyHash: 'h',
    keyHash: newId(),
    content: {
      request: { action: 'create', csr: 'the CSR', contacts: [{ id: 'Ann’s id' }] },
      remindAt: NOW.toISOString(),
      ...(state === 'received' && { outcome: { kind: 'received', answered } }),
    },
    createdAt: NOW,
  }
  await addOrder(store, order, { kind: 'request', at: NOW, userId: 'U1' })
}

async function fillWorkspace(store: Store, workspaceId: string): Promise<void> {
  const shared = { workspaceId, userId: 'U1', now: NOW }
  await store.installations.save({
    id: workspaceId,
    botToken: `xoxb-${workspaceId}`,
    installedBy: 'U1',
  })
  await saveConnection(store, { ...shared, environment: 'production', token: 'one' })
  await saveConnection(store, { ...shared, environment: 'ote', token: 'two' })
  await addGrant(store, workspaceId, 'admin', EVERYONE, 'U1', NOW)
  await store.settings.set(workspaceId, DAYS, 7)
  const auditEvent = { actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  await store.audit.append({ ...auditEvent, workspaceId, at: NOW })
  for (const state of ['awaiting', 'submitting', 'received'] as const)
    await storeOrder(store, workspaceId, state)
  await changeWatching(store, workspaceId, ({ watches }) =>
    watches.add({
      id: newId(),
      workspaceId,
      channelId: 'C1',
      environment: 'production',
      filter: ALL_CHECKS,
      afterBadPolls: 1,
      ownerId: 'U1',
    }),
  )
  const event = { workspaceId, environment: 'production' as const, eventId: 'e' }
  await changeCases(store, workspaceId, ({ step }) =>
    step({
      ...event,
      kind: 'take',
      by: { userId: 'U1', name: 'Ann' },
      now: NOW,
      newCase: {
        event: { verdict: '', lines: ['event'], notes: [], readAt: '', reportedAt: undefined },
        severity: 1,
        domainKey: '',
      },
      card: { channelId: 'C1' },
    }),
  )
  const job = await store.work.add({ workspaceId, kind: 'k', body: 'job' }, 'waiting')
  await store.steps.add(job, [{ line: 2, body: 'step' }])
  const { work } = await store.work.begin({ workspaceId, kind: 'k', key: 'post' }, 'me')
  await store.steps.record('me', { workId: work.id, name: POST.key, body: 1 })
  await store.ephemeralState.save({ workspaceId, body: 'state', now: NOW, ttlMs: 1 })
}

async function countRows({ rows }: Database, workspaceId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, columns } of await rows.introspection.getTables()) {
    if (columns.every((column) => column.name !== 'workspace_id')) continue
    // The table's name is only known at run time.
    const found = rows
      .selectFrom(name as 'connection')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
    counts[name] = (await found.execute()).length
  }
  return counts
}

describe.each(eitherOf(SHARED_DATABASES))('forgetting a workspace on $name', ({ start }) => {
  it('deletes a workspace, and no other, except for its audit log, roles, and settings', async () => {
    await using store = await startStore(start)
    await using raw = await openDatabase(store.url)
    await fillWorkspace(store, 'T1')
    await fillWorkspace(store, 'T2')
    const before = await countRows(raw, 'T1')
    const { installation, ...deleted } = (await store.forgetWorkspace('T1')) ?? {}
    expect(installation).toBe(1)
    // What goes with a row of another table isn't counted.
    expect(before).toMatchObject(deleted)
    expect(deleted).toMatchObject({ connection: 2, watch: 1, threat_case: 1, cert_order: 3 })
    expect(await store.forgetWorkspace('T1')).toEqual({ installation: 0, connection: 0 })
    expect(await countRows(raw, 'T2')).toEqual(before)
    const remaining = Object.entries(await countRows(raw, 'T1')).filter(([, count]) => count > 0)
    expect(remaining.map(([table]) => table).toSorted()).toEqual(KEPT)
    for (const [table, count] of remaining) expect(count, table).toBeGreaterThanOrEqual(before[table] ?? 0)
    expect((await store.connections.find('T2', 'ote'))?.token).toBe('two')

    await store.forgetWorkspace('T2')
    const sealed: string[] = []
    for (const { name, columns } of await raw.rows.introspection.getTables())
      for (const column of columns.filter((each) => each.name.startsWith('sealed_'))) {
        const { rows } = await sql`
          select 1 from ${sql.table(name)} where ${sql.ref(column.name)} is not null`.execute(raw.rows)
        if (rows.length > 0) sealed.push(`${name}.${column.name}`)
      }
    expect(sealed).toEqual([])
  })

  it('deletes many orders, while another workspace adds orders', async () => {
    await using store = await startStore(start)
    for (let i = 0; i < 45; i++) await storeOrder(store, 'T1', i % 2 === 0 ? 'awaiting' : 'received')
    let rounds = 0
    const deletions = Promise.all([store.forgetWorkspace('T1'), store.forgetWorkspace('T1')])
    let isOver = false
    void deletions.finally(() => {
      isOver = true
    })
    while (!isOver) {
      await storeOrder(store, 'T2', 'awaiting')
      await setImmediate()
      rounds += 1
    }
    await deletions
    expect(await store.orders.list({ workspaceId: 'T1', environment: 'production', limit: 50 })).toEqual([])
    expect(
      await store.orders.count({ workspaceId: 'T2', environment: 'production', states: ['awaiting'] }),
    ).toBe(rounds)
  })

  it('still records the outcome of running work in the audit log', async () => {
    await using store = await startStore(start)
    const act = await store.work.add({ workspaceId: 'T1', kind: 'act', personId: 'U1' }, 'waiting')
    const job = await store.work.add({ workspaceId: 'T1', kind: 'job', personId: 'U1' }, 'waiting')
    await store.steps.add(job, [
      { line: 1, body: 1 },
      { line: 2, body: 2 },
    ])
    await using raw = await openDatabase(store.url)
    await raw.rows.updateTable('work').set({ state: 'running', owner: 'one' }).execute()
    const event = (object: string, outcome: 'begun' | 'done') =>
      ({
        workspaceId: 'T1',
        at: NOW,
        actor: { userId: 'U1' },
        verb: 'v',
        object,
        outcome,
        reference: 'r',
      }) as const
    const attempt = await store.steps.record(
      'one',
      { workId: act, line: 1, name: 'n' },
      event('act', 'begun'),
    )
    if (!attempt) throw new Error('The act was not begun.')
    const begun = await store.steps.record('one', { workId: job, line: 1 })
    if (!begun) throw new Error('The job was not begun.')
    await store.forgetWorkspace('T1')
    // The service answers after the deletion. A caller that doesn't know whether a row was written writes it a second time.
    for (let times = 0; times < 2; times += 1) {
      await store.steps.recordOutcome({ ...attempt, state: 'done', body: 1 }, event('act', 'done'))
      await store.steps.recordOutcome({ ...begun, state: 'done', body: 1 }, event('job', 'done'))
    }
    const rows = await store.audit.search({ workspaceId: 'T1', limit: 9, withIntents: true })
    expect(rows.map(({ object, outcome }) => `${object} ${outcome}`)).toEqual([
      'job done',
      'act done',
      'act unknown',
      'act begun',
    ])
  })

  it('doesn’t start a removal a second time while it may still be running, and finishes it later', async () => {
    await using store = await startStore(start)
    await fillWorkspace(store, 'T1')
    await using raw = await openDatabase(store.url)
    // The removal begins, and then the database fails.
    await raw.rows.schema.alterTable('threat_case').renameTo('threat_case_elsewhere').execute()
    await expect(store.forgetWorkspace('T1')).rejects.toThrow()
    await raw.rows.schema.alterTable('threat_case_elsewhere').renameTo('threat_case').execute()
    const removals = () => store.work.listOpen('', ['removal'])
    expect(await removals()).toMatchObject([{ key: 'T1', state: 'waiting' }])
    expect(await store.work.claimDue('me', ['removal'], 9)).toEqual([])
    await store.finishRemoval('T1')
    expect(await store.watching.watches.list('T1')).toEqual([])
    expect(await removals()).toEqual([])
  })
})
