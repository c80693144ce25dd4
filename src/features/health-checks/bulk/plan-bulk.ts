import { createHash } from 'node:crypto'
import type { Alert } from '../../../api/alerts.ts'
import type { HealthCheck } from '../../../api/health-checks.ts'
import type { Api } from '../../../api/service.ts'
import { grouped } from '../../../domain/wording.ts'
import { UserError } from '../../../errors.ts'
import { desiredAlerts, sameAlerts } from '../changes/alert-lists.ts'
import type { AlertWish, Change } from '../changes/change.ts'
import { bodyFrom, differing, fieldsOf, patched } from '../changes/change-fields.ts'
import { settleEach } from '../changes/settle-each.ts'
import { type BulkRequest, saysWhich } from './parse.ts'

/** One change, and what it would change, in words. */
export interface PlannedBulk {
  line: number
  change: Change
  says: string
}

export interface BulkPlan {
  changes: PlannedBulk[]
  /** How many are meant. */
  meant: number
  /** How many of them are so already. */
  same: number
  /** Those that cannot be changed, with the reason. */
  not: { name: string; says: string }[]
  /** The same for the same changes of the same checks: what is carried out is what was seen. */
  digest: string
}

export const MOST = 50_000
/** Recipients of more checks than this cannot be read while somebody waits. */
const MOST_READ = 10_000
const READ_AT_ONCE = 16

/** What it would take to do this. Reads only. Throws UserError where nothing is meant, and ApiError. */
export async function planBulk(api: Api, request: BulkRequest, signal?: AbortSignal): Promise<BulkPlan> {
  if (!saysWhich(request))
    throw new UserError(
      'Which health checks? Give a name (a * stands for anything), or --status, --protocol, --target or --customer.',
    )
  const meant = await checksMeant(api, request, signal)
  const plan: BulkPlan = { changes: [], meant: meant.length, same: 0, not: [], digest: '' }
  const alerts =
    request.what === 'recipients' || request.what === 'clone' ? await alertsOf(api, meant, signal) : undefined
  const names = new Set(meant.map(({ name, customerId }) => `${customerId} ${name.toLowerCase()}`))
  for (const [index, check] of meant.entries()) {
    const planned = plannedFor(request, check, alerts?.get(check.uuid) ?? [], names)
    if ('not' in planned) plan.not.push({ name: check.name, says: planned.not })
    else if ('same' in planned) plan.same += 1
    else if ('change' in planned) plan.changes.push({ line: index + 1, ...planned })
    else plan.meant -= 1
  }
  return { ...plan, digest: digestOf(plan.changes) }
}

async function checksMeant(
  { healthChecks }: Api,
  { filters, names }: BulkRequest,
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const found = new Map<string, HealthCheck>()
  const queries = names.length > 0 ? names.map((name) => ({ ...filters, name })) : [filters]
  for (const query of queries)
    for await (const page of healthChecks.listAll(query, { signal })) {
      for (const check of page.results) found.set(check.uuid, check)
      if (found.size > MOST)
        throw new UserError(
          `More than ${grouped(MOST)} health checks match, which is the most that is changed at once. Narrow it down.`,
        )
    }
  return [...found.values()]
}

async function alertsOf(
  { alerts }: Api,
  checks: readonly HealthCheck[],
  signal?: AbortSignal,
): Promise<Map<string, readonly Alert[]>> {
  if (checks.length > MOST_READ)
    throw new UserError(
      `The recipients of ${grouped(checks.length)} health checks are too many to be read at once; ${grouped(MOST_READ)} are the most. Narrow it down by name or customer.`,
    )
  const tries = await settleEach(
    checks,
    async ({ uuid }) => [uuid, await alerts.list(uuid, signal)] as const,
    READ_AT_ONCE,
  )
  return new Map(
    tries.map((tried) => {
      if ('error' in tried) throw tried.error
      return tried.value
    }),
  )
}

type Planned = { change: Change; says: string } | { same: true } | { not: string } | { other: true }

function plannedFor(
  request: BulkRequest,
  check: HealthCheck,
  alerts: readonly Alert[],
  names: ReadonlySet<string>,
): Planned {
  switch (request.what) {
    case 'edit':
      return edited(request, check)
    case 'delete': {
      const { uuid, name, httpServerAddress: given } = check
      return { change: { do: 'delete', uuid, name, ...(given && { given }) }, says: name }
    }
    case 'clone':
      return copied(request, check, alerts, names)
    case 'recipients':
      return mailing(request, check, alerts)
  }
}

function edited({ patch }: BulkRequest, check: HealthCheck): Planned {
  const { uuid, name, httpServerAddress: given } = check
  const now = fieldsOf(check, given)
  const next = patched(now, patch)
  const changed = differing(now, next)
  if (changed.length === 0) return { same: true }
  const says = changed.map((field) => `${now[field] ?? 'none'} → ${next[field] ?? 'none'}`).join(', ')
  return { change: { do: 'edit', uuid, name, patch, ...(given && { given }) }, says: `${name}: ${says}` }
}

function copied(
  { patch, suffix }: BulkRequest,
  check: HealthCheck,
  alerts: readonly Alert[],
  names: ReadonlySet<string>,
): Planned {
  const name = `${check.name}${suffix}`
  const body = bodyFrom(patched(fieldsOf(check, check.httpServerAddress), { ...patch, name }))
  if (!body) return { not: 'The service does not say all of it.' }
  if (names.has(`${body.customerId} ${name.toLowerCase()}`))
    return { not: 'There is one of the copy’s name already.' }
  if (alerts.some(({ unreadable }) => unreadable)) return { not: 'Some of its alerts cannot be read whole.' }
  const bodies = alerts.map(({ type, recipients }) => ({ type: type || 'EMAIL', recipients }))
  return { change: { do: 'create', body, alerts: bodies }, says: `${check.name} → ${name}` }
}

function mailing(request: BulkRequest, check: HealthCheck, alerts: readonly Alert[]): Planned {
  const { uuid, name, httpServerAddress: given } = check
  const { add, remove, onlyWhere } = request
  const mails = (address: string): boolean =>
    alerts.some(({ recipients }) => recipients.some((one) => one.toLowerCase() === address.toLowerCase()))
  if (onlyWhere !== undefined && !mails(onlyWhere)) return { other: true }
  const wish: AlertWish = { add, remove, ...(onlyWhere && { onlyWhere }) }
  const next = desiredAlerts(alerts, wish)
  if (!next) return { not: 'Some of its alerts cannot be read whole, and would be lost.' }
  if (sameAlerts(alerts, next)) return { same: true }
  const count = (all: readonly { recipients: readonly string[] }[]) =>
    all.flatMap(({ recipients }) => recipients).length
  return {
    change: { do: 'edit', uuid, name, patch: {}, alerts: wish, ...(given && { given }) },
    says: `${name}: ${count(alerts)} → ${count(next)} recipients`,
  }
}

function digestOf(changes: readonly PlannedBulk[]): string {
  const shown = changes.map(({ change, says }) => JSON.stringify([change, says])).sort()
  return createHash('sha256').update(shown.join('\n')).digest('base64url').slice(0, 16)
}
