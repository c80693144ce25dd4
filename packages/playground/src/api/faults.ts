import type { Fault } from '../protocol/answers.ts'
import type { Fields } from '../protocol/json.ts'
import { asList, parseEmbeddedJson } from '../protocol/json.ts'

/** Whether a fault affects a call. */
const affectsCall = ({ kind }: Fault, { blocks }: Fields): boolean =>
  kind !== 'refuse-blocks' || asList(parseEmbeddedJson(blocks)).length > 0

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
