import { createHash } from 'node:crypto'
import type { HeldThing, NewHolder } from '../../../bot/routes/routes.ts'

/** Who hands over to whom, and who has asked for that. */
export interface People {
  readonly from: NewHolder & { readonly hasLeft: boolean }
  readonly to: NewHolder
  readonly askedBy: string
}

/** What a person holds of one kind; things with `stays` don't change hands. */
export interface Held {
  readonly one: string
  readonly many: string
  readonly things: readonly HeldThing[]
  readonly notes: readonly string[]
}

/** What changed hands of one kind, of how many. */
export interface HandedOver {
  readonly one: string
  readonly many: string
  readonly given: readonly HeldThing[]
  readonly asked: number
}

/** The same for the same things: what a press of the button agrees to. */
export const digestOf = (held: readonly Held[]): string =>
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
