import type { AlertBody } from '../../../api/alerts.ts'
import type { HealthCheck, HealthCheckBody } from '../../../api/health-checks.ts'

/** What a person decides about a check; `null` takes away what can be left out. JSON keeps all of it. */
export type Patch = { readonly [Field in keyof HealthCheckBody]?: HealthCheckBody[Field] | null }

/** A check as it was, or is to be; what the service did not say is absent. */
export interface CheckState {
  readonly fields: Patch
  readonly alerts: readonly AlertBody[]
}

/** What is to become of the alerts of a check: these and no others, or those there are with people added and taken out. */
export type AlertWish =
  | { readonly exactly: readonly AlertBody[] }
  | { readonly add: readonly string[]; readonly remove: readonly string[]; readonly onlyWhere?: string }

export interface Creation {
  readonly do: 'create'
  readonly body: HealthCheckBody
  readonly alerts: readonly AlertBody[]
  /** Checks just like it that were there before: finding one of them proves nothing. */
  readonly twins?: readonly string[]
  /** True once a request for it may have left. */
  readonly isTried?: true
}

export interface Edit {
  readonly do: 'edit'
  readonly uuid: string
  readonly name: string
  readonly patch: Patch
  readonly alerts?: AlertWish
  /** What must still hold of it, or it is left as it is. */
  readonly expects?: Partial<CheckState>
  /** The server address that its listing showed: one that somebody gave, and that was not resolved. */
  readonly given?: string
  /** Written down before a request for it leaves. */
  readonly before?: CheckState
  readonly after?: CheckState
}

export interface Deletion {
  readonly do: 'delete'
  readonly uuid: string
  readonly name: string
  readonly expects?: Partial<CheckState>
  readonly given?: string
  readonly before?: CheckState
}

/** One step of a job that changes health checks: what is to be so afterwards, however often it is begun. */
export type Change = Creation | Edit | Deletion

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
