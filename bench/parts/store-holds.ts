import type { AuditEvent } from '@signalman/durable'
import type { Store } from '../../src/app/store.ts'
import { LARGE, type Sizes, START, STEP_MS } from './long-tables.ts'

export type Actions = readonly (readonly [what: string, work: () => Promise<unknown> | unknown])[]

/** Queries of a long audit log. */
export function searches({ audit }: Store, sizes: Sizes): Actions {
  const search = (query: object) => () => audit.search({ workspaceId: LARGE, limit: 11, ...query })
  const middle = START + (sizes.auditRows / 2) * STEP_MS
  const old = { from: new Date(middle), to: new Date(middle + 86_400_000) }
  return [
    ['audit: newest rows', search({})],
    ['audit: last page', search({ before: 12 })],
    ['audit: of one person', search({ userId: 'U00000007' })],
    ['audit: of a verb that is rare', search({ verb: '/hc seldom' })],
    ['audit: of a verb that there is none of', search({ verb: '/hc never' })],
    ['audit: with an object that there is none of', search({ object: 'no such thing' })],
    ['audit: of one day, long ago', search(old)],
    ['audit: of nobody, on that day, with some object', search({ userId: 'U1', object: 'x', ...old })],
    ['audit: 200 rows at once, 32 workspaces', () => Promise.all(Array.from({ length: 200 }, append))],
    ['audit: every workspace', () => audit.workspaces()],
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

/** Queries of many orders and workspaces. */
export function lists(
  { orders, installations, organizations, settings, work }: Store,
  sizes: Sizes,
): Actions {
  const where = { workspaceId: LARGE, environment: 'production' } as const
  const page = (query: object) => () => orders.list({ ...where, limit: 10, ...query })
  const count = (query: object) => () => orders.count({ ...where, ...query })
  const keptDays = { key: 'audit.kept-days', read: Number }
  return [
    ['orders: newest', page({})],
    ['orders: the last page', page({ offset: sizes.orders * 0.9 })],
    ['orders: in one state', page({ states: ['awaiting'] })],
    ['orders: somebody’s', page({ requesterId: 'U00000007' })],
    ['orders: of a certificate', page({ certificateId: 'c3' })],
    ['orders: 100 of them', page({ states: ['placed'], limit: 100 })],
    ['orders: counted', count({})],
    ['orders: counted in one state', count({ states: ['placed'] })],
    ['orders: somebody’s in one state, counted', count({ requesterId: 'U00000007', states: ['placed'] })],
    [
      'work: looked for, and none is due',
      () => Array.fromAsync(work.claimDue('bench', ['act', 'order.due', 'import'], 4)),
    ],
    ['workspaces: every installation', () => installations.list()],
    ['workspaces: of an organization', () => organizations.workspacesOf('E3')],
    ['workspaces: that keep audit rows for a time', overdue],
  ]

  async function overdue(): Promise<number> {
    let found = 0
    for await (const page of settings.having(keptDays)) found += page.length
    return found
  }
}

/** Work that changes rows or takes minutes, so it runs once. */
export function once({ audit, forgetWorkspace, work, workSteps }: Store, sizes: Sizes): Actions {
  const steps = Array.from({ length: sizes.orders / 2 }, (_, index) => ({
    line: index + 2,
    body: { name: `shop ${index}`, customerId: index, protocol: 'HTTPS', target: 'shop.example.com' },
  }))
  const job = async (workspaceId: string): Promise<void> =>
    workSteps.add(await work.add({ workspaceId, kind: 'import', body: {} }, 'prepared'), steps)
  const tenth = new Date(START + (sizes.auditRows / 10) * STEP_MS)
  return [
    ['audit: the whole log, as an export reads it', exported],
    ['audit: the whole log verified', () => audit.verify(LARGE)],
    [
      'audit: a tenth of it removed',
      () => audit.removeOlderThan(LARGE, (Date.now() - tenth.getTime()) / 86_400_000, (at) => removal(at)),
    ],
    [`work: a job of ${steps.length} steps kept`, () => job('T0OTHER')],
    ['work: that job swept', () => work.sweep({ only: 'import' }, -1000)],
    [`work: ${sizes.orders / 2} acts swept`, () => work.sweep({ only: 'act' }, 1000)],
    ['work: another such job kept', () => job(LARGE)],
    ['workspaces: the one with all the orders and that job forgotten', () => forgetWorkspace(LARGE)],
  ]

  function removal(at: Date): AuditEvent {
    const actor = { userId: 'system' }
    return { workspaceId: LARGE, at, actor, verb: 'audit.retention', outcome: 'done', reference: 'bench' }
  }

  async function exported(): Promise<number> {
    let bytes = 0
    for await (const row of audit.read({ workspaceId: LARGE })) bytes += JSON.stringify(row).length
    return bytes
  }
}
