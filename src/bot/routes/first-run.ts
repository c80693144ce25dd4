import type { ActSteps } from './command-context.ts'

/** Whether this act runs for the first time. If it doesn't, a step may find something gone because the act itself removed it. */
export async function isFirstRun(context: Pick<ActSteps, 'once'>): Promise<boolean> {
  let isFirst = false
  await context.once('first run', async () => {
    isFirst = true
    return true
  })
  return isFirst
}
