import { recipientKey } from '../../../domain/recipients.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'

/** A key for comparing alerts: those that mail the same people have the same key. */
const alertKey = ({ type, recipients }: AlertBody): string =>
  JSON.stringify([type || 'EMAIL', [...new Set(recipients.map(recipientKey))].sort()])

export const toAlertBody = ({ type, recipients }: AlertBody): AlertBody => ({
  type: type || 'EMAIL',
  recipients: [...recipients],
})

export const listRecipients = (alerts: readonly AlertBody[]): string[] =>
  alerts.flatMap(({ recipients }) => [...recipients])

export const sameAlerts = (left: readonly AlertBody[], right: readonly AlertBody[]): boolean =>
  JSON.stringify(left.map(alertKey).sort()) === JSON.stringify(right.map(alertKey).sort())

const listKeys = (addresses: readonly string[]): Set<string> => new Set(addresses.map(recipientKey))

/** Whether any of the addresses is mailed. */
export function isMailed(alerts: readonly AlertBody[], addresses: readonly string[]): boolean {
  const keys = listKeys(addresses)
  return listRecipients(alerts).some((recipient) => keys.has(recipientKey(recipient)))
}

/** Everyone who gets emails now but not afterwards, once each. */
export function listRemovedRecipients(before: readonly AlertBody[], after: readonly AlertBody[]): string[] {
  const removed = new Map<string, string>()
  for (const address of listRecipients(before)) {
    const key = recipientKey(address)
    if (!removed.has(key)) removed.set(key, address)
  }
  for (const address of listRecipients(after)) removed.delete(recipientKey(address))
  return [...removed.values()]
}

/** Replaces addresses in the alerts that mail them. Without a replacement, removes them, and alerts that then mail nobody. */
export function replaceRecipients(
  alerts: readonly AlertBody[],
  addresses: readonly string[],
  replacement: string | undefined,
): AlertBody[] {
  const replaced = listKeys(addresses)
  return alerts.flatMap(({ type, recipients }) => {
    const kept = recipients.filter((each) => !replaced.has(recipientKey(each)))
    const isReplaced = kept.length < recipients.length
    const isAdded =
      replacement !== undefined && isReplaced && !isMailed([{ type, recipients: kept }], [replacement])
    const alert = toAlertBody({ type, recipients: isAdded ? [...kept, replacement] : kept })
    return isReplaced && alert.recipients.length === 0 ? [] : [alert]
  })
}

/** Adds the addresses that no alert mails to the first alert that sends email. */
export function addRecipients(alerts: readonly AlertBody[], addresses: readonly string[]): AlertBody[] {
  const bodies = alerts.map(toAlertBody)
  const mailed = listKeys(listRecipients(bodies))
  const added = addresses.filter((address) => !mailed.has(recipientKey(address)))
  if (added.length === 0) return bodies
  const at = bodies.findIndex(({ type }) => type === 'EMAIL')
  const email = { type: 'EMAIL', recipients: [...(bodies[at]?.recipients ?? []), ...added] }
  return at === -1 ? [...bodies, email] : bodies.with(at, email)
}

/** The alerts that aren't in `existing`, counting duplicates. */
function findMissing<T extends AlertBody>(existing: readonly AlertBody[], alerts: readonly T[]): T[] {
  const unmatched = new Map<string, number>()
  for (const alert of existing) {
    const key = alertKey(alert)
    unmatched.set(key, (unmatched.get(key) ?? 0) + 1)
  }
  return alerts.filter((alert) => {
    const key = alertKey(alert)
    const left = unmatched.get(key) ?? 0
    unmatched.set(key, left - 1)
    return left <= 0
  })
}

export type AlertRequest =
  | { readonly do: 'create'; readonly body: AlertBody }
  | { readonly do: 'update'; readonly id: string; readonly body: AlertBody }
  | { readonly do: 'delete'; readonly id: string }

/** As few requests as possible. Deletions come last, so nobody who stays a recipient misses an email in between. */
export function buildAlertRequests(current: readonly Alert[], wanted: readonly AlertBody[]): AlertRequest[] {
  const obsolete = findMissing(wanted, current)
  const missing = findMissing(current, wanted)
  const changes = missing.map((alert, index): AlertRequest => {
    const reusable = obsolete[index]
    const body = toAlertBody(alert)
    return reusable ? { do: 'update', id: reusable.id, body } : { do: 'create', body }
  })
  const deletions = obsolete.slice(missing.length).map(({ id }): AlertRequest => ({ do: 'delete', id }))
  return [...changes, ...deletions]
}

/**
 * Whether the alerts are those from before, the wanted ones, or what the requests between them leave: additions and updates come before
 * deletions. Otherwise, somebody else has changed them.
 */
export function isOnTheWay(
  before: readonly AlertBody[],
  now: readonly AlertBody[],
  wanted: readonly AlertBody[],
): boolean {
  const added = findMissing(before, wanted)
  const stays = findMissing(added, wanted)
  const isComplete = findMissing(now, wanted).length === 0
  return (
    findMissing([...before, ...added], now).length === 0 &&
    findMissing(now, stays).length === 0 &&
    (isComplete || now.length >= before.length)
  )
}
