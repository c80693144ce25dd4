/** Ends early with the signal. Never rejects, and keeps no process alive. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(over, ms)
    timer.unref()
    signal.addEventListener('abort', over, { once: true })
    function over(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
  })
