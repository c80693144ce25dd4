import { asList, isFields, parseEmbeddedJson } from './json.ts'
import type { Fault, Fields } from './protocol.ts'

/** Whether a fault affects a call. A `refuse-block` fault affects only calls with such a block in the message or the view. */
function affects({ kind, block }: Fault, args: Fields): boolean {
  return kind !== 'refuse-block' || findRefusedBlock(args, block) !== undefined
}

/** The JSON pointer of the first block of a type. */
export function findRefusedBlock(args: Fields, block: string | undefined): string | undefined {
  const view = parseEmbeddedJson(args.view)
  const [pointer, blocks] = isFields(view)
    ? ['/view/blocks', view.blocks]
    : ['/blocks', parseEmbeddedJson(args.blocks)]
  const index = asList(blocks).findIndex((candidate) => isFields(candidate) && candidate.type === block)
  return index < 0 ? undefined : `${pointer}/${index}/type`
}

export type Faults = ReturnType<typeof createFaults>

/** Faults that tests inject into the Web API. Faults for the same method take effect one after the other. */
export function createFaults() {
  let faults: (Fault & { times: number })[] = []
  return {
    replace(next: Fault[]): void {
      faults = next.map((fault) => ({ ...fault, times: fault.times ?? 1 }))
    },
    list: (): readonly Fault[] => faults,
    /** Returns the fault for this call and uses it up once; undefined if the call should succeed. */
    take(method: string, args: Fields = {}): Fault | undefined {
      const fault = faults.find(
        (candidate) =>
          (candidate.method === method || candidate.method === '*') &&
          candidate.times > 0 &&
          affects(candidate, args),
      )
      if (fault) fault.times -= 1
      return fault
    },
  }
}
