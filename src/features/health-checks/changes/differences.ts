import { clip, oneLine } from '@signalman/slack'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import { CHECK_FIELDS, type CheckField, FIELDS, faultOfTarget, goesWith } from '../forms/read-fields.ts'
import { bodyOf, desiredAlerts, mailed, sameAlerts } from './alert-lists.ts'
import type { AlertWish, CheckState, Edit, Patch } from './change.ts'

const LONG = 80

/** `port 443`, `every 60 s`; the name alone may be left out behind another of the same. */
function said(field: CheckField, value: unknown, label = `${CHECK_FIELDS[field].said} `): string {
  return field === 'frequency' && value ? `every ${value} s` : `${label}${shownValue(value)}`
}

export function shownValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return clip(oneLine(String(value)), LONG)
}

/** The fields with the patch put over them; what does not go with the protocol then goes. */
export function patched(fields: Patch, patch: Patch): Patch {
  const all: Patch = { ...fields, ...patch }
  const protocol = all.protocol?.toUpperCase()
  // What goes with another protocol than these nobody can say.
  const isKnown = PROTOCOLS.some((known) => known === protocol)
  const isKept = (field: CheckField): boolean =>
    all[field] !== undefined && all[field] !== null && (goesWith(field, protocol) || !isKnown)
  return Object.fromEntries(FIELDS.filter(isKept).map((field) => [field, all[field]]))
}

/** The fields in which two states differ. */
export const differing = (left: Patch, right: Patch): CheckField[] =>
  FIELDS.filter((field) => (left[field] ?? null) !== (right[field] ?? null))

/** These fields of a state; one that it lacks is `null`. */
export const picked = (fields: Patch, names: readonly CheckField[]): Patch =>
  Object.fromEntries(names.map((field) => [field, fields[field] ?? null]))

const NEEDED = FIELDS.filter((field) => !CHECK_FIELDS[field].only)

/** What a write sends; undefined when the service has not said all that it takes. */
export function bodyFrom(fields: Patch): HealthCheckBody | undefined {
  const isWhole = NEEDED.every((field) => fields[field] !== undefined && fields[field] !== null)
  // Every needed field is there, and `patched` leaves no null.
  return isWhole ? (fields as HealthCheckBody) : undefined
}

/** A check as it is now, or was; without its alerts where they do not matter. */
interface Now {
  readonly fields: Patch
  readonly alerts?: readonly (Alert | AlertBody)[] | undefined
}

type Differences = ReturnType<typeof differencesOf>

/** What has to become of a check as it is now, for what is wanted of it by somebody who has seen it as it was. */
export function differencesOf({
  now,
  wanted,
  seen = {},
}: {
  now: Now
  wanted: { fields?: Patch; alerts?: AlertWish | undefined }
  seen?: Partial<CheckState> | undefined
}) {
  // What nobody decides about stays as it is, be it what nobody could create here.
  const isDecided = Object.keys(wanted.fields ?? {}).length > 0
  const fields = isDecided ? patched(now.fields, wanted.fields ?? {}) : now.fields
  const changed = differing(now.fields, fields)
  const alerts = now.alerts ?? []
  const desired = wanted.alerts ? desiredAlerts(alerts, wanted.alerts) : alerts
  const mails = desired && sameAlerts(alerts, desired) ? undefined : desired
  const isLost = desired === undefined
  const [without, instead] = mails ? [mailed(alerts, mails, '−'), mailed(mails, alerts, '+')] : []
  const saidOf = (state: Patch, people: string | undefined): string[] => [
    ...changed.map((field) => said(field, state[field])),
    ...(people === undefined ? [] : [people]),
  ]
  return {
    /** The check as it then is. */
    next: { fields, alerts: desired ?? alerts },
    /** The fields that have to change for that. */
    patch: picked(fields, changed),
    /** Its alerts then, where those have to change. */
    mails,
    /** What somebody else has changed since it was seen, and would be overwritten. */
    conflicts: [
      ...changed.filter((field) => isChangedSince(now, seen, field)),
      ...((mails || isLost) && areMailsChangedSince(now, seen) ? (['alerts'] as const) : []),
    ],
    /** Why it cannot be written. */
    fault: faultOf(fields, changed, isLost),
    isNone: changed.length === 0 && !mails && !isLost,
    /** `port 443 → 8443, …` */
    says: [
      ...changed.map((field) => `${said(field, now.fields[field])} → ${said(field, fields[field], '')}`),
      ...(mails ? [`${without} → ${instead}`] : []),
    ].join(', '),
    /** `port 443`, and what it becomes. */
    was: saidOf(now.fields, without),
    becomes: saidOf(fields, instead),
  }
}

const isChangedSince = (now: Now, seen: Partial<CheckState>, field: CheckField): boolean =>
  seen.fields?.[field] !== undefined && (now.fields[field] ?? null) !== seen.fields[field]

const areMailsChangedSince = (now: Now, seen: Partial<CheckState>): boolean =>
  seen.alerts !== undefined && !sameAlerts(now.alerts ?? [], seen.alerts)

/** Whether somebody else has changed anything that was seen of a check. */
export const isAsSeen = (now: Now, seen: Partial<CheckState> = {}): boolean =>
  !FIELDS.some((field) => isChangedSince(now, seen, field)) && !areMailsChangedSince(now, seen)

function faultOf(fields: Patch, changed: readonly CheckField[], isLost: boolean): string | undefined {
  if (!bodyFrom(fields)) return 'The service does not say all of it, so that it cannot be written back whole.'
  if (isLost) return 'Some of its alerts cannot be read whole, and would be lost.'
  const { target, protocol } = fields
  // What was there before is the service's own.
  if (!target || !(changed.includes('target') || changed.includes('protocol'))) return undefined
  return faultOfTarget(target, protocol ?? undefined)
}

/** The edit that makes these differences and no others, and only as long as what it changes is as it was seen. */
export const editOf = (
  { uuid, name, given }: Pick<Edit, 'uuid' | 'name'> & { given: string | null | undefined },
  now: Now,
  { patch, mails }: Differences,
): Edit => ({
  do: 'edit',
  uuid,
  name,
  patch,
  expects: {
    fields: picked(now.fields, differing(now.fields, { ...now.fields, ...patch })),
    ...(mails && now.alerts && { alerts: now.alerts.map(bodyOf) }),
  },
  ...(mails && { alerts: { exactly: mails } }),
  ...(given && { given }),
})

type Compared = { readonly [Field in CheckField]?: HealthCheckBody[Field] | null | undefined }

/** What tells one health check from another in every listing. */
export function keyOf(check: Compared): string {
  const { name, customerId, protocol, target, port, frequency } = check
  return JSON.stringify([name, customerId, protocol?.toUpperCase(), target?.toLowerCase(), port, frequency])
}

/** Whether the service's check is what was asked for; what its listing does not show is no difference. */
export function isSame(wanted: HealthCheckBody, check: Compared): boolean {
  const agrees = (field: 'httpServerAddress' | 'verifySsl'): boolean =>
    wanted[field] === undefined || check[field] === undefined || wanted[field] === check[field]
  return keyOf(wanted) === keyOf(check) && agrees('httpServerAddress') && agrees('verifySsl')
}
