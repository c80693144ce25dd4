import { Refusal, UserError } from '@signalman/runtime'
import type { HeldThing } from './routes.ts'

/**
 * Hands things over one by one. Returns the IDs that changed hands; the audit log says why the others didn't. Throws Refusal
 * for someone who lost the role.
 */
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
