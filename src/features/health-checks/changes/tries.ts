import type { ApiError } from '../../../api/errors.ts'
import { explain } from '../../../bot/replies/explain.ts'
import { serviceSaid } from '../../../bot/replies/service-said.ts'

/** So many calls to the service at the same time. */
const IN_FLIGHT = 5

export type Tried<T> = { value: T } | { error: unknown }

/** Every item, a few at a time; what one of them throws keeps no other from being done. */
export async function each<Item, T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
  atOnce = IN_FLIGHT,
): Promise<Tried<T>[]> {
  const results: Tried<T>[] = []
  const waiting = [...items.entries()]
  async function next(): Promise<void> {
    for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
      const [index, item] = entry
      results[index] = await work(item).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  return results
}

/** Nothing that waiting would mend. */
export const ENDS: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden'])

export function sentenceOf(error: ApiError): string {
  const { happened, said, next } = explain(error)
  return [happened, ...serviceSaid(said), next].join(' ')
}
