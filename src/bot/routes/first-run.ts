import type { ActSteps } from './command-context.ts'

/** Calls `make` once per act. `isFirst`: the value was made by this run of the act, and not by one that a crash cut short. */
export async function makeOnce<T>(
  context: Pick<ActSteps, 'once'>,
  step: string,
  make: () => T,
): Promise<{ readonly value: T; readonly isFirst: boolean }> {
  let isFirst = false
  const value = await context.once(step, async () => {
    isFirst = true
    return make()
  })
  return { value, isFirst }
}

/** Whether this act runs for the first time. If it doesn't, a step may find something gone because the act itself removed it. */
export const isFirstRun = async (context: Pick<ActSteps, 'once'>): Promise<boolean> =>
  (await makeOnce(context, 'first run', () => true)).isFirst
