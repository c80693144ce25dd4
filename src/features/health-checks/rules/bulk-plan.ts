import type { Step } from './change.ts'
import type { LeftOut } from './plan.ts'
import type { ListedAddresses } from './server-address.ts'

/** A check, its current values, and its new ones. */
export type PreviewRow = readonly [name: string, now: string, then: string]

/** The plan for changing many checks at once. */
export interface BulkPlan {
  readonly steps: readonly Step[]
  /** One for each step. */
  readonly rows: readonly PreviewRow[]
  /** Describes which checks match. Those given by UUID are named. */
  readonly matchText: string
  /** How many checks match. */
  readonly matchCount: number
  /** How many of them already have the wanted values. */
  readonly unchangedCount: number
  readonly leftOut: readonly LeftOut[]
  /** Everyone who stops getting alert emails about a check. */
  readonly droppedRecipients: readonly string[]
  /** Customers of matching checks other than the requested one. */
  readonly subsidiaries: { readonly count: number; readonly customers: readonly number[] }
  /** Similar names, if nothing matches. */
  readonly similarNames: readonly string[]
  /** Why the service may have missed matching checks. */
  readonly incompleteReason: string | undefined
  /** True if the service lists fewer checks than it counts. Nothing starts with such a list. */
  readonly isStartBlocked: boolean
  readonly listedAddresses: ListedAddresses
  /** Whether some rows show a server address, which proves that checks have one. */
  readonly showsAddresses: boolean
  /** Identifies the changes, to apply only what the preview showed. */
  readonly digest: string
}
