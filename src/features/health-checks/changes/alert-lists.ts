import { clip, oneLine } from '@signalman/slack'
import { keyOf } from '../../../domain/recipients.ts'
import { listed } from '../../../domain/wording.ts'
import type { Alert, AlertBody, Alerts } from '../../../service/alerts.ts'
import type { AlertWish } from './change.ts'

/** Two alerts that mail the same people. */
const alertKey = ({ type, recipients }: AlertBody): string =>
  JSON.stringify([type || 'EMAIL', [...new Set(recipients.map(keyOf))].sort()])

export const bodyOf = ({ type, recipients }: AlertBody): AlertBody => ({ type: type || 'EMAIL', recipients })

const NAMED = 3

type Mailing = readonly Pick<AlertBody, 'recipients'>[]

const peopleOf = (alerts: Mailing): string[] => alerts.flatMap(({ recipients }) => recipients)

/**
 * Whom alerts mail, in words: `mails ann@example.com, bob@example.com`. Those whom others do not mail have a sign and stand first: a
 * change is not to be what is left out.
 */
export function mailed(alerts: Mailing, others: Mailing = alerts, sign: '−' | '+' | '' = ''): string {
  const there = new Set(peopleOf(others).map(keyOf))
  const [differ, same] = [false, true].map((isThere) =>
    peopleOf(alerts).filter((address) => there.has(keyOf(address)) === isThere),
  )
  const people = [...(differ ?? []).map((address) => `${sign}${address}`), ...(same ?? [])]
  return people.length === 0
    ? 'nobody mailed'
    : `mails ${listed(people, NAMED, (address) => clip(oneLine(address), 100))}`
}

/** Whether both hold the same alerts, in any order. */
export function sameAlerts(left: readonly AlertBody[], right: readonly AlertBody[]): boolean {
  const keys = (alerts: readonly AlertBody[]): string => JSON.stringify(alerts.map(alertKey).sort())
  return keys(left) === keys(right)
}

/** Undefined when somebody's address cannot be read: writing the others would take them out. */
export function desiredAlerts(
  now: readonly (AlertBody & Pick<Alert, 'unreadable'>)[],
  wish: AlertWish,
): readonly AlertBody[] | undefined {
  if (now.some(({ unreadable }) => unreadable)) return undefined
  if ('exactly' in wish) return wish.exactly.map(bodyOf)
  const { onlyWhere } = wish
  if (onlyWhere !== undefined && !areMailed(now, onlyWhere)) return now.map(bodyOf)
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

/** Whether any of the alerts mails this address, however the service spells it. */
export const areMailed = (alerts: Mailing, address: string): boolean =>
  alerts.some(({ recipients }) => recipients.some((one) => keyOf(one) === keyOf(address)))

/** The alert without those who are removed; in one that mailed them, those who are added take their place. */
function replaced(alert: AlertBody, removed: ReadonlySet<string>, add: readonly string[]): AlertBody {
  const kept = alert.recipients.filter((address) => !removed.has(keyOf(address)))
  if (kept.length === alert.recipients.length) return bodyOf(alert)
  const there = new Set(kept.map(keyOf))
  return bodyOf({ ...alert, recipients: [...kept, ...add.filter((address) => !there.has(keyOf(address)))] })
}

/** Those of one list that the other one lacks; each counts once. */
export function missingFrom<T extends AlertBody>(there: readonly AlertBody[], some: readonly T[]): T[] {
  const left = there.map(alertKey)
  return some.filter((alert) => {
    const at = left.indexOf(alertKey(alert))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** One request about an alert of a check, and whom it is about. */
export interface AlertRequest {
  readonly about: AlertBody
  send(): Promise<unknown>
}

/** The requests that make the alerts of a check what is wanted, as few as that takes. One that is new takes nobody's place. */
export function alertRequests(
  alerts: Alerts,
  uuid: string,
  now: readonly Alert[],
  wanted: readonly AlertBody[],
): AlertRequest[] {
  const old = missingFrom(wanted, now)
  const changes = missingFrom(now, wanted).map((wish): AlertRequest => {
    const place = old.shift()
    return {
      about: wish,
      send: () => (place ? alerts.update(uuid, place.id, bodyOf(wish)) : alerts.create(uuid, bodyOf(wish))),
    }
  })
  return [...changes, ...old.map((about) => ({ about, send: () => alerts.delete(uuid, about.id) }))]
}
