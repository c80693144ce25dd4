import type { Alert, AlertBody, Alerts } from '../../../api/alerts.ts'
import type { AlertWish } from './change.ts'

const keyOf = (address: string): string => address.toLowerCase()

/** Two alerts that mail the same people. */
const alertKey = ({ type, recipients }: AlertBody): string =>
  JSON.stringify([type || 'EMAIL', [...new Set(recipients.map(keyOf))].sort()])

export const bodyOf = ({ type, recipients }: AlertBody): AlertBody => ({ type: type || 'EMAIL', recipients })

/** Whether both hold the same alerts, in any order. */
export function sameAlerts(left: readonly AlertBody[], right: readonly AlertBody[]): boolean {
  const keys = (alerts: readonly AlertBody[]): string => JSON.stringify(alerts.map(alertKey).sort())
  return keys(left) === keys(right)
}

/** Undefined when somebody's address cannot be read: writing the others would take them out. */
export function desiredAlerts(now: readonly Alert[], wish: AlertWish): readonly AlertBody[] | undefined {
  const touched = now.some(({ unreadable }) => unreadable)
  if ('exactly' in wish) return touched ? undefined : wish.exactly.map(bodyOf)
  if (touched) return undefined
  const { onlyWhere } = wish
  const isThere = (address: string): boolean =>
    now.some(({ recipients }) => recipients.some((one) => keyOf(one) === keyOf(address)))
  if (onlyWhere !== undefined && !isThere(onlyWhere)) return now.map(bodyOf)
  const removed = new Set(wish.remove.map(keyOf))
  const kept = now.map((alert) => replaced(alert, removed, wish.add))
  const alerts = kept.filter(
    ({ recipients }, index) => recipients.length > 0 || now[index]?.recipients.length === 0,
  )
  const mailed = new Set(alerts.flatMap(({ recipients }) => recipients.map(keyOf)))
  const missing = onlyWhere === undefined ? wish.add.filter((address) => !mailed.has(keyOf(address))) : []
  if (missing.length === 0) return alerts
  const [first, ...rest] = alerts
  if (!first) return [{ type: 'EMAIL', recipients: missing }]
  return [{ ...first, recipients: [...first.recipients, ...missing] }, ...rest]
}

/** The alert without those who are removed; in one that mailed them, those who are added take their place. */
function replaced(alert: Alert, removed: ReadonlySet<string>, add: readonly string[]): AlertBody {
  const kept = alert.recipients.filter((address) => !removed.has(keyOf(address)))
  if (kept.length === alert.recipients.length) return bodyOf(alert)
  const there = new Set(kept.map(keyOf))
  return bodyOf({ ...alert, recipients: [...kept, ...add.filter((address) => !there.has(keyOf(address)))] })
}

/** Makes the alerts of a check what is wanted, with as few requests as that takes. Throws ApiError. */
export async function applyAlerts(
  alerts: Alerts,
  uuid: string,
  now: readonly Alert[],
  wanted: readonly AlertBody[],
): Promise<void> {
  const left = [...now]
  const missing: AlertBody[] = []
  for (const wish of wanted) {
    const at = left.findIndex((alert) => alertKey(alert) === alertKey(wish))
    if (at >= 0) left.splice(at, 1)
    else missing.push(wish)
  }
  for (const wish of missing) {
    const old = left.shift()
    if (old) await alerts.update(uuid, old.id, bodyOf(wish))
    else await alerts.create(uuid, bodyOf(wish))
  }
  for (const { id } of left) await alerts.delete(uuid, id)
}
