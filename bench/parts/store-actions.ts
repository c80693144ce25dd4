import type { Store } from '../../src/app/store.ts'
import { AUDIT_INTERVAL_MS, LARGE_WORKSPACE, LOG_START_MS, type Sizes } from './fill-tables.ts'

export type Actions = readonly (readonly [title: string, run: () => Promise<unknown> | unknown])[]

/** Queries of a large audit log. */
export function createSearchActions({ audit }: Store, sizes: Sizes): Actions {
  const search = (query: object) => () => audit.search({ workspaceId: LARGE_WORKSPACE, limit: 11, ...query })
  const middle = LOG_START_MS + (sizes.auditRows / 2) * AUDIT_INTERVAL_MS
  const dayInThePast = { from: new Date(middle), to: new Date(middle + 86_400_000) }
  return [
    ['audit: newest rows', search({})],
    ['audit: last page', search({ before: 12 })],
    ['audit: one person', search({ userId: 'U00000007' })],
    ['audit: a rare verb', search({ verb: '/hc seldom' })],
    ['audit: a verb without rows', search({ verb: '/hc never' })],
    ['audit: an object without rows', search({ object: 'no such thing' })],
    ['audit: one day, long ago', search(dayInThePast)],
    [
      'audit: a person and an object without rows, on that day',
      search({ userId: 'U1', object: 'x', ...dayInThePast }),
    ],
    ['audit: 200 concurrent rows, 32 workspaces', () => Promise.all(Array.from({ length: 200 }, append))],
    ['audit: all workspaces', () => audit.listWorkspaces()],
  ]

  function append(_: unknown, index: number): Promise<unknown> {
    return audit.append({
      workspaceId: `T${String(index % 32).padStart(8, '0')}`,
      at: new Date(),
      actor: { userId: 'U1' },
      verb: '/hc edit',
      outcome: 'done',
      reference: 'r',
    })
  }
}

/** Queries in a database with many orders and workspaces. */
export function createListActions(
  { orders, installations, organizations, settings, work }: Store,
  sizes: Sizes,
): Actions {
  const where = { workspaceId: LARGE_WORKSPACE, environment: 'production' } as const
  const page = (query: object) => () => orders.list({ ...where, limit: 10, ...query })
  const count = (query: object) => () => orders.count({ ...where, ...query })
  const keptDays = { key: 'audit.kept-days', read: Number }
  return [
    ['orders: newest', page({})],
    ['orders: the last page', page({ offset: sizes.orders * 0.9 })],
    ['orders: in one state', page({ states: ['awaiting'] })],
    ['orders: one requester', page({ requesterId: 'U00000007' })],
    ['orders: one certificate', page({ certificateId: 'c3' })],
    ['orders: a page of 100', page({ states: ['placed'], limit: 100 })],
    ['orders: count', count({})],
    ['orders: count in one state', count({ states: ['placed'] })],
    ['orders: count of one requester in one state', count({ requesterId: 'U00000007', states: ['placed'] })],
    ['work: claim, when none is due', () => work.claimDue('bench', ['act', 'order.due', 'import'], 4)],
    ['workspaces: all installations', () => installations.list()],
    ['workspaces: one organization', () => organizations.listWorkspaces('E3')],
    ['workspaces: with a retention period', countRetentionPeriods],
  ]

  async function countRetentionPeriods(): Promise<number> {
    let count = 0
    for await (const page of settings.listStored(keptDays)) count += page.length
    return count
  }
}

/** Actions that change rows or take minutes. They are measured only once. */
export function createOneTimeActions(
  { audit, forgetWorkspace, work, workSteps }: Store,
  sizes: Sizes,
): Actions {
  const steps = Array.from({ length: sizes.orders / 2 }, (_, index) => ({
    line: index + 2,
    body: { name: `shop ${index}`, customerId: index, protocol: 'HTTPS', target: 'shop.example.com' },
  }))
  const storeJob = async (workspaceId: string): Promise<void> =>
    workSteps.add(await work.add({ workspaceId, kind: 'import', body: {} }, 'prepared'), steps)
  const firstTenthEndsAt = new Date(LOG_START_MS + (sizes.auditRows / 10) * AUDIT_INTERVAL_MS)
  return [
    ['audit: export the whole log', exportAll],
    [
      'audit: remove a tenth of the log',
      () => audit.removeOlderThan(LARGE_WORKSPACE, (Date.now() - firstTenthEndsAt.getTime()) / 86_400_000),
    ],
    [`work: store a job of ${steps.length} steps`, () => storeJob('T0OTHER')],
    ['work: sweep that job', () => work.sweep({ kind: 'import' }, -1000)],
    [`work: sweep ${sizes.orders / 2} acts`, () => work.sweep({ kind: 'act' }, 1000)],
    ['work: store another such job', () => storeJob(LARGE_WORKSPACE)],
    ['workspaces: delete the one with all orders and that job', () => forgetWorkspace(LARGE_WORKSPACE)],
  ]

  async function exportAll(): Promise<number> {
    let bytes = 0
    for await (const row of audit.readAll({ workspaceId: LARGE_WORKSPACE }))
      bytes += JSON.stringify(row).length
    return bytes
  }
}
