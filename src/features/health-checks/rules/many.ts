import type { Step } from './change.ts'
import type { LeftOut } from './plan.ts'
import type { AddressListing } from './server-address.ts'

/** A check, what of it changes, and what becomes of that. */
export type PreviewRow = readonly [name: string, now: string, then: string]

/** What would be done to many checks at once. */
export interface ManyPlan {
  readonly steps: readonly Step[]
  /** One for each step. */
  readonly rows: readonly PreviewRow[]
  /** Which are meant, in words: a check that was named by its UUID, by its name. */
  readonly which: string
  /** How many are meant. */
  readonly meant: number
  /** How many of them are so already. */
  readonly same: number
  readonly leftOut: readonly LeftOut[]
  /** Everyone who stops getting alert emails about some check. */
  readonly losing: readonly string[]
  /** Checks of other customers than the one that was asked for. */
  readonly subsidiaries: { readonly count: number; readonly customers: readonly number[] }
  /** Names that were likely meant, where none fits. */
  readonly similar: readonly string[]
  /** Why others may be meant that were not found. */
  readonly unseen: string | undefined
  /** Whether the service lists fewer than it says that there are: nothing is begun on such a list. */
  readonly isShort: boolean
  readonly listing: AddressListing
  /** Whether some rows show a server address: then nobody can say that no check has one. */
  readonly showsAddresses: boolean
  /** The same for the same changes of the same checks: what is carried out is what was shown. */
  readonly digest: string
}
