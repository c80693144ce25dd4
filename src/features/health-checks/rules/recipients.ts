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

export const isMailed = (alerts: readonly AlertBody[], address: string): boolean =>
  listRecipients(alerts).some((recipient) => recipientKey(recipient) === recipientKey(address))

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

/** Replaces an address in the alerts that mail it. Without a replacement, removes it, and alerts that then mail nobody. */
export const replaceRecipient = (
  alerts: readonly AlertBody[],
  address: string,
  replacement: string | undefined,
): AlertBody[] =>
  alerts
    .map(({ type, recipients }) => {
      const kept = recipients.filter((each) => recipientKey(each) !== recipientKey(address))
      const isAdded =
        replacement !== undefined &&
        kept.length < recipients.length &&
        !isMailed([{ type, recipients: kept }], replacement)
      return toAlertBody({ type, recipients: isAdded ? [...kept, replacement] : kept })
    })
    .filter(({ recipients }, index) => recipients.length > 0 || alerts[index]?.recipients.length === 0)

/** Adds an address to the first alert that sends email, unless one already mails it. */
export function addRecipient(alerts: readonly AlertBody[], address: string): AlertBody[] {
  const bodies = alerts.map(toAlertBody)
  if (isMailed(bodies, address)) return bodies
  const at = bodies.findIndex(({ type }) => type === 'EMAIL')
  const email = { type: 'EMAIL', recipients: [...(bodies[at]?.recipients ?? []), address] }
  return at === -1 ? [...bodies, email] : bodies.with(at, email)
}

/** The alerts that aren't in `existing`, counting duplicates. */
function findMissing<T extends AlertBody>(existing: readonly AlertBody[], alerts: readonly T[]): T[] {
  const unmatched = existing.map(alertKey)
  return alerts.filter((alert) => {
    const index = unmatched.indexOf(alertKey(alert))
    if (index >= 0) unmatched.splice(index, 1)
    return index < 0
  })
}

export type AlertRequest =
  | { readonly do: 'create'; readonly body: AlertBody }
  | { readonly do: 'update'; readonly id: string; readonly body: AlertBody }
  | { readonly do: 'delete'; readonly id: string }

/** As few requests as possible. Deletions come last, so nobody who stays a recipient misses an email in between. */
export function buildAlertRequests(current: readonly Alert[], wanted: readonly AlertBody[]): AlertRequest[] {
  const obsolete = findMissing(wanted, current)
  const changes = findMissing(current, wanted).map((alert): AlertRequest => {
    const reusable = obsolete.shift()
    const body = toAlertBody(alert)
    return reusable ? { do: 'update', id: reusable.id, body } : { do: 'create', body }
  })
  return [...changes, ...obsolete.map(({ id }): AlertRequest => ({ do: 'delete', id }))]
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
