/** A check that is asked of its source at most every `freshMs`, however often others ask; a failure is asked again at once. */
export function recentCheck(
  check: () => Promise<void>,
  freshMs: number,
  now: () => Date,
): () => Promise<void> {
  let passedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  return async () => {
    if (now().getTime() - passedAt < freshMs) return
    running ??= check().finally(() => {
      running = undefined
    })
    await running
    passedAt = now().getTime()
  }
}
