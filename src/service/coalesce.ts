import { ApiError } from './errors.ts'

/** A read in progress, and who waits for it. */
interface SharedCall {
  waiting: number
  readonly stop: AbortController
  readonly result: Promise<unknown>
}

export type Coalescer = ReturnType<typeof createCoalescer>

/** Reads in progress. One key must always mean one kind of result. */
export function createCoalescer() {
  const scopes = new Map<string, Map<string, SharedCall>>()

  const forget = (scope: string, key: string, call: SharedCall): void => {
    const calls = scopes.get(scope)
    if (calls?.get(key) !== call) return
    calls.delete(key)
    if (calls.size === 0) scopes.delete(scope)
  }

  const take = (scope: string, key: string, start: (signal: AbortSignal) => Promise<unknown>): SharedCall => {
    const known = scopes.get(scope)?.get(key)
    if (known) return known
    const stop = new AbortController()
    const succeed = (value: unknown): unknown => {
      forget(scope, key, call)
      return value
    }
    const fail = (error: unknown): never => {
      forget(scope, key, call)
      throw error
    }
    const call: SharedCall = { waiting: 0, stop, result: start(stop.signal).then(succeed, fail) }
    const calls = scopes.get(scope) ?? new Map<string, SharedCall>()
    scopes.set(scope, calls.set(key, call))
    return call
  }

  return {
    /**
     * Starts the work of `key`, or joins the one in progress in the same scope. A caller's signal only ends its own wait;
     * the work is aborted when nobody waits anymore. Callers share the result and must not change it.
     */
    async share<T>(
      scope: string,
      key: string,
      start: (signal: AbortSignal) => Promise<T>,
      signal?: AbortSignal,
    ): Promise<T> {
      if (signal?.aborted) throw cancelled()
      const call = take(scope, key, start)
      call.waiting += 1
      const value = await wait(call, signal, () => forget(scope, key, call))
      // One key means one kind of result (see above), so this call returns what `start` creates.
      return value as T
    },
    /** Closes the scope's running reads to new callers: after a write, they would return the old state. */
    close: (scope: string): void => void scopes.delete(scope),
  }
}

function cancelled(): ApiError {
  return new ApiError('cancelled', 'given up by the caller')
}

function wait(call: SharedCall, signal: AbortSignal | undefined, abandon: () => void): Promise<unknown> {
  if (!signal) return call.result
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(cancelled())
      call.waiting -= 1
      if (call.waiting > 0) return
      abandon()
      call.stop.abort()
    }
    signal.addEventListener('abort', leave, { once: true })
    call.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
