import { createHash } from 'node:crypto'
import { toId } from '@signalman/runtime'
import type { NewOwner, OwnedItem } from '../../../bot/routes/routes.ts'

/** The previous owner, the new owner, and who asked for the handover. */
export interface People {
  readonly from: NewOwner & { readonly hasLeft: boolean }
  readonly to: NewOwner
  readonly askedBy: string
}

/** Everything of one kind that a person owns. Items with a `blockedReason` can't be transferred. */
export interface OwnedKind {
  readonly singular: string
  readonly plural: string
  readonly items: readonly OwnedItem[]
  readonly notes: readonly string[]
}

/** The items of one kind that were transferred, and those that should have been. */
export interface TransferredKind {
  readonly singular: string
  readonly plural: string
  readonly items: readonly OwnedItem[]
  readonly remaining: readonly OwnedItem[]
}

export const isTransferable = ({ blockedReason }: OwnedItem): boolean => blockedReason === undefined

/** A digest of the items in a preview, so that only what the person saw is transferred. */
export const digestOwned = (owned: readonly OwnedKind[]): string =>
  toId(
    createHash('sha256')
      .update(
        JSON.stringify(
          owned.map(({ plural, items }) => [
            plural,
            items.map((item) => `${item.environment} ${item.id} ${isTransferable(item)}`).toSorted(),
          ]),
        ),
      )
      .digest(),
  )
