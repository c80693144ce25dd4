import type { Alert, AlertBody } from '../../../service/alerts.ts'
import { type Patch, protocolHasField, type Settings } from './fields.ts'
import { isOnTheWay, sameAlerts } from './recipients.ts'
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
    }
  | { readonly do: 'delete'; readonly uuid: string; readonly before: CheckState }
)

/** What to do for a row. `write`: send what the check doesn't have yet. `isPartial`: it has a part of it. */
export type Decision =
  | {
      readonly is: 'write'
      readonly to?: Settings | undefined
      readonly alerts?: readonly AlertBody[] | undefined
      readonly isPartial: boolean
    }
  | { readonly is: 'done' }
  | { readonly is: 'skipped'; readonly reason: string }
  | { readonly is: 'unclear'; readonly reason: string }

export const UNREADABLE = 'Signalman can’t read some of its recipients, so saving it would lose them.'
export const INCOMPLETE = 'The service didn’t return all of its settings, so saving it would lose some.'
export const NAME_TAKEN = 'Another check has this name now.'
const RECIPIENTS_CHANGED = 'Its recipients have changed.'

/** What became of a server address: another one is used than wanted, or it was sent although nobody set it. */
export interface AddressNote {
  readonly wanted: string
  readonly now: string | undefined
  readonly isKept: boolean
  /** Whether the edit was about where the service connects. */
  readonly isSubject: boolean
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
  const isSubject = (row.set.target ?? row.set.protocol ?? row.set.httpServerAddress) !== undefined
  return isSame && kept === undefined ? undefined : { wanted, now, isKept: isSame, isSubject }
}

const skip = (reason: string): Decision => ({ is: 'skipped', reason })

/**
 * Decides what to do for a row from what the service has now. The rule is the same for a first try, a retry, and a row whose answer was
 * lost: each value must be the old or the new one, and what isn't new yet is written. Only a creation that may have been sent is never
 * sent again: if no check has its name, nobody knows.
 */
export function decide(row: Row, now: CheckState | undefined, mayHaveBeenSent: boolean): Decision {
  const decision = compare(row, now, mayHaveBeenSent)
  // What somebody else has changed since may have replaced what this row wrote.
  if (mayHaveBeenSent) return decision.is === 'skipped' ? { ...decision, is: 'unclear' } : decision
  // Somebody else has done the same: this change neither did it, nor can undo it.
  return decision.is === 'done'
    ? skip(row.do === 'delete' ? 'It was already deleted.' : 'It’s already so.')
    : decision
}

function compare(row: Row, now: CheckState | undefined, mayHaveBeenSent: boolean): Decision {
  if (row.do === 'create') return decideCreation(row, now, mayHaveBeenSent)
  if (!now) return row.do === 'delete' ? { is: 'done' } : skip('It was deleted.')
  if (now.alerts?.some(({ unreadable }) => unreadable)) return skip(UNREADABLE)
  return row.do === 'delete' ? decideDeletion(row, now) : decideEdit(row, now)
}

function decideCreation(
  { to, alerts }: Row & { do: 'create' },
  now: CheckState | undefined,
  mayHaveBeenSent: boolean,
): Decision {
  if (!now)
    return mayHaveBeenSent
      ? { is: 'unclear', reason: 'It may have been created. No check has this name now.' }
      : { is: 'write', to, alerts, isPartial: false }
  const isSame = listDiffering(to, now.settings).every((field) => to[field] === undefined)
  if (!mayHaveBeenSent || !isSame) return skip(NAME_TAKEN)
  if (sameAlerts(now.alerts ?? [], alerts)) return { is: 'done' }
  // An interrupted creation may have added only some of the alerts.
  return isOnTheWay([], now.alerts ?? [], alerts)
    ? { is: 'write', alerts, isPartial: true }
    : skip(NAME_TAKEN)
}

function decideEdit(
  { before: { settings: before, alerts: alertsBefore = [] }, set, alerts }: Row & { do: 'edit' },
  { settings: now, alerts: alertsNow = [] }: CheckState,
): Decision {
  const foreign = findForeignChange(before, now, set)
  if (foreign) return skip(foreign)
  const to = applyPatch(now, set)
  const needsSettings = listDiffering(now, to).length > 0
  const needsAlerts = alerts !== undefined && !sameAlerts(alertsNow, alerts)
  if (needsAlerts && !isOnTheWay(alertsBefore, alertsNow, alerts)) return skip(RECIPIENTS_CHANGED)
  if (!needsSettings && !needsAlerts) return { is: 'done' }
  if (needsSettings && !toBody(to)) return skip(INCOMPLETE)
  // Whether one that wasn't set is sent depends on DNS.
  const sent = { ...to, httpServerAddress: set.httpServerAddress ?? undefined }
  const hasSettings = !needsSettings && listDiffering(before, applyPatch(before, set)).length > 0
  const hasAlerts = alerts !== undefined && !sameAlerts(alertsBefore, alertsNow)
  return {
    is: 'write',
    to: needsSettings ? sent : undefined,
    alerts: needsAlerts ? alerts : undefined,
    isPartial: hasSettings || hasAlerts,
  }
}

function decideDeletion({ before }: Row & { do: 'delete' }, now: CheckState): Decision {
  // Which address a domain resolves to isn't a change of the check.
  const changed = listDiffering(before.settings, now.settings).find((field) => field !== 'httpServerAddress')
  if (changed) return skip(describeChange(changed, before.settings, now.settings))
  return sameAlerts(before.alerts ?? [], now.alerts ?? [])
    ? { is: 'write', isPartial: false }
    : skip(RECIPIENTS_CHANGED)
}
