import type { Alert, AlertBody } from '../../../api/alerts.ts'
import type { HealthCheck } from '../../../api/health-checks.ts'
import type { Api } from '../../../api/service.ts'
import { bodyOf, sameAlerts } from '../changes/alert-lists.ts'
import type { Change, Edit, Patch } from '../changes/change.ts'
import { differing, FIELDS, fieldsOf, patched } from '../changes/change-fields.ts'
import { settleEach } from '../changes/settle-each.ts'
import { matchRows } from './match-rows.ts'
import type { BadCell, FileContent, Row } from './read-file.ts'

/** A change that a file asks for, and what it would change, in words. */
export interface PlannedChange {
  line: number
  change: Change
  says: string
}

export interface Plan {
  changes: PlannedChange[]
  /** How many checks of the file are as it says. */
  same: number
  bad: BadCell[]
  /** Why nothing is deleted, although it was asked for. */
  keptBecause?: string
}

/** Of so many checks the alerts and details are compared now; of more than that, when the plan is carried out. */
const MOST_LOOKED_AT = 5000

/** What it would take to make the service what the file says. Reads only. Throws ApiError. */
export async function planOf(
  api: Api,
  file: FileContent,
  options: { deletes: boolean },
  signal?: AbortSignal,
): Promise<Plan> {
  const { pairs, unmatched, bad } = await matchRows(api.healthChecks, file, signal)
  const plan: Plan = {
    changes: [],
    same: 0,
    bad: [...file.bad, ...bad].sort((left, right) => left.line - right.line),
  }
  const looksCloser = pairs.filter(({ check }) => check).length <= MOST_LOOKED_AT
  const tries = await settleEach(pairs, async ({ row, check }) => {
    if (!check) return creation(row)
    return (await changeOf(api, row, check, looksCloser, signal)) ?? 'same'
  })
  for (const tried of tries) {
    if ('error' in tried) throw tried.error
    if (tried.value === 'same') plan.same += 1
    else plan.changes.push(tried.value)
  }
  const rows = pairs.map(({ row }) => row)
  if (options.deletes) addDeletions(plan, rows, unmatched)
  return plan
}

const creation = ({ line, body, alerts = [] }: Row): PlannedChange => ({
  line,
  change: { do: 'create', body, alerts },
  says: `create ${body.name} (${body.protocol} ${body.target}, port ${body.port}${alerts.length > 0 ? `, ${mailed(alerts)}` : ''})`,
})

async function changeOf(
  api: Api,
  row: Row,
  listed: HealthCheck,
  looksCloser: boolean,
  signal: AbortSignal | undefined,
): Promise<PlannedChange | undefined> {
  const { uuid } = listed
  const wanted = patchOf(row)
  const given = listed.httpServerAddress
  const seen = fieldsOf(listed, given)
  // What the listing does not show may still be so: the details tell.
  const isUnsure = looksCloser && FIELDS.some((field) => seen[field] === undefined && wanted[field] != null)
  const [check, alerts] = await Promise.all([
    isUnsure ? api.healthChecks.get(uuid, signal) : listed,
    row.alerts && looksCloser ? api.alerts.list(uuid, signal) : undefined,
  ])
  // One that only the details show may have been resolved; where the file says the same, there is nothing to change.
  const isAsWanted = isUnsure && check.httpServerAddress === wanted.httpServerAddress
  const now = fieldsOf(check, given ?? (isAsWanted ? check.httpServerAddress : undefined))
  const next = nextOf(row, now)
  const changed = differing(now, next)
  const hasAlerts = row.alerts === undefined || (alerts !== undefined && sameAlerts(alerts, row.alerts))
  if (changed.length === 0 && hasAlerts) return undefined
  const mails = hasAlerts ? undefined : row.alerts
  // No more than is said here, and only of what is said here: what somebody changes meanwhile is theirs.
  const change: Edit = {
    do: 'edit',
    uuid,
    name: listed.name,
    patch: Object.fromEntries(changed.map((field) => [field, next[field] ?? null])),
    ...(mails && { alerts: { exactly: mails } }),
    expects: {
      fields: shownOf(now, changed),
      ...(mails && alerts && { alerts: alerts.map(bodyOf) }),
    },
    ...(given && { given }),
  }
  return {
    line: row.line,
    change,
    says: `change ${listed.name}: ${differences(changed, now, next, alerts, mails)}`,
  }
}

/** What is known of these fields. A server address that no listing shows was not given. */
const shownOf = (now: Patch, fields: readonly (typeof FIELDS)[number][]): Patch =>
  Object.fromEntries(
    fields
      .map((field) => [field, field === 'httpServerAddress' ? (now[field] ?? null) : now[field]])
      .filter(([, value]) => value !== undefined),
  )

const nextOf = (row: Row, now: Patch): Patch => (row.isAsItIs ? now : patched(now, patchOf(row)))

/** What the file says of a check; what it leaves out stays as it is. */
function patchOf({ body, states }: Row): Patch {
  const { httpServerAddress, verifySsl, ...rest } = body
  return {
    ...rest,
    ...(states.serverAddress && { httpServerAddress: httpServerAddress ?? null }),
    ...(states.verifySsl && verifySsl !== undefined && { verifySsl }),
  }
}

const LABELS: Readonly<Record<(typeof FIELDS)[number], string>> = {
  name: 'name',
  customerId: 'customer',
  protocol: 'protocol',
  target: 'target',
  port: 'port',
  frequency: 'frequency',
  httpServerAddress: 'server address',
  verifySsl: 'SSL verified',
}

function differences(
  changed: readonly (typeof FIELDS)[number][],
  now: Patch,
  next: Patch,
  alerts: readonly Alert[] | undefined,
  wanted: readonly AlertBody[] | undefined,
): string {
  const fields = changed.map((field) => `${LABELS[field]} ${now[field] ?? 'none'} → ${next[field] ?? 'none'}`)
  const mails = wanted ? [`alerts ${alerts ? mailed(alerts) : 'as they are'} → ${mailed(wanted)}`] : []
  return [...fields, ...mails].join(', ')
}

const NAMED = 3

function mailed(alerts: readonly Pick<AlertBody, 'recipients'>[]): string {
  const people = alerts.flatMap(({ recipients }) => recipients)
  if (people.length === 0) return 'nobody mailed'
  const more = people.length - NAMED
  return `mails ${people.slice(0, NAMED).join(' ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Only checks of the customers that the file is about, and nothing at all while a row of it cannot be used. */
function addDeletions(plan: Plan, rows: readonly Row[], unmatched: readonly HealthCheck[]): void {
  const customers = new Set(rows.map(({ body }) => body.customerId))
  const gone = unmatched.filter(({ customerId }) => customerId !== undefined && customers.has(customerId))
  if (gone.length === 0) return
  if (plan.bad.length > 0) {
    plan.keptBecause = `${gone.length} that the file does not hold are kept: some of its rows cannot be used, and may be about them.`
    return
  }
  const first = Math.max(0, ...rows.map(({ line }) => line)) + 1
  for (const [index, check] of gone.entries()) {
    const { uuid, name, httpServerAddress: given } = check
    const expects = { fields: fieldsOf(check, given) }
    plan.changes.push({
      line: first + index,
      change: { do: 'delete', uuid, name, expects, ...(given && { given }) },
      says: `delete ${name}`,
    })
  }
}
