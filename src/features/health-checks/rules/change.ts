import type { AlertBody } from '../../../service/alerts.ts'
import type { ApiError } from '../../../service/errors.ts'

/**
 * The IP address that the service connects to. A check's details always show one, but not whether someone set it or the service
 * resolved it.
 */
export type Address =
  /** TCP checks have no server address. */
  | { readonly is: 'none' }
  /** The service resolves the domain in the target. */
  | { readonly is: 'resolve' }
  | { readonly is: 'set'; readonly ip: string }
  /** The service doesn't say whether the address was set or resolved. */
  | { readonly is: 'unknown'; readonly shown?: string | undefined }

/** The settings of a health check, in a form that can be stored as JSON. */
export interface Fields {
  readonly name?: string | undefined
  readonly protocol?: string | undefined
  readonly target?: string | undefined
  readonly port?: number | undefined
  /** Seconds between checks. */
  readonly frequency?: number | undefined
  readonly customerId?: number | undefined
  readonly address: Address
  readonly verifySsl?: boolean | undefined
}
export type Field = keyof Fields

/** In display order. */
export const ALL_FIELDS = [
  'name',
  'protocol',
  'target',
  'port',
  'frequency',
  'customerId',
  'address',
  'verifySsl',
] as const satisfies readonly Field[]

/** The fields that identify a check. If one of them differs from the preview, the check is skipped. */
export const IDENTITY_FIELDS = ['name', 'target', 'customerId'] as const satisfies readonly Field[]

export type Patch = Partial<Fields>

/** A check with its recipients. */
export interface State {
  readonly fields: Fields
  readonly alerts: readonly AlertBody[]
  /** True if some alerts can't be read completely, so that writing the alerts would lose recipients. */
  readonly hasUnreadable?: true | undefined
}

/** The current state of a check. */
export interface CurrentCheck {
  readonly uuid: string
  /** When the check was last changed, as ISO text. Identifies the version that was read. */
  readonly modifiedAt: string | undefined
  readonly state: State
}

/** One alert that is replaced. Without `from`, it's added; without `to`, it's removed. */
export interface AlertChange {
  readonly from?: AlertBody | undefined
  readonly to?: AlertBody | undefined
}

/**
 * The new recipients of a check: exactly these lists, the current ones with additions and removals, or the current ones with one
 * changed.
 */
export type RecipientChange =
  | { readonly exactly: readonly AlertBody[] }
  | { readonly alert: AlertChange }
  | { readonly add: readonly string[]; readonly remove: readonly string[]; readonly onlyWhere?: string }

/** The desired state of one check: a new check, a change, or a deletion. */
export type Desired = { readonly line: number } & (
  | { readonly is: 'new'; readonly to: State; readonly replaces?: string }
  | {
      readonly is: 'changed'
      readonly uuid: string
      readonly set: Patch
      readonly alerts?: RecipientChange | undefined
    }
  | { readonly is: 'gone'; readonly uuid: string }
)

/** The values that a check must have. If it doesn't, its step is skipped. */
export type Expected = Patch & { readonly alerts?: readonly AlertBody[] | undefined }

/** The version of a check that the preview read, and its address, which is valid for this version only. */
export interface SeenVersion {
  readonly modifiedAt: string | undefined
  readonly address: Address
}

export interface Creation {
  readonly do: 'create'
  readonly line: number
  readonly name: string
  readonly to: State
  /** The UUID of the deleted check that this restores. */
  readonly replaces?: string | undefined
}

export interface Edit {
  readonly do: 'edit'
  readonly line: number
  readonly name: string
  readonly uuid: string
  readonly set: Patch
  readonly alerts?: RecipientChange | undefined
  readonly expects: Expected
  readonly seen: SeenVersion
}

export interface Deletion {
  readonly do: 'delete'
  readonly line: number
  readonly name: string
  readonly uuid: string
  readonly expects: Expected
  readonly seen: SeenVersion
}

export type Step = Creation | Edit | Deletion

/**
 * The state of a step: `same` if nothing had to be done, `partial` if the rest can still be done, `unclear` if a person must check
 * the outcome.
 */
export const STEP_STATES = [
  'ready',
  'begun',
  'done',
  'partial',
  'same',
  'skipped',
  'refused',
  'unclear',
] as const
export type StepState = (typeof STEP_STATES)[number]

/** An error of the service as it is stored, so that a window can explain it. */
export type StoredApiError = Pick<
  ApiError,
  'kind' | 'message' | 'status' | 'serviceMessages' | 'codes' | 'retryAfterSeconds'
>

/** What the service answered instead of what was sent. */
export interface Answered {
  /** The first difference, as a sentence. */
  readonly difference: string
  readonly fields: Patch
  readonly alerts: readonly AlertBody[]
}

/** A step with its record, as stored next to its state. */
export interface StepRecord {
  readonly step: Step
  /** True if a request for the step may have been sent. */
  readonly mayHaveBeenSent?: true | undefined
  /** True if the audit log has recorded an unknown outcome, because the job ended before the outcome was known. */
  readonly isAuditedUnknown?: true | undefined
  /** The check before the step. Stored before a request is sent. */
  readonly before?: State | undefined
  /** The version of the check in `before`, if the service says one. */
  readonly beforeVersion?: string | undefined
  /** The wanted state; once the step is done, or done in part, the resulting one. */
  readonly after?: State | undefined
  /** The UUID of the created check, once the service has responded. */
  readonly uuid?: string | undefined
  /** Why the step was skipped, refused, or only partly done. */
  readonly reason?: string | undefined
  /** True for a creation that was skipped because another check has its name. */
  readonly isNameTaken?: true | undefined
  /** For a step of a window that wasn't done: the service's error. */
  readonly error?: StoredApiError | undefined
  /** Why the service refused part of the step, until a lookup shows what it did. */
  readonly refusal?: string | undefined
  /** How the service's answer differs from what was sent, until a lookup shows what the check has. */
  readonly answered?: Answered | undefined
  /** The check after an earlier run did only part of the step. */
  readonly partlyDone?: State | undefined
}

export type SettledState = Exclude<StepState, 'ready' | 'begun'>

/** A request to the service. */
export type Request =
  | { readonly method: 'create'; readonly fields: Fields }
  | { readonly method: 'update'; readonly uuid: string; readonly fields: Fields }
  | { readonly method: 'delete'; readonly uuid: string }
  /** Sets the alerts of a check. Without a UUID, sets those of the check that was just created. */
  | { readonly method: 'alerts'; readonly uuid: string | undefined; readonly to: readonly AlertBody[] }

/** The current state in the service of the checks that a step is about. */
export interface Lookup {
  /** The step's own check, if it has a UUID. */
  readonly current: CurrentCheck | undefined
  /** For a creation: the checks with its name and customer. */
  readonly namesakes: readonly CurrentCheck[]
}

/** The UUID of the check that the step writes to. Undefined for a creation that hasn't created its check yet. */
export const findTarget = ({ step, uuid }: StepRecord): string | undefined =>
  step.do === 'create' ? uuid : step.uuid
