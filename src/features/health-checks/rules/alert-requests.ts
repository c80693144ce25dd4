import { listMissing, recipientKey } from '../../../domain/recipients.ts'
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

/** Whether the address is mailed. */
export const isMailed = (alerts: readonly AlertBody[], address: string): boolean =>
  listMissing(listRecipients(alerts), [address]).length === 0

/** Everyone who gets emails now but not afterwards, once each. */
export const listRemovedRecipients = (before: readonly AlertBody[], after: readonly AlertBody[]): string[] =>
  listMissing(listRecipients(after), listRecipients(before))

/** Replaces an address in the alerts that mail it. Without a replacement, removes it, and alerts that then mail nobody. */
export function replaceRecipient(
  alerts: readonly AlertBody[],
  address: string,
  replacement: string | undefined,
): AlertBody[] {
  const key = recipientKey(address)
  return alerts.flatMap(({ type, recipients }) => {
    const kept = recipients.filter((each) => recipientKey(each) !== key)
    if (kept.length === recipients.length) return [toAlertBody({ type, recipients })]
    const added = replacement === undefined ? [] : listMissing(kept, [replacement])
    const next = [...kept, ...added]
    return next.length === 0 ? [] : [toAlertBody({ type, recipients: next })]
  })
}

/** Adds the address to the first alert that sends email, unless one mails it. */
export function addRecipient(alerts: readonly AlertBody[], address: string): AlertBody[] {
  const bodies = alerts.map(toAlertBody)
  if (isMailed(bodies, address)) return bodies
  const at = bodies.findIndex(({ type }) => type === 'EMAIL')
  const email = { type: 'EMAIL', recipients: [...(bodies[at]?.recipients ?? []), address] }
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
