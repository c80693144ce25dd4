import type { AlertBody } from '../../../service/alerts.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'

/** What a person decides about a check; `null` takes away what can be left out. JSON keeps all of it. */
export type Patch = { readonly [Field in keyof HealthCheckBody]?: HealthCheckBody[Field] | null | undefined }

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
  /** The UUID of the deleted check that it brings back. */
  readonly replaces?: string
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
