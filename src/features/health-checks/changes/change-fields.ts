import type { HealthCheck, HealthCheckBody } from '../../../api/health-checks.ts'
import type { Patch } from './change.ts'

export const FIELDS = [
  'name',
  'customerId',
  'protocol',
  'target',
  'port',
  'frequency',
  'httpServerAddress',
  'verifySsl',
] as const satisfies readonly (keyof HealthCheckBody)[]

/** What there is of a check; `given` stands in for a server address that may have been resolved. */
export const fieldsOf = (check: HealthCheck, given: string | undefined): Patch =>
  Object.fromEntries(
    FIELDS.flatMap((field) => {
      const value = field === 'httpServerAddress' ? given : check[field]
      return value === undefined ? [] : [[field, value]]
    }),
  )

/** The fields with the patch put over them; what does not go with the protocol then goes. */
export function patched(fields: Patch, patch: Patch): Patch {
  const all: Patch = { ...fields, ...patch }
  const protocol = all.protocol?.toUpperCase()
  const isKept = (field: keyof HealthCheckBody): boolean =>
    all[field] !== undefined &&
    all[field] !== null &&
    (field !== 'httpServerAddress' || protocol !== 'TCP') &&
    (field !== 'verifySsl' || protocol === 'HTTPS')
  return Object.fromEntries(FIELDS.filter(isKept).map((field) => [field, all[field]]))
}

/** Whether every field of `wanted` is so; one that is `null` there must be absent. */
export const holds = (fields: Patch, wanted: Patch): boolean =>
  FIELDS.every((field) => wanted[field] === undefined || (fields[field] ?? null) === wanted[field])

/** The fields in which two states differ. */
export const differing = (left: Patch, right: Patch): (keyof HealthCheckBody)[] =>
  FIELDS.filter((field) => (left[field] ?? null) !== (right[field] ?? null))

const NEEDED = ['name', 'customerId', 'protocol', 'target', 'port', 'frequency'] as const

/** What a write sends; undefined when the service has not said all that it takes. */
export function bodyFrom(fields: Patch): HealthCheckBody | undefined {
  const isWhole = NEEDED.every((field) => fields[field] !== undefined && fields[field] !== null)
  // Every needed field is there, and `patched` leaves no null.
  return isWhole ? (fields as HealthCheckBody) : undefined
}
