/** Waits, or until the signal aborts; either way it resolves, and the signal tells which. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (ms <= 0 || signal.aborted) return resolve()
    const timer = setTimeout(over, ms)
    signal.addEventListener('abort', over, { once: true })
    function over(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
  })
