import { createHash } from 'node:crypto'
import type { HeldThing, NewHolder } from '../../../bot/routes/routes.ts'

/** Who hands over to whom, and who asked for it. */
export interface People {
  readonly from: NewHolder & { readonly hasLeft: boolean }
  readonly to: NewHolder
  readonly askedBy: string
}

/** What a person owns of one kind. Things with `stays` can't be transferred. */
export interface OwnedThings {
  readonly one: string
  readonly many: string
  readonly things: readonly HeldThing[]
  readonly notes: readonly string[]
}

/** How many things of one kind were transferred. */
export interface HandedOver {
  readonly one: string
  readonly many: string
  readonly given: readonly HeldThing[]
  readonly asked: number
}

/** Equal for the same things, so that the button only transfers what the person saw. */
export const digestOwned = (held: readonly OwnedThings[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(
        held.map(({ many, things }) => [
          many,
          things
            .map(({ id, environment, stays }) => `${environment} ${id} ${stays === undefined}`)
            .toSorted(),
        ]),
      ),
    )
    .digest('base64url')
    .slice(0, 22)
