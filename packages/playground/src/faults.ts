import { isFields, listOf, opened } from './json.ts'
import type { Fault, Fields } from './protocol.ts'

/** A fault about one type of block affects only calls with such a block, in their blocks or their view's. */
function concerns({ kind, block }: Fault, args: Fields): boolean {
  return kind !== 'refuse-block' || refusedBlockAt(args, block) !== undefined
}

/** The JSON pointer of the first block of a type. */
export function refusedBlockAt(args: Fields, block: string | undefined): string | undefined {
  const view = opened(args.view)
  const [at, blocks] = isFields(view) ? ['/view/blocks', view.blocks] : ['/blocks', opened(args.blocks)]
  const index = listOf(blocks).findIndex((one) => isFields(one) && one.type === block)
  return index < 0 ? undefined : `${at}/${index}/type`
}

export type Faults = ReturnType<typeof createFaults>

/** What the Web API is told to do wrong: the first fault of a method is used up before the next one. */
export function createFaults() {
  let faults: (Fault & { times: number })[] = []
  return {
    replace(next: Fault[]): void {
      faults = next.map((fault) => ({ ...fault, times: fault.times ?? 1 }))
    },
    list: (): readonly Fault[] => faults,
    /** The fault for this call, counted down; undefined if the call should succeed. */
    take(method: string, args: Fields = {}): Fault | undefined {
      const fault = faults.find(
        (one) => (one.method === method || one.method === '*') && one.times > 0 && concerns(one, args),
      )
      if (fault) fault.times -= 1
      return fault
    },
  }
}
