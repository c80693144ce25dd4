/**
 * A signal that aborts when the time is up or when one of these signals does. Disposing of it leaves nothing behind: a signal of
 * `AbortSignal.timeout` lives until its time is up, and each one of `AbortSignal.any` makes the next one of the same signal slower.
 */
export function limitTime(
  ms: number,
  ...signals: readonly (AbortSignal | undefined)[]
): Disposable & { readonly signal: AbortSignal } {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new DOMException('The time is up.', 'TimeoutError')), ms)
  const stop = (): void => {
    const aborted = signals.find((signal) => signal?.aborted)
    if (aborted) limit.abort(aborted.reason)
  }
  stop()
  for (const signal of signals) signal?.addEventListener('abort', stop)
  return {
    signal: limit.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', stop)
    },
  }
}
