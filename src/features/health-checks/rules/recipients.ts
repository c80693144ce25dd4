import { recipientKey } from '../../../domain/recipients.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import type { AlertChange, RecipientChange, State } from './change.ts'

/** A key for comparing alerts. Alerts that mail the same people have the same key, even if addresses are spelled differently. */
const alertKey = ({ type, recipients }: AlertBody): string =>
  JSON.stringify([type || 'EMAIL', [...new Set(recipients.map(recipientKey))].sort()])

export const toAlertBody = ({ type, recipients }: AlertBody): AlertBody => ({
  type: type || 'EMAIL',
  recipients: [...recipients],
})

type RecipientLists = readonly Pick<AlertBody, 'recipients'>[]

export const listRecipients = (alerts: RecipientLists): string[] =>
  alerts.flatMap(({ recipients }) => [...recipients])

export const sameAlerts = (left: readonly AlertBody[], right: readonly AlertBody[]): boolean => {
  const keys = (alerts: readonly AlertBody[]): string => JSON.stringify(alerts.map(alertKey).sort())
  return keys(left) === keys(right)
}

/** Whether each alert is in one of the other lists. */
export const areAllIncluded = (
  alerts: readonly AlertBody[],
  ...others: (readonly AlertBody[])[]
): boolean => {
  const keys = new Set(others.flat().map(alertKey))
  return alerts.every((alert) => keys.has(alertKey(alert)))
}

/** Whether any of the alerts emails this address, ignoring how the service spells it. */
export const isMailed = (alerts: RecipientLists, address: string): boolean =>
  listRecipients(alerts).some((recipient) => recipientKey(recipient) === recipientKey(address))

/** Everyone who gets emails now but not afterwards, without duplicates. */
export function listRemovedRecipients(before: RecipientLists, after: RecipientLists): string[] {
  const removed = listRecipients(before).filter((address) => !isMailed(after, address))
  return [...new Map(removed.map((address) => [recipientKey(address), address])).values()]
}

export function applyRecipientChange(
  current: readonly AlertBody[],
  change: RecipientChange,
): readonly AlertBody[] {
  if ('exactly' in change) return change.exactly.map(toAlertBody)
  if ('alert' in change) return replaceAlert(current, change.alert)
  const { onlyWhere } = change
  if (onlyWhere !== undefined && !isMailed(current, onlyWhere)) return current.map(toAlertBody)
  const removed = new Set(change.remove.map(recipientKey))
  const kept = current.map((alert) => replaceRecipients(alert, removed, change.add))
  const alerts = kept.filter(
    ({ recipients }, index) => recipients.length > 0 || current[index]?.recipients.length === 0,
  )
  const missing = onlyWhere === undefined ? change.add.filter((address) => !isMailed(alerts, address)) : []
  if (missing.length === 0) return alerts
  const [first, ...rest] = alerts
  if (!first) return [{ type: 'EMAIL', recipients: missing }]
  return [{ ...first, recipients: [...first.recipients, ...missing] }, ...rest]
}

/** Whether the change replaces or removes an alert that isn't there anymore. */
export const isAlertMissing = (current: readonly AlertBody[], change: RecipientChange | undefined): boolean =>
  change !== undefined &&
  'alert' in change &&
  change.alert.from !== undefined &&
  findMissing(current, [change.alert.from]).length > 0

/** Alerts that mail the same people are interchangeable, so the first of them is replaced. */
function replaceAlert(current: readonly AlertBody[], { from, to }: AlertChange): readonly AlertBody[] {
  const key = from && alertKey(from)
  const index = key === undefined ? current.length : current.findIndex((alert) => alertKey(alert) === key)
  if (index < 0) return current.map(toAlertBody)
  return current.map(toAlertBody).toSpliced(index, 1, ...(to ? [toAlertBody(to)] : []))
}

/** The alert without the removed addresses. If it mailed one of them, the added addresses replace it. */
function replaceRecipients(
  alert: AlertBody,
  removed: ReadonlySet<string>,
  add: readonly string[],
): AlertBody {
  const kept = alert.recipients.filter((address) => !removed.has(recipientKey(address)))
  if (kept.length === alert.recipients.length) return toAlertBody(alert)
  const remaining = new Set(kept.map(recipientKey))
  return toAlertBody({
    ...alert,
    recipients: [...kept, ...add.filter((address) => !remaining.has(recipientKey(address)))],
  })
}

/** The alerts that aren't in `existing`, counting duplicates. */
export function findMissing<T extends AlertBody>(existing: readonly AlertBody[], alerts: readonly T[]): T[] {
  const unmatchedKeys = existing.map(alertKey)
  return alerts.filter((alert) => {
    const index = unmatchedKeys.indexOf(alertKey(alert))
    if (index >= 0) unmatchedKeys.splice(index, 1)
    return index < 0
  })
}

/** The alert that a change of one alert has made: the wanted one, or the one that the service made instead. */
export const findMadeAlert = (
  { to }: AlertChange,
  before: State | undefined,
  after: State | undefined,
): AlertBody | undefined => to && (findMissing(before?.alerts ?? [], after?.alerts ?? [])[0] ?? to)

export type AlertRequest = { readonly about: AlertBody } & (
  | { readonly do: 'create' }
  | { readonly do: 'update' | 'delete'; readonly id: string }
)

/** Builds as few requests as possible. Deletions come last, so nobody who stays a recipient misses an email in between. */
export function buildAlertRequests(current: readonly Alert[], wanted: readonly AlertBody[]): AlertRequest[] {
  const obsolete = findMissing(wanted, current)
  const changes = findMissing(current, wanted).map((about): AlertRequest => {
    const reusable = obsolete.shift()
    return reusable ? { do: 'update', id: reusable.id, about } : { do: 'create', about }
  })
  return [...changes, ...obsolete.map((about): AlertRequest => ({ do: 'delete', id: about.id, about }))]
}
