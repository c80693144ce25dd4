import { recipientKey } from '../../../domain/recipients.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import type { RecipientChange } from './change.ts'

/** Equal for alerts that mail the same people, however their addresses are spelled. */
const alertKey = ({ type, recipients }: AlertBody): string =>
  JSON.stringify([type || 'EMAIL', [...new Set(recipients.map(recipientKey))].sort()])

export const toAlertBody = ({ type, recipients }: AlertBody): AlertBody => ({
  type: type || 'EMAIL',
  recipients: [...recipients],
})

type Lists = readonly Pick<AlertBody, 'recipients'>[]

export const everyRecipient = (alerts: Lists): string[] => alerts.flatMap(({ recipients }) => [...recipients])

export const sameAlerts = (left: readonly AlertBody[], right: readonly AlertBody[]): boolean => {
  const keys = (alerts: readonly AlertBody[]): string => JSON.stringify(alerts.map(alertKey).sort())
  return keys(left) === keys(right)
}

/** Whether each of the alerts is part of one of the others. */
export const areContainedIn = (
  alerts: readonly AlertBody[],
  ...others: (readonly AlertBody[])[]
): boolean => {
  const known = new Set(others.flat().map(alertKey))
  return alerts.every((alert) => known.has(alertKey(alert)))
}

/** Whether any of the alerts mails this address, ignoring how the service spells it. */
export const isMailed = (alerts: Lists, address: string): boolean =>
  everyRecipient(alerts).some((one) => recipientKey(one) === recipientKey(address))

/** Who gets emails now and no longer afterwards, each once. */
export function removedRecipients(now: Lists, then: Lists): string[] {
  const removed = everyRecipient(now).filter((address) => !isMailed(then, address))
  return [...new Map(removed.map((address) => [recipientKey(address), address])).values()]
}

export function changedAlerts(now: readonly AlertBody[], change: RecipientChange): readonly AlertBody[] {
  if ('exactly' in change) return change.exactly.map(toAlertBody)
  const { onlyWhere } = change
  if (onlyWhere !== undefined && !isMailed(now, onlyWhere)) return now.map(toAlertBody)
  const removed = new Set(change.remove.map(recipientKey))
  const kept = now.map((alert) => replaceRecipients(alert, removed, change.add))
  const alerts = kept.filter(
    ({ recipients }, index) => recipients.length > 0 || now[index]?.recipients.length === 0,
  )
  const missing = onlyWhere === undefined ? change.add.filter((address) => !isMailed(alerts, address)) : []
  if (missing.length === 0) return alerts
  const [first, ...rest] = alerts
  if (!first) return [{ type: 'EMAIL', recipients: missing }]
  return [{ ...first, recipients: [...first.recipients, ...missing] }, ...rest]
}

/** The alert without the removed addresses. If it mailed one of them, the added addresses replace it. */
function replaceRecipients(
  alert: AlertBody,
  removed: ReadonlySet<string>,
  add: readonly string[],
): AlertBody {
  const kept = alert.recipients.filter((address) => !removed.has(recipientKey(address)))
  if (kept.length === alert.recipients.length) return toAlertBody(alert)
  const there = new Set(kept.map(recipientKey))
  return toAlertBody({
    ...alert,
    recipients: [...kept, ...add.filter((address) => !there.has(recipientKey(address)))],
  })
}

/** The alerts of one list that the other one lacks, counting duplicates. */
export function missingFrom<T extends AlertBody>(there: readonly AlertBody[], some: readonly T[]): T[] {
  const left = there.map(alertKey)
  return some.filter((alert) => {
    const at = left.indexOf(alertKey(alert))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

export type AlertRequest = { readonly about: AlertBody } & (
  | { readonly do: 'create' }
  | { readonly do: 'update' | 'delete'; readonly id: string }
)

/** As few requests as possible. Adds first, so that nobody who stays misses an email in between. */
export function alertRequests(now: readonly Alert[], wanted: readonly AlertBody[]): AlertRequest[] {
  const old = missingFrom(wanted, now)
  const changes = missingFrom(now, wanted).map((about): AlertRequest => {
    const place = old.shift()
    return place ? { do: 'update', id: place.id, about } : { do: 'create', about }
  })
  return [...changes, ...old.map((about): AlertRequest => ({ do: 'delete', id: about.id, about }))]
}
