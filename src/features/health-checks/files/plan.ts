import { counted } from '../../../domain/wording.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { mailed } from '../changes/alert-lists.ts'
import type { Change, Patch } from '../changes/change.ts'
import { differencesOf, editOf } from '../changes/differences.ts'
import { alertsUnlessGone, asListed, editableOf, undefinedIfGone } from '../changes/editable.ts'
import { eachOf } from '../changes/settle-each.ts'
import { FIELDS } from '../forms/read-fields.ts'
import type { UnusedColumns } from './columns.ts'
import { goneCheck, matchRows } from './match-rows.ts'
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
  unused: UnusedColumns
  /** Why nothing is deleted, although it was asked for. */
  keptBecause?: string
}

const READ_AT_ONCE = 16

/** What it would take to make the service what the file says. Reads only. Throws ApiError. */
export async function planOf(
  api: Api,
  file: FileContent,
  options: { deletes: boolean },
  signal?: AbortSignal,
): Promise<Plan> {
  const { pairs, unmatched, bad } = await matchRows(api.healthChecks, file, signal)
  const plan: Plan = { changes: [], same: 0, bad: [...file.bad, ...bad], unused: file.unused }
  const found = await eachOf(
    pairs,
    async ({ row, check }) => (check ? await changeOf(api, row, check, signal) : creation(row)),
    READ_AT_ONCE,
  )
  for (const one of found) {
    if (!one) plan.same += 1
    else if ('change' in one) plan.changes.push(one)
    else plan.bad.push(one)
  }
  plan.bad.sort((left, right) => left.line - right.line)
  const rows = pairs.map(({ row }) => row)
  if (options.deletes) addDeletions(plan, rows, unmatched)
  return plan
}

const creation = ({ line, body, alerts = [] }: Row): PlannedChange => ({
  line,
  change: { do: 'create', body, alerts },
  says: `create ${body.name} (${body.protocol} ${body.target}, port ${body.port}${alerts.length > 0 ? `, ${mailed(alerts)}` : ''})`,
})

/** Undefined where the check is as its row says. What it says of recipients is compared with those of just now. */
async function changeOf(
  api: Api,
  row: Row,
  listed: HealthCheck,
  signal: AbortSignal | undefined,
): Promise<PlannedChange | BadCell | undefined> {
  const { uuid, name } = listed
  const wanted = row.isAsItIs ? {} : patchOf(row)
  const [shown, alerts] = await Promise.all([
    readAsWanted(api, listed, wanted, signal).catch(undefinedIfGone),
    row.alerts && alertsUnlessGone(api, uuid, signal),
  ])
  if (!shown || (row.alerts && !alerts)) return { line: row.line, column: 'row', says: DELETED }
  const now = { fields: shown.fields, alerts }
  const mails = row.alerts && { exactly: row.alerts }
  const differences = differencesOf({ now, wanted: { fields: wanted, alerts: mails } })
  if (differences.isNone) return undefined
  if (row.uuid && row.uuid !== uuid.toLowerCase()) return goneCheck(row)
  if (differences.fault) return { line: row.line, column: 'row', says: differences.fault }
  const change = editOf({ uuid, name, given: listed.httpServerAddress }, now, differences)
  return { line: row.line, change, says: `change ${name}: ${differences.says}` }
}

const DELETED = 'This health check was deleted just now.'

/** What the listing does not show may still be so: the details tell. */
async function readAsWanted(
  { healthChecks }: Api,
  listed: HealthCheck,
  wanted: Patch,
  signal: AbortSignal | undefined,
) {
  const { fields } = asListed(listed)
  if (FIELDS.every((field) => fields[field] !== undefined || wanted[field] == null)) return asListed(listed)
  const shown = await healthChecks.get(listed.uuid, signal)
  const address = shown.httpServerAddress
  // One that only the details show may have been resolved; where the file says the same, there is nothing to change.
  const isAsWanted = address === wanted.httpServerAddress
  return editableOf(shown, listed.httpServerAddress ?? (isAsWanted ? address : undefined))
}

/** What the file says of a check; what it leaves out stays as it is. */
function patchOf({ body, states }: Row): Patch {
  const { httpServerAddress, verifySsl, ...rest } = body
  return {
    ...rest,
    ...(states.serverAddress && { httpServerAddress: httpServerAddress ?? null }),
    ...(states.verifySsl && verifySsl !== undefined && { verifySsl }),
  }
}

/** Only checks of the customers that the file is about, and nothing at all while a row of it cannot be used. */
function addDeletions(plan: Plan, rows: readonly Row[], unmatched: readonly HealthCheck[]): void {
  const customers = new Set(rows.map(({ body }) => body.customerId))
  const gone = unmatched.filter(({ customerId }) => customerId !== undefined && customers.has(customerId))
  if (gone.length === 0) return
  if (plan.bad.length > 0) {
    const [are, they] = gone.length === 1 ? ['is', 'it'] : ['are', 'them']
    plan.keptBecause = `Nothing is deleted: ${counted(gone.length, 'health check')} ${are} not in the file, but the rows that cannot be used may be about ${they}.`
    return
  }
  const first = Math.max(0, ...rows.map(({ line }) => line)) + 1
  for (const [index, check] of gone.entries()) {
    const { uuid, name, httpServerAddress: given } = check
    const expects = { fields: asListed(check).fields }
    plan.changes.push({
      line: first + index,
      change: { do: 'delete', uuid, name, expects, ...(given && { given }) },
      says: `delete ${name}`,
    })
  }
}
