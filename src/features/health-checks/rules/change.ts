import type { AlertBody } from '../../../service/alerts.ts'

/** Which IP address the service connects to. Its details show one in any case; only a listing may tell who chose it. */
export type Address =
  /** TCP has none. */
  | { readonly is: 'none' }
  /** The domain in the target is resolved. */
  | { readonly is: 'resolve' }
  | { readonly is: 'given'; readonly ip: string }
  /** The service doesn't say whether the address that it shows was given or resolved. */
  | { readonly is: 'unknown'; readonly shown?: string | undefined }

/** The settings of a health check. What the service didn't say is absent; JSON keeps all of it. */
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

/** In the order in which they are shown. */
export const EVERY_FIELD = [
  'name',
  'protocol',
  'target',
  'port',
  'frequency',
  'customerId',
  'address',
  'verifySsl',
] as const satisfies readonly Field[]

/** What makes a check the one that was shown: a step skips a check that differs in one of these. */
export const IDENTITY = ['name', 'target', 'customerId'] as const satisfies readonly Field[]

export type Patch = Partial<Fields>

/** A check with its recipients. */
export interface State {
  readonly fields: Fields
  readonly alerts: readonly AlertBody[]
  /** True where some of its alerts can't be read whole: writing the others would lose those. */
  readonly hasUnreadable?: true | undefined
}

/** A check as it was read just now. */
export interface Now {
  readonly uuid: string
  /** The version that was read, as the service dates it; ISO text. */
  readonly modifiedAt: string | undefined
  readonly state: State
}

/** What becomes of the recipients of a check: these lists and no others, or those there are, with people added and removed. */
export type RecipientChange =
  | { readonly exactly: readonly AlertBody[] }
  | { readonly add: readonly string[]; readonly remove: readonly string[]; readonly onlyWhere?: string }

/** What to write for a check whose server address is unknown: a person's answer. */
export const UNKNOWN_ANSWERS = ['leave-out', 'resolve', 'keep'] as const
export type UnknownAnswer = (typeof UNKNOWN_ANSWERS)[number]

/** What a verb wants of one check. Verbs differ in these rows alone. */
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

/** What has to be so of a check, or its step is skipped. */
export type Expected = Patch & { readonly alerts?: readonly AlertBody[] | undefined }

/** The version that the preview read, and its address: known for as long as the version is the same. */
export interface Seen {
  readonly modifiedAt: string | undefined
  readonly address: Address
}

export interface Creation {
  readonly do: 'create'
  readonly line: number
  readonly name: string
  readonly to: State
  /** The UUID of the deleted check that it brings back. */
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
  readonly seen: Seen
  readonly unknown: UnknownAnswer
}

export interface Deletion {
  readonly do: 'delete'
  readonly line: number
  readonly name: string
  readonly uuid: string
  readonly expects: Expected
  readonly seen: Seen
}

export type Step = Creation | Edit | Deletion

/** Where a step is: `same` was so already, `unclear` is for a person to look at. */
export type StepState = 'ready' | 'begun' | 'done' | 'same' | 'skipped' | 'refused' | 'unclear'

/** A step and what is known of it, as it is stored beside its state. */
export interface StepRecord {
  readonly step: Step
  /** A request for it may have left. */
  readonly isTried?: true | undefined
  /** The check before, and as it is wanted; after the step, as the step left it. Stored before a request leaves. */
  readonly before?: State | undefined
  readonly after?: State | undefined
  /** Of a creation, once the service has answered. */
  readonly uuid?: string | undefined
  /** Why it was skipped, refused, or only done in part. */
  readonly says?: string | undefined
  /** The service refused a part of it; the rest is done. */
  readonly isPartial?: true | undefined
}

export type Settled = Exclude<StepState, 'ready' | 'begun'>

export type Request =
  | { readonly method: 'create'; readonly fields: Fields }
  | { readonly method: 'update'; readonly uuid: string; readonly fields: Fields }
  | { readonly method: 'delete'; readonly uuid: string }
  /** Makes the recipients these; without a UUID, those of the check that was just created. */
  | { readonly method: 'alerts'; readonly uuid: string | undefined; readonly to: readonly AlertBody[] }

/** What the service has just now for a step. */
export interface Look {
  /** The step's own check, where it has a UUID. */
  readonly now: Now | undefined
  /** For a creation: the checks of its name and customer. */
  readonly alike: readonly Now[]
}
