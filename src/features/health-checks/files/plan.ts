import { yieldWhenDue } from '@signalman/runtime'
import type { ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import {
  createRowAddressReader,
  findAnswered,
  LISTING_OUTDATED,
  ListingOutdated,
  listAlertsUnlessGone,
  mayDetailsSettle,
  readCheck,
  toCurrentCheck,
} from '../jobs/read-check.ts'
import type { ReadContext } from '../jobs/read-for-edit.ts'
import { mapConcurrently } from '../jobs/settle-each.ts'
import type { AddressSource, KnownAddresses } from '../rows/known-addresses.ts'
import type { UnknownAddress } from '../rules/bulk-plan.ts'
import type { Address, CurrentCheck, Desired } from '../rules/change.ts'
import { applyPatch } from '../rules/compare.ts'
import type { BadCell, FileContent, FilePlan, PlannedStep, Row } from '../rules/file.ts'
import { createPlanner, type LeftOut } from '../rules/plan.ts'
import { describeEdit, describeNewCheck, describeRecipients } from '../views/words.ts'
import { matchRows, reportDeletedCheck } from './match-rows.ts'

const CONCURRENT_READS = 16

/** Plans the changes that make the service match the file, without making any. Throws ApiError. */
export async function planFile(
  { knownAddresses }: { knownAddresses: KnownAddresses },
  context: ReadContext & Pick<ServiceAccess, 'api'>,
  file: FileContent,
): Promise<FilePlan> {
  const api = await context.api()
  const { pairs, all, bad } = await matchRows(api, file)
  const addresses = knownAddresses.in(context)
  const readRowAddress = await createRowAddressReader(addresses, all)
  const answered = await findAnswered(addresses, all)
  const faults: BadCell[] = [...file.bad, ...bad]
  const planner = createPlanner(new Set())
  const steps: PlannedStep[] = []
  const add = (desired: Desired, current?: CurrentCheck): void => {
    const step = planner.add(desired, current)
    const isAnswered = current !== undefined && answered.has(current.uuid.toLowerCase())
    if (step) steps.push({ step, summary: describeStep(step, current, isAnswered) })
  }
  const readContext = { api, addresses, readRowAddress }
  const currentChecks = await mapConcurrently(
    pairs,
    ({ row, check }) => readRowCheck(readContext, row, check),
    CONCURRENT_READS,
  )
  for (const [index, { row, check }] of pairs.entries()) {
    await yieldWhenDue()
    const planned = toDesired(row, check, currentChecks[index], file.hasAllColumns)
    if ('reason' in planned) faults.push(planned)
    else add(planned.desired, planned.current)
  }
  const { unchangedCount, leftOut, droppedRecipients } = planner.result()
  for (const { line, reason, needsAddress } of leftOut)
    faults.push({ line, column: needsAddress ? 'http_server_address' : 'row', reason })
  faults.sort((left, right) => left.line - right.line)
  return {
    steps,
    unchangedCount,
    bad: faults,
    droppedRecipients,
    unknownAddresses: findUnknown(leftOut, pairs, currentChecks),
    unused: file.unused,
  }
}

/** The left out checks whose server address a person has to settle. */
function findUnknown(
  leftOut: readonly LeftOut[],
  pairs: readonly { row: Row }[],
  currentChecks: readonly (CurrentCheck | 'outdated' | undefined)[],
): UnknownAddress[] {
  const currentByLine = new Map(pairs.map(({ row }, index) => [row.line, currentChecks[index]]))
  return leftOut.flatMap(({ line, needsAddress }) => {
    const current = needsAddress && currentByLine.get(line)
    return current && current !== 'outdated' ? [{ uuid: current.uuid, modifiedAt: current.modifiedAt }] : []
  })
}

interface RowReading {
  readonly api: Api
  readonly addresses: AddressSource
  readonly readRowAddress: (row: HealthCheck) => Address
}

function toDesired(
  row: Row,
  check: HealthCheck | undefined,
  current: CurrentCheck | 'outdated' | undefined,
  hasAllColumns: boolean,
): { desired: Desired; current?: CurrentCheck | undefined } | BadCell {
  if (!check) return { desired: toCreation(row) }
  if (current === 'outdated') return { line: row.line, column: 'row', reason: LISTING_OUTDATED }
  // The row has the UUID of a deleted check, and was matched to an identical one. It may only confirm that check's values.
  const isOther = row.uuid !== undefined && row.uuid !== check.uuid.toLowerCase()
  if (isOther && (row.isDeletion || changesCheck(row, current))) return reportDeletedCheck(row)
  if (row.isDeletion) return { desired: { line: row.line, is: 'gone', uuid: check.uuid }, current }
  return { desired: toChange(row, check, hasAllColumns), current }
}

const toCreation = ({ line, patch, alerts = [] }: Row): Desired => ({
  line,
  is: 'new',
  to: { fields: applyPatch({ address: { is: 'none' } }, patch), alerts },
})

/** A file with all required columns replaces a check's recipients. A file with only some of them adds recipients. */
function toChange(
  { line, patch, alerts, changesOnlyAlerts }: Row,
  { uuid }: HealthCheck,
  hasAllColumns: boolean,
): Desired {
  const change =
    alerts &&
    (hasAllColumns
      ? { exactly: alerts }
      : { add: alerts.flatMap(({ recipients }) => recipients), remove: [] })
  return { line, is: 'changed', uuid, set: changesOnlyAlerts ? {} : patch, alerts: change }
}

/** Whether the row would change the check that it was matched to. */
function changesCheck(row: Row, current: CurrentCheck | undefined): boolean {
  const planner = createPlanner(new Set())
  if (!current) return true
  planner.add(
    {
      line: 0,
      is: 'changed',
      uuid: current.uuid,
      set: row.changesOnlyAlerts ? {} : row.patch,
      alerts: row.alerts && { exactly: row.alerts },
    },
    current,
  )
  return planner.result().unchangedCount === 0
}

function describeStep(
  step: PlannedStep['step'],
  current: CurrentCheck | undefined,
  isAnswered: boolean,
): string {
  if (step.do === 'delete') return `delete ${step.name}`
  if (step.do === 'edit')
    return `change ${step.name}: ${current ? describeEdit(step, current, { isAnswered }).summary : ''}`
  const { fields, alerts } = step.to
  return `create ${step.name} (${describeNewCheck(fields)}${alerts.length > 0 ? `, ${describeRecipients(alerts)}` : ''})`
}

/** Reads the current state of a row's check; undefined if it was deleted. */
async function readRowCheck(
  { api, addresses, readRowAddress }: RowReading,
  { patch, alerts, changesOnlyAlerts, isDeletion }: Row,
  check: HealthCheck | undefined,
): Promise<CurrentCheck | 'outdated' | undefined> {
  if (!check) return undefined
  const withAlerts = alerts !== undefined || isDeletion === true
  const lacksVerify = patch.verifySsl !== undefined && check.verifySsl === undefined
  const options = { addresses, withAlerts }
  const mayAsk = !changesOnlyAlerts && !isDeletion && mayDetailsSettle(check, readRowAddress(check))
  if (!lacksVerify && !mayAsk) {
    const alertsNow = withAlerts ? await listAlertsUnlessGone(api, check.uuid) : []
    return alertsNow && toCurrentCheck(check, readRowAddress(check), alertsNow)
  }
  try {
    return (await readCheck(api, check.uuid, { ...options, row: check }))?.current
  } catch (error) {
    if (error instanceof ListingOutdated) return 'outdated'
    throw error
  }
}
