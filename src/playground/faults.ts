import type { Fault } from './protocol.ts'

export type Faults = ReturnType<typeof createFaults>

/** What the Web API is told to do wrong: the first fault of a method is used up before the next. */
export function createFaults() {
  let faults: (Fault & { times: number })[] = []
  return {
    replace(next: Fault[]): void {
      faults = next.map((fault) => ({ ...fault, times: fault.times ?? 1 }))
    },
    list: (): readonly Fault[] => faults,
    /** The fault for this call, counted down; undefined when the call is to go well. */
    take(method: string): Fault | undefined {
      const fault = faults.find((one) => one.method === method && one.times > 0)
      if (fault) fault.times -= 1
      return fault
    },
  }
}
