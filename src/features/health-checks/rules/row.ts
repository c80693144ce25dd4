import type { AboutAlert, Rename } from '../../../bot/ports.ts'
import { findAlertsFault } from '../../../domain/recipients.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import { isOnTheWay, listRemovedRecipients, sameAlerts } from './alert-requests.ts'
import { ROW_TRANSITIONS, type RowEnd } from './ends.ts'
import { type Patch, protocolHasField, type Settings } from './fields.ts'
import {
  applyPatch,
  describeChange,
  findForeignChange,
  listDiffering,
  sameValue,
  toBody,
} from './settings.ts'

/** A check as the service has it: its settings, and its alerts if they were read. */
export interface CheckState {
  readonly settings: Settings
  readonly alerts?: readonly Alert[] | undefined
}

/**
 * One check of a plan: what it was when the person saw the preview, and what it's to become. A plan of many checks, a row of a file, and
 * the window of a single check are the same.
 */
export type Row = { readonly line: number; readonly name: string } & (
  | {
      readonly do: 'create'
      readonly to: Settings
      readonly alerts: readonly AlertBody[]
      /** The UUID of the deleted check that it puts back. */
      readonly was?: string | undefined
    }
  | {
      readonly do: 'edit'
      readonly uuid: string
      readonly before: CheckState
      readonly set: Patch
      /** The new alerts. Undefined if they stay as they are. */
      readonly alerts?: readonly AlertBody[] | undefined
      /** Of all alerts, the one that it's about. Undefined if it's about all. */
      readonly about?: AboutAlert | undefined
    }
  | { readonly do: 'delete'; readonly uuid: string; readonly before: CheckState }
)

/** The alerts that a row is about. Others may change meanwhile. */
export function pickAlerts<T extends Alert>(row: Row, alerts: readonly T[]): readonly T[] {
  if (row.do !== 'edit' || !row.about) return alerts
  const { about, alerts: wanted = [] } = row
  return alerts.filter((alert) =>
    'id' in about ? alert.id === about.id : !about.besides.includes(alert.id) && sameAlerts([alert], wanted),
  )
}

/** Whether a row deletes what only the file of what was before can bring back: a check, or recipients. */
export const deletesOnlyCopy = (row: Row): boolean =>
  row.do === 'delete' ||
  (row.do === 'edit' &&
    row.alerts !== undefined &&
    listRemovedRecipients(pickAlerts(row, row.before.alerts ?? []), row.alerts).length > 0)

/** What to send for a row: all of it, or the rest of what the check doesn't have yet, because a part was written before. */
export interface ToWrite {
  readonly is: 'write' | 'write-rest'
  readonly to?: Settings | undefined
  readonly alerts?: readonly AlertBody[] | undefined
}

/** What to do for a row: send something, or end it. */
export type Decision =
  | ToWrite
  | { readonly is: 'done' }
  | { readonly is: 'outdated' | 'unclear'; readonly reason: string }

export const INCOMPLETE = 'The service didn’t return all of its settings, so saving it would lose some.'
const NAME_TAKEN = 'Another check has this name now.'
const RECIPIENTS_CHANGED = 'Its recipients have changed.'

/** What became of a server address: another one is used than wanted, or it was sent although nobody set it. */
export interface AddressNote {
  readonly uuid: string
  readonly wanted: string
  readonly now: string | undefined
  readonly isKept: boolean
}

/** The server address that a check shows, if the edit of a row doesn't set one. */
export function findShownAddress(row: Row, { protocol, httpServerAddress }: Settings): string | undefined {
  if (row.do !== 'edit' || row.set.httpServerAddress !== undefined) return undefined
  return protocolHasField('httpServerAddress', row.set.protocol ?? protocol) ? httpServerAddress : undefined
}

/**
 * What to say about the server address after an edit, from the check that was read back. `kept` is the address that was sent although the
 * edit didn't set it.
 */
export function findAddressNote(
  row: Row,
  kept: string | undefined,
  check: Settings,
): AddressNote | undefined {
  if (row.do !== 'edit' || !protocolHasField('httpServerAddress', check.protocol)) return undefined
  const wanted = kept ?? row.set.httpServerAddress ?? row.before.settings.httpServerAddress
  const now = check.httpServerAddress
  if (wanted === undefined) return undefined
  const isSame = sameValue('httpServerAddress', { httpServerAddress: wanted }, { httpServerAddress: now })
  return isSame && kept === undefined ? undefined : { uuid: row.uuid, wanted, now, isKept: isSame }
}

/** The check that an edit has renamed, if it has: for what isn't watched by the new name. */
export function listRenames(row: Row, { is }: RowEnd): Rename[] {
  if (row.do !== 'edit' || (is !== 'done' && is !== 'partly')) return []
  const { name = row.name, target, protocol } = applyPatch(row.before.settings, row.set)
  return name === row.name ? [] : [{ check: { uuid: row.uuid, name, target, protocol }, oldName: row.name }]
}

/** What the service has, compared with what a row wants. */
type Compared = ToWrite | { readonly is: 'as-wanted' } | { readonly is: 'differs'; readonly reason: string }

const differs = (reason: string): Compared => ({ is: 'differs', reason })

/** Why a row isn't written whose check is no more. */
export const DELETED = 'It was deleted.'

/**
 * Decides what to do for a row from what the service has now. The rule is the same for a first try, a retry, and a row whose answer was
 * lost: each value must be the old or the new one, and what isn't new yet is written. Only a creation that may have been sent is never
 * sent again: if no check has its name, nobody knows.
 */
export function decide(row: Row, now: CheckState | undefined, mayHaveBeenSent: boolean): Decision {
  const found = compare(row, now, mayHaveBeenSent)
  if (found.is === 'write' || found.is === 'write-rest') return found
  const is = ROW_TRANSITIONS[mayHaveBeenSent ? 'begun' : 'ready'][found.is]
  if (is === 'done') return { is }
  if (found.is === 'differs') return { is, reason: found.reason }
  return { is, reason: row.do === 'delete' ? 'It was already deleted.' : 'It’s already so.' }
}

function compare(row: Row, now: CheckState | undefined, mayHaveBeenSent: boolean): Compared {
  if (row.do === 'create') return decideCreation(row, now, mayHaveBeenSent)
  if (!now) return row.do === 'delete' ? { is: 'as-wanted' } : differs(DELETED)
  const fault = now.alerts && findAlertsFault(now.alerts)
  if (fault !== undefined) return differs(fault)
  return row.do === 'delete' ? decideDeletion(row, now) : decideEdit(row, now)
}

function decideCreation(
  { to, alerts }: Row & { do: 'create' },
  now: CheckState | undefined,
  mayHaveBeenSent: boolean,
): Compared {
  if (!now)
    return mayHaveBeenSent
      ? differs('It may have been created. No check has this name now.')
      : { is: 'write', to, alerts }
  const isSame = listDiffering(to, now.settings).every((field) => to[field] === undefined)
  if (!mayHaveBeenSent || !isSame) return differs(NAME_TAKEN)
  if (sameAlerts(now.alerts ?? [], alerts)) return { is: 'as-wanted' }
  // An interrupted creation may have added only some of the alerts.
  return isOnTheWay([], now.alerts ?? [], alerts) ? { is: 'write-rest', alerts } : differs(NAME_TAKEN)
}

function decideEdit(row: Row & { do: 'edit' }, { settings: now, alerts: allNow = [] }: CheckState): Compared {
  const { settings: before, alerts: allBefore = [] } = row.before
  const { set, alerts } = row
  const [alertsBefore, alertsNow] = [pickAlerts(row, allBefore), pickAlerts(row, allNow)]
  const foreign = findForeignChange(before, now, set)
  if (foreign) return differs(foreign)
  const to = applyPatch(now, set)
  const needsSettings = listDiffering(now, to).length > 0
  const needsAlerts = alerts !== undefined && !sameAlerts(alertsNow, alerts)
  if (needsAlerts && !isOnTheWay(alertsBefore, alertsNow, alerts)) return differs(RECIPIENTS_CHANGED)
  if (!needsSettings && !needsAlerts) return { is: 'as-wanted' }
  if (needsSettings && !toBody(to)) return differs(INCOMPLETE)
  // Whether one that wasn't set is sent depends on DNS.
  const sent = { ...to, httpServerAddress: set.httpServerAddress ?? undefined }
  const hasSettings = !needsSettings && listDiffering(before, applyPatch(before, set)).length > 0
  const hasAlerts = alerts !== undefined && !sameAlerts(alertsBefore, alertsNow)
  return {
    is: hasSettings || hasAlerts ? 'write-rest' : 'write',
    to: needsSettings ? sent : undefined,
    alerts: needsAlerts ? alerts : undefined,
  }
}

function decideDeletion({ before }: Row & { do: 'delete' }, now: CheckState): Compared {
  // Which address a domain resolves to isn't a change of the check.
  const changed = listDiffering(before.settings, now.settings).find((field) => field !== 'httpServerAddress')
  if (changed) return differs(describeChange(changed, before.settings, now.settings))
  return sameAlerts(before.alerts ?? [], now.alerts ?? []) ? { is: 'write' } : differs(RECIPIENTS_CHANGED)
}
