import type { ActSteps } from './command-context.ts'

/** Remembers what `make` returns. `isFirst`: it was made by this run of the act, and not by one that a crash cut short. */
export async function rememberFirst<T>(
  context: Pick<ActSteps, 'remember'>,
  step: string,
  make: () => T,
): Promise<{ readonly value: T; readonly isFirst: boolean }> {
  let isFirst = false
  const value = await context.remember(step, async () => {
    isFirst = true
    return make()
  })
  return { value, isFirst }
}

/** Whether this act runs for the first time. If it doesn't, a step may find something gone because the act itself removed it. */
export const isFirstRun = async (context: Pick<ActSteps, 'remember'>): Promise<boolean> =>
  (await rememberFirst(context, 'first run', () => true)).isFirst
