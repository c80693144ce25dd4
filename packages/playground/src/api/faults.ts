import type { Fault } from '../protocol/answers.ts'
import type { Fields } from '../protocol/json.ts'
import { asList, isFields, parseEmbeddedJson } from '../protocol/json.ts'

/** Whether a fault affects a call. A `refuse-block` fault affects only messages and views with a block of its type. */
function affectsCall({ kind, block }: Fault, args: Fields): boolean {
  return kind !== 'refuse-block' || findBlockPointer(args, block) !== undefined
}

/** The JSON pointer of the first block of a type in the call's message or view. */
export function findBlockPointer(args: Fields, block: string | undefined): string | undefined {
  const view = parseEmbeddedJson(args.view)
  const [pointer, blocks] = isFields(view)
    ? ['/view/blocks', view.blocks]
    : ['/blocks', parseEmbeddedJson(args.blocks)]
  const index = asList(blocks).findIndex((candidate) => isFields(candidate) && candidate.type === block)
  return index < 0 ? undefined : `${pointer}/${index}/type`
}

export type Faults = ReturnType<typeof createFaults>

/** The faults that tests inject into Web API calls. If a call matches several faults, the first one with uses left applies. */
export function createFaults() {
  let faults: (Fault & { times: number })[] = []
  return {
    replace(next: Fault[]): void {
      faults = next.map((fault) => ({ ...fault, times: fault.times ?? 1 }))
    },
    /** Returns the fault that applies to this call, if any, and uses it up once. */
    consume(method: string, args: Fields = {}): Fault | undefined {
      const fault = faults.find(
        (candidate) =>
          (candidate.method === method || candidate.method === '*') &&
          candidate.times > 0 &&
          affectsCall(candidate, args),
      )
      if (fault) fault.times -= 1
      return fault
    },
  }
}
