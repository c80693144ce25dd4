/** Runs `work` again and again with a pause in between; after a failure, `onError` gives the pause. */
export function everySoOften(
  pauseMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => number,
): Disposable {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const next = (inMs: number): void => {
    if (isOver) return
    timer = setTimeout(
      () =>
        void work().then(
          () => next(pauseMs),
          (error: unknown) => next(onError(error)),
        ),
      inMs,
    )
    timer.unref()
  }
  next(pauseMs)
  return {
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
