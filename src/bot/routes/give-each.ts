import { Refusal, UserError } from '@signalman/runtime'
import type { HeldThing } from './routes.ts'

/** Gives things one after the other. Returns the IDs of those that changed hands: of the others the audit log says why not. Throws Refusal for whoever has lost the right. */
export async function giveEach(
  things: readonly HeldThing[],
  give: (thing: HeldThing) => Promise<unknown>,
): Promise<string[]> {
  const given: string[] = []
  for (const thing of things)
    try {
      await give(thing)
      given.push(thing.id)
    } catch (error) {
      if (!(error instanceof UserError) || error instanceof Refusal) throw error
    }
  return given
}
