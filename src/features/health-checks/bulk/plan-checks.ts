// This folder changes many checks at once: the plan, its preview, and the job.

import { mapInSlices, UserError, yieldWhenDue } from '@signalman/runtime'
import { globMatcher } from '../../../domain/name-pattern.ts'
import { findAlertsFault } from '../../../domain/recipients.ts'
import { formatCount } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { explainIncomplete, LIST_KEEPS_CHANGING, readAllChecks } from '../read-all-checks.ts'
import { sameAlerts } from '../rules/alert-requests.ts'
import {
  CHECK_FIELDS,
  type CheckField,
  FIELDS,
  findTargetFault,
  type Patch,
  protocolHasField,
} from '../rules/fields.ts'
import type { LeftOut, Plan } from '../rules/plan.ts'
import { type CheckState, INCOMPLETE, type Row } from '../rules/row.ts'
import { applyPatch, describePortConflict, listDiffering, toBody } from '../rules/settings.ts'
import { formatRefusal, readState } from '../write/write-row.ts'
import { mapConcurrently } from './map-concurrently.ts'

export const MAX_CHECKS = 5000
const CONCURRENT_READS = 16
/** After so many checks in a row for which the service didn't answer, or all of fewer, it's about all of them. */
const MAX_UNREAD_IN_A_ROW = 16

/** What to do with a check. A text says why it can't be done. */
export type Change =
  | { readonly delete: true }
  | {
      readonly set: Patch
      readonly alerts?: readonly AlertBody[] | undefined
      /** The check had these values before, whatever people may set. */
      readonly isRestored?: boolean | undefined
    }
  | string

export const MISSING = 'Nothing can start until the service lists all of them. Try again in a minute.'

/**
 * Finds the checks whose names match a pattern, by name. Lists all, because the service doesn't find a name in another spelling. Throws
 * UserError, also for more than `max`.
 */
export async function findMatching(healthChecks: HealthChecks, pattern: string, max = MAX_CHECKS) {
  const found = await readAllChecks(healthChecks)
  if (!found) throw new UserError(LIST_KEEPS_CHANGING)
  if (found.missing > 0) throw new UserError(`${explainIncomplete(found)} ${MISSING}`)
  const matches = globMatcher(pattern)
  const slices = await mapInSlices(found.checks, (check) => (matches(check.name) ? [check] : []))
  const checks = slices.flat()
  if (checks.length > max)
    throw new UserError(
      `${formatCount(checks.length)} health checks match. The limit is ${formatCount(max)}. Narrow them down.`,
    )
  checks.sort((left, right) => left.name.localeCompare(right.name))
  return { checks, note: explainIncomplete(found), total: found.checks.length }
}

/** Plans a change of these checks. Reads each check's details, because a list may not show everything that a write must send. */
export async function planChecks(
  api: Api,
  checks: readonly Pick<HealthCheck, 'uuid' | 'name'>[],
  toChange: (state: CheckState, index: number) => Change | undefined,
  { withAlerts = true, toLine = (index: number) => index + 1 } = {},
): Promise<Pick<Plan, 'rows' | 'leftOut' | 'unchanged'>> {
  const states = await readEach(checks, ({ uuid }, signal) => readState(api, uuid, { withAlerts, signal }))
  const rows: Row[] = []
  const leftOut: LeftOut[] = []
  let unchanged = 0
  for (const [index, state] of states.entries()) {
    await yieldWhenDue()
    const { uuid = '', name = '' } = checks[index] ?? {}
    const line = toLine(index)
    if (state instanceof ApiError) {
      leftOut.push({ line, name, reason: `It couldn’t be read. ${formatRefusal(state)}` })
      continue
    }
    const change = state && toChange(state, index)
    if (state && !change) continue
    const planned = change ? planChange({ line, name, uuid }, state, change) : 'It was deleted just now.'
    if (planned === undefined) unchanged += 1
    else if (typeof planned === 'string') leftOut.push({ line, name, reason: planned })
    else rows.push(planned)
  }
  return { rows, leftOut, unchanged }
}

/** Reads something of each check. Of one that can't be read, returns the error, unless the service answers for none, or for many in a row. */
export function readEach<Check, T>(
  checks: readonly Check[],
  read: (check: Check, signal: AbortSignal) => Promise<T>,
): Promise<(T | ApiError)[]> {
  let inARow = 0
  async function readOne(check: Check, signal: AbortSignal): Promise<T | ApiError> {
    try {
      const value = await read(check, signal)
      inARow = 0
      return value
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // What can't be decoded says nothing about the others.
      if (error.kind !== 'unreadable') inARow += 1
      if (inARow >= Math.min(MAX_UNREAD_IN_A_ROW, checks.length)) throw error
      return error
    }
  }
  return mapConcurrently(checks, readOne, CONCURRENT_READS)
}

/** The row of a changed check. A text if it can't be changed, and undefined if it needn't be. */
export function planChange(
  row: { line: number; name: string; uuid: string },
  before: CheckState,
  change: Change,
): Row | string | undefined {
  if (typeof change === 'string') return change
  const isDeletion = 'delete' in change
  const planned = isDeletion ? ({ ...row, do: 'delete', before } as const) : planEdit(row, before, change)
  if (typeof planned !== 'object' || (planned.do === 'edit' && planned.alerts === undefined)) return planned
  return findAlertsFault(before.alerts ?? []) ?? planned
}

function planEdit(
  row: { line: number; name: string; uuid: string },
  before: CheckState,
  change: Extract<Change, { set: Patch }>,
): Row | string | undefined {
  const { set } = change
  const alerts = change.alerts && sameAlerts(before.alerts ?? [], change.alerts) ? undefined : change.alerts
  const after = applyPatch(before.settings, set)
  const unfit =
    after.protocol && FIELDS.find((field) => set[field] != null && !protocolHasField(field, after.protocol))
  if (unfit) return `${after.protocol} health checks have no ${CHECK_FIELDS[unfit].label}.`
  const written = listDiffering(before.settings, after)
  if (written.length === 0 && !alerts) return undefined
  const fault = written.length > 0 ? findFault(after, change.isRestored ? [] : written) : undefined
  return fault ?? { ...row, do: 'edit', before, set, ...(alerts && { alerts }) }
}

/** What is wrong with new settings. Values that the service has accepted before aren't validated. */
export function findFault(after: CheckState['settings'], written: readonly CheckField[]): string | undefined {
  if (!toBody(after)) return INCOMPLETE
  const hasNewTarget = written.includes('target') || written.includes('protocol')
  return (
    (hasNewTarget || written.includes('port') ? describePortConflict(after) : undefined) ??
    (hasNewTarget ? findTargetFault(after.target ?? '', after.protocol) : undefined)
  )
}
