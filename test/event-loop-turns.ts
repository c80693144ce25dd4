/** Counts the turns of the event loop while the work runs. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  count()
  await work()
  isDone = true
  return turns
}
