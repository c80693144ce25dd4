import { Refusal, UserError } from '@signalman/runtime'
import type { HeldThing } from './routes.ts'

/**
 * Hands things over one by one. Returns the IDs of those that were handed over; the audit log says why the others weren't. Throws Refusal
 * if the person has lost the role.
 */
export async function handOverEach(
  things: readonly HeldThing[],
  handOver: (thing: HeldThing) => Promise<unknown>,
): Promise<string[]> {
  const handedOverIds: string[] = []
  for (const thing of things)
    try {
      await handOver(thing)
      handedOverIds.push(thing.id)
    } catch (error) {
      if (!(error instanceof UserError) || error instanceof Refusal) throw error
    }
  return handedOverIds
}
