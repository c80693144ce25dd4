import { isIP } from 'node:net'
import { formatDuration } from '@signalman/runtime'
import { clipApart, oneLine } from '@signalman/slack'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import {
  CHECK_FIELDS,
  type CheckField,
  DEFAULT_PORTS,
  FIELDS,
  findUrlPort,
  type Patch,
  protocolHasField,
  type Settings,
} from './fields.ts'

/** The fields by which people know a check. If one of them has changed since a preview, the check isn't written. */
const IDENTITY_FIELDS: readonly CheckField[] = ['name', 'target', 'customerId']

export const pickCheckSettings = (check: Settings): Settings =>
  Object.fromEntries(
    FIELDS.flatMap((field) =>
      check[field] !== undefined && protocolHasField(field, check.protocol) ? [[field, check[field]]] : [],
    ),
  )

/** The port that a patch means without saying so: the one in a new URL, or the default for one that the protocol or the old URL implied. */
function impliedPort({ protocol = '', target = '', port }: Settings, patch: Patch): number | undefined {
  const urlPort = patch.target === undefined ? undefined : findUrlPort(patch.target)
  const wasImplied =
    port !== undefined &&
    (port === DEFAULT_PORTS[protocol.toUpperCase()] ||
      (patch.target !== undefined && port === findUrlPort(target)))
  const defaultPort = DEFAULT_PORTS[(patch.protocol ?? protocol).toUpperCase()]
  return urlPort ?? (wasImplied ? defaultPort : undefined) ?? port
}

/** The settings after a patch. Leaves out what the protocol doesn't have. */
export function applyPatch(settings: Settings, patch: Patch): Settings {
  const { httpServerAddress: address, ...others } = patch
  const next = {
    ...settings,
    ...others,
    port: patch.port ?? impliedPort(settings, patch),
    httpServerAddress: address === null ? undefined : (address ?? settings.httpServerAddress),
  }
  const isNewlyHttps =
    next.protocol?.toUpperCase() === 'HTTPS' && settings.protocol?.toUpperCase() !== 'HTTPS'
  return pickCheckSettings({ ...next, verifySsl: next.verifySsl ?? (isNewlyHttps ? true : undefined) })
}

/** A patch in which a new URL decides between HTTP and HTTPS, unless the protocol is set, too. */
export function followUrl<P extends Patch>(patch: P, { protocol = '' }: Settings): P {
  const scheme = /^https?(?=:)/i.exec(patch.target ?? '')?.[0].toUpperCase()
  const isWeb = protocol.toUpperCase() !== 'TCP'
  return scheme && isWeb && patch.protocol === undefined ? { ...patch, protocol: scheme } : patch
}

/** The body of a request; undefined if the service didn't return a value that it needs. */
export function toBody(settings: Settings): HealthCheckBody | undefined {
  const isComplete = FIELDS.every(
    (field) =>
      field === 'httpServerAddress' ||
      settings[field] !== undefined ||
      !protocolHasField(field, settings.protocol),
  )
  return isComplete ? (settings as HealthCheckBody) : undefined
}

const normalize = (field: CheckField, value: unknown): unknown => {
  if (typeof value !== 'string') return value
  if (field === 'protocol') return value.toUpperCase()
  if (field === 'httpServerAddress' && isIP(value) === 6) return URL.parse(`http://[${value}]`)?.hostname
  // The service may lowercase the scheme and the host.
  if (field === 'target')
    return value.replace(/^(?:[a-z][a-z+.-]*:\/\/)?[^/?#]*/i, (host) => host.toLowerCase())
  return value.trim()
}

/** Whether the service treats these values of a field as equal. */
export const sameValue = (field: CheckField, left: Settings, right: Settings): boolean =>
  normalize(field, left[field]) === normalize(field, right[field])

export const listDiffering = (left: Settings, right: Settings): CheckField[] =>
  FIELDS.filter((field) => !sameValue(field, left, right))

/**
 * The first setting of a check that somebody has changed since it was read: an identifying one, or one that the patch changes. A value
 * that the patch itself sets isn't somebody else's.
 */
export function findForeignChange(before: Settings, now: Settings, patch: Patch): string | undefined {
  const after = applyPatch(before, patch)
  const written = listDiffering(before, after)
  const field = FIELDS.find(
    (each) =>
      (IDENTITY_FIELDS.includes(each) || written.includes(each) || patch[each] !== undefined) &&
      !sameValue(each, now, before) &&
      !sameValue(each, now, after) &&
      // What a resolved address is now is up to the service.
      !(each === 'httpServerAddress' && after.httpServerAddress === undefined),
  )
  return field && describeChange(field, before, now)
}

export function describeChange(field: CheckField, before: Settings, now: Settings): string {
  const [value, old] = clipValues([formatValue(field, now), formatValue(field, before)])
  return `Its ${CHECK_FIELDS[field].label} is now ${value}, not ${old}.`
}

const MAX_VALUE_LENGTH = 80

/** An old and a new value, or both ways around, as a message has room for them. */
export const clipValues = ([left, right]: Values): Values => [
  clipApart(left, [right], MAX_VALUE_LENGTH),
  clipApart(right, [left], MAX_VALUE_LENGTH),
]
export type Values = readonly [left: string, right: string]

const HOUR_S = 3600

export function formatValue(field: CheckField, settings: Settings): string {
  const value = settings[field]
  if (value === undefined || value === '')
    return field === 'httpServerAddress' && protocolHasField(field, settings.protocol) ? 'from DNS' : 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return field === 'frequency' ? formatFrequency(Number(value)) : oneLine(String(value))
}

/** `every 60 s`, `every 60000 s (16 h 40 min)`: whoever meant milliseconds notices. */
export const formatFrequency = (seconds: number): string =>
  `every ${seconds} s${seconds < HOUR_S ? '' : ` (${formatDuration(seconds * 1000)})`}`

/** `port 443`, `every 60 s`. */
export const formatSetting = (field: CheckField, settings: Settings): string =>
  nameSetting(field, formatValue(field, settings))

/** A frequency is known by its value. */
export const nameSetting = (field: CheckField, value: string): string =>
  field === 'frequency' ? value : `${CHECK_FIELDS[field].label} ${value}`

/** Says which two ports a check would have, if its target is a URL that names another one than its port. */
export function describePortConflict({ target = '', port }: Settings): string | undefined {
  const urlPort = findUrlPort(target)
  if (urlPort === undefined || port === undefined || urlPort === port) return undefined
  return `Its target says port ${urlPort}, but its port would be ${port}. Give both the same port, or a target without one.`
}
