import { Refusal, UserError } from '@signalman/runtime'
import type { OwnedItem } from './routes.ts'

/**
 * Hands items over one by one. Returns the IDs of those that were handed over; the audit log says why the others weren't. Throws Refusal
 * if the person has lost the role.
 */
export async function handOverEach(
  items: readonly OwnedItem[],
  handOver: (item: OwnedItem) => Promise<unknown>,
): Promise<string[]> {
  const handedOverIds: string[] = []
  for (const item of items)
    try {
      await handOver(item)
      handedOverIds.push(item.id)
    } catch (error) {
      if (!(error instanceof UserError) || error instanceof Refusal) throw error
    }
  return handedOverIds
}
