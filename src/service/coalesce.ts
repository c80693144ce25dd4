import { ApiError } from './errors.ts'

/** A read in progress and the number of callers that are waiting for it. */
interface SharedCall {
  waiting: number
  readonly abortController: AbortController
  readonly result: Promise<unknown>
}

export type Coalescer = ReturnType<typeof createCoalescer>

/** Lets concurrent callers share one read. Reads with the same key must have the same type of result. */
export function createCoalescer() {
  const scopes = new Map<string, Map<string, SharedCall>>()

  const remove = (scope: string, key: string, call: SharedCall): void => {
    const calls = scopes.get(scope)
    if (calls?.get(key) !== call) return
    calls.delete(key)
    if (calls.size === 0) scopes.delete(scope)
  }

  const joinOrStart = (
    scope: string,
    key: string,
    start: (signal: AbortSignal) => Promise<unknown>,
  ): SharedCall => {
    const running = scopes.get(scope)?.get(key)
    if (running) return running
    const abortController = new AbortController()
    const succeed = (value: unknown): unknown => {
      remove(scope, key, call)
      return value
    }
    const fail = (error: unknown): never => {
      remove(scope, key, call)
      throw error
    }
    const call: SharedCall = {
      waiting: 0,
      abortController,
      result: start(abortController.signal).then(succeed, fail),
    }
    const calls = scopes.get(scope) ?? new Map<string, SharedCall>()
    scopes.set(scope, calls.set(key, call))
    return call
  }

  return {
    /**
     * Starts the read of `key`, or joins the one in progress in the same scope. A caller's signal cancels only its own wait.
     * The read is aborted when nobody waits for it anymore. Callers share the result and must not change it.
     */
    async share<T>(
      scope: string,
      key: string,
      start: (signal: AbortSignal) => Promise<T>,
      signal?: AbortSignal,
    ): Promise<T> {
      if (signal?.aborted) throw createCancelledError()
      const call = joinOrStart(scope, key, start)
      call.waiting += 1
      const value = await waitFor(call, signal, () => remove(scope, key, call))
      // Reads with the same key have the same type of result (see above).
      return value as T
    },
    /**
     * Call this after a write. Reads that are already running may return data from before the write, so later callers start a new
     * read instead of joining them.
     */
    detachRunningReads: (scope: string): void => void scopes.delete(scope),
  }
}

function createCancelledError(): ApiError {
  return new ApiError('cancelled', 'cancelled by the caller')
}

function waitFor(
  call: SharedCall,
  signal: AbortSignal | undefined,
  onAbandoned: () => void,
): Promise<unknown> {
  // A caller without a signal can't cancel, so it stays counted in `call.waiting` and the read isn't aborted.
  if (!signal) return call.result
  return new Promise((resolve, reject) => {
    const stopWaiting = (): void => {
      reject(createCancelledError())
      call.waiting -= 1
      if (call.waiting > 0) return
      onAbandoned()
      call.abortController.abort()
    }
    signal.addEventListener('abort', stopWaiting, { once: true })
    call.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', stopWaiting))
  })
}
