const POLL_LIMIT_MS = 20_000
const FULL_LIMIT_MS = 120_000

/** Ends a poll that takes too long, or whose lease is lost. A long listing gets more time. */
export function timeLimit(lease: AbortSignal): Disposable & { signal: AbortSignal; lengthen(): void } {
  const limit = new AbortController()
  const end = (): void => limit.abort()
  if (lease.aborted) end()
  lease.addEventListener('abort', end, { once: true })
  let timer = setTimeout(end, POLL_LIMIT_MS)
  return {
    signal: limit.signal,
    lengthen() {
      clearTimeout(timer)
      timer = setTimeout(end, FULL_LIMIT_MS)
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      lease.removeEventListener('abort', end)
    },
  }
}
