import type { Step } from './change.ts'
import type { LeftOut } from './plan.ts'

/** One line of the preview: the check's name, its current values, and its new values. */
export type PreviewRow = readonly [name: string, now: string, then: string]

/** A check whose server address is unknown, and the version that was read. */
export interface UnknownAddress {
  readonly uuid: string
  readonly modifiedAt: string | undefined
}

/** The plan for changing many checks at once. */
export interface BulkPlan {
  readonly steps: readonly Step[]
  /** One row for each step. */
  readonly rows: readonly PreviewRow[]
  /** Describes which checks match. Shows a check's name instead of a typed UUID. */
  readonly matchText: string
  /** How many checks match. */
  readonly matchCount: number
  /** How many of them already have the wanted values. */
  readonly unchangedCount: number
  /** The matching checks that it can't change. */
  readonly leftOut: readonly (LeftOut & { readonly uuid?: string | undefined })[]
  /** Everyone who stops getting alert emails about a check. */
  readonly droppedRecipients: readonly string[]
  /** The number of matching checks of other customers than the requested one, and these customers' IDs. */
  readonly subsidiaries: { readonly count: number; readonly customers: readonly number[] }
  /** Similar names, if nothing matches. */
  readonly similarNames: readonly string[]
  /** Why some matching checks may be missing from the plan. */
  readonly incompleteReason: string | undefined
  /** True if the service lists fewer checks than it counts. Then the change can't be started. */
  readonly isStartBlocked: boolean
  /** The checks whose server address a person has to settle. */
  readonly unknownAddresses: readonly UnknownAddress[]
  /** A digest of them. An answer counts only for the checks that the preview asked about. */
  readonly addressDigest: string
  /** A digest of the changes. They are applied only if the digest is still the one that the preview showed. */
  readonly digest: string
}
