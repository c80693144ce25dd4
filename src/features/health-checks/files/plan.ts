import { yieldWhenDue } from '@signalman/runtime'
import { counted } from '../../../domain/wording.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import {
  alertsUnlessGone,
  LISTING_OUTDATED,
  ListingOutdated,
  readCheck,
  toCurrentCheck,
} from '../jobs/read-check.ts'
import { mapConcurrently } from '../jobs/settle-each.ts'
import type { AddressListings } from '../rows/address-listings.ts'
import type { CurrentCheck, Desired, UnknownAnswer } from '../rules/change.ts'
import { withPatch } from '../rules/compare.ts'
import type { BadCell, FileContent, FilePlan, PlannedStep, Row } from '../rules/file.ts'
import { startPlan } from '../rules/plan.ts'
import { type AddressListing, readAddress } from '../rules/server-address.ts'
import { editWords, fieldsWords, mailWords } from '../views/words.ts'
import { checkDeleted, matchRows } from './match-rows.ts'

const READ_AT_ONCE = 16

interface Where {
  readonly workspaceId: string
  readonly now: Date
  api(): Promise<Api>
}

interface Options {
  readonly deletes: boolean
  readonly unknown?: UnknownAnswer | undefined
  readonly signal?: AbortSignal | undefined
}

/** The changes that make the service match the file. Reads only. Throws ApiError. */
export async function planFile(
  { listings }: { listings: AddressListings },
  where: Where,
  file: FileContent,
  { deletes, unknown, signal }: Options,
): Promise<FilePlan> {
  const api = await where.api()
  const { pairs, unmatched, every, bad } = await matchRows(api, file, signal)
  const listing = await listings.read(where, api.account, every)
  const faults: BadCell[] = [...file.bad, ...bad]
  const planning = startPlan(new Set(), unknown)
  const steps: PlannedStep[] = []
  const add = (desired: Desired, now?: CurrentCheck): void => {
    const step = planning.add(desired, now)
    if (step) steps.push({ step, says: stepWords(step, now) })
  }
  const reading = { api, listing, signal }
  const found = await mapConcurrently(
    pairs,
    ({ row, check }) => readRowCheck(reading, row, check),
    READ_AT_ONCE,
  )
  for (const [index, { row, check }] of pairs.entries()) {
    await yieldWhenDue()
    const planned = desiredFor(row, check, found[index], file.isWhole)
    if ('says' in planned) faults.push(planned)
    else add(planned.desired, planned.now)
  }
  const gone = deletes ? checksNotInFile(pairs, unmatched) : []
  const isUnsure = faults.length + planning.end().leftOut.length > 0
  const keptBecause = gone.length > 0 && isUnsure ? whyNotDeleted(gone.length) : undefined
  if (keptBecause === undefined) await addDeletions(reading, pairs, gone, add)
  const { same, leftOut, losing } = planning.end()
  for (const { line, says, isForAddress } of leftOut)
    faults.push({ line, column: isForAddress ? 'http_server_address' : 'row', says })
  faults.sort((left, right) => left.line - right.line)
  return {
    steps,
    same,
    bad: faults,
    losing,
    listing,
    unused: file.unused,
    ...(keptBecause !== undefined && { keptBecause }),
  }
}

interface Reading {
  readonly api: Api
  readonly listing: AddressListing
  readonly signal?: AbortSignal | undefined
}

function desiredFor(
  row: Row,
  check: HealthCheck | undefined,
  now: CurrentCheck | 'behind' | undefined,
  isWhole: boolean,
): { desired: Desired; now?: CurrentCheck | undefined } | BadCell {
  if (!check) return { desired: creation(row) }
  if (now === 'behind') return { line: row.line, column: 'row', says: LISTING_OUTDATED }
  if (row.uuid && row.uuid !== check.uuid.toLowerCase() && changesCheck(row, now)) return checkDeleted(row)
  return { desired: toChange(row, check, isWhole), now }
}

async function addDeletions(
  { api, listing, signal }: Reading,
  pairs: readonly { row: Row }[],
  gone: readonly HealthCheck[],
  add: (desired: Desired, now: CurrentCheck) => void,
): Promise<void> {
  const first = Math.max(0, ...pairs.map(({ row }) => row.line)) + 1
  const alerts = await mapConcurrently(gone, ({ uuid }) => alertsUnlessGone(api, uuid, signal), READ_AT_ONCE)
  for (const [index, check] of gone.entries()) {
    await yieldWhenDue()
    const mails = alerts[index]
    if (mails)
      add(
        { line: first + index, is: 'gone', uuid: check.uuid },
        toCurrentCheck(check, readAddress(check, check, listing), mails),
      )
  }
}

const creation = ({ line, patch, alerts = [] }: Row): Desired => ({
  ...{ line, is: 'new' },
  to: { fields: withPatch({ address: { is: 'none' } }, patch), alerts },
})

/** A file with all settings defines who gets a check's emails; one with some columns adds people. */
function toChange({ line, patch, alerts, isAsItIs }: Row, { uuid }: HealthCheck, isWhole: boolean): Desired {
  const change =
    alerts &&
    (isWhole ? { exactly: alerts } : { add: alerts.flatMap(({ recipients }) => recipients), remove: [] })
  return { line, is: 'changed', uuid, set: isAsItIs ? {} : patch, alerts: change }
}

/** Whether a row would change the check with its name. */
function changesCheck(row: Row, now: CurrentCheck | undefined): boolean {
  const planning = startPlan(new Set())
  if (!now) return true
  planning.add(
    {
      line: 0,
      is: 'changed',
      uuid: now.uuid,
      set: row.isAsItIs ? {} : row.patch,
      alerts: row.alerts && { exactly: row.alerts },
    },
    now,
  )
  return planning.end().same === 0
}

function stepWords(step: PlannedStep['step'], now: CurrentCheck | undefined): string {
  if (step.do === 'delete') return `delete ${step.name}`
  if (step.do === 'edit') return `change ${step.name}: ${now ? editWords(step, now).says : ''}`
  const { fields, alerts } = step.to
  return `create ${step.name} (${fieldsWords(fields)}${alerts.length > 0 ? `, ${mailWords(alerts)}` : ''})`
}

/** The current state of a row's check, from its details if its row in the list isn't enough; undefined if it was deleted. */
async function readRowCheck(
  { api, listing, signal }: Reading,
  { patch, alerts }: Row,
  check: HealthCheck | undefined,
): Promise<CurrentCheck | 'behind' | undefined> {
  if (!check) return undefined
  const withAlerts = alerts !== undefined
  const lacksVerify = patch.verifySsl !== undefined && check.verifySsl === undefined
  const how = { listing, signal, withAlerts }
  if (!lacksVerify) {
    const mails = withAlerts ? await alertsUnlessGone(api, check.uuid, signal) : []
    return mails && toCurrentCheck(check, readAddress(check, check, listing), mails)
  }
  try {
    return (await readCheck(api, check.uuid, { ...how, row: check }))?.now
  } catch (error) {
    if (error instanceof ListingOutdated) return 'behind'
    throw error
  }
}

/** Checks of the file's customers that no row is about. */
function checksNotInFile(
  pairs: readonly { row: Row; check: HealthCheck | undefined }[],
  unmatched: readonly HealthCheck[],
): HealthCheck[] {
  const customers = new Set(pairs.map(({ row, check }) => row.patch.customerId ?? check?.customerId))
  return unmatched.filter(({ customerId }) => customerId !== undefined && customers.has(customerId))
}

function whyNotDeleted(count: number): string {
  const [are, they] = count === 1 ? ['isn’t', 'it'] : ['aren’t', 'them']
  return `Nothing will be deleted. ${counted(count, 'health check')} ${are} in the file, but rows that can’t be used may be about ${they}.`
}
