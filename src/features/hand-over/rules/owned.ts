import { createHash } from 'node:crypto'
import type { HeldThing, NewHolder } from '../../../bot/routes/routes.ts'

/** Who hands over to whom, and who asked for it. */
export interface People {
  readonly from: NewHolder & { readonly hasLeft: boolean }
  readonly to: NewHolder
  readonly askedBy: string
}

/** Everything of one kind that a person owns. Things with `whyNot` can't be transferred. */
export interface OwnedThings {
  readonly one: string
  readonly many: string
  readonly things: readonly HeldThing[]
  readonly notes: readonly string[]
}

/** The things of one kind that were transferred, and how many should have been. */
export interface HandedOver {
  readonly one: string
  readonly many: string
  readonly given: readonly HeldThing[]
  readonly asked: number
}

/** Identifies the things in a preview, to transfer only what the person saw. */
export const digestOwned = (owned: readonly OwnedThings[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(
        owned.map(({ many, things }) => [
          many,
          things
            .map(({ id, environment, whyNot }) => `${environment} ${id} ${whyNot === undefined}`)
            .toSorted(),
        ]),
      ),
    )
    .digest('base64url')
    .slice(0, 22)
