import { ApiError } from './errors.ts'

interface Flight {
  waiting: number
  joined: number
  readonly stop: AbortController
  readonly landed: Promise<unknown>
}

export interface Flights {
  /**
   * Starts the work of `key`, or joins the one under way in the same scope. A caller's signal ends only its own wait;
   * the work is stopped when nobody waits any more. A result that several callers receive is frozen.
   */
  share<T>(
    scope: string,
    key: string,
    start: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>
  /** Closes the scope's flights to newcomers: after a write, a read that began before it would answer with the past. */
  close(scope: string): void
}

/** The reads under way. One key must always stand for one kind of result. */
export function createFlights(): Flights {
  const scopes = new Map<string, Map<string, Flight>>()

  const forget = (scope: string, key: string, flight: Flight): void => {
    const flights = scopes.get(scope)
    if (flights?.get(key) !== flight) return
    flights.delete(key)
    if (flights.size === 0) scopes.delete(scope)
  }

  const take = (scope: string, key: string, start: (signal: AbortSignal) => Promise<unknown>): Flight => {
    const known = scopes.get(scope)?.get(key)
    if (known) return known
    const stop = new AbortController()
    const land = (value: unknown): unknown => {
      forget(scope, key, flight)
      return flight.joined > 1 ? freeze(value) : value
    }
    const crash = (error: unknown): never => {
      forget(scope, key, flight)
      throw error
    }
    const flight: Flight = { waiting: 0, joined: 0, stop, landed: start(stop.signal).then(land, crash) }
    const flights = scopes.get(scope) ?? new Map<string, Flight>()
    scopes.set(scope, flights.set(key, flight))
    return flight
  }

  return {
    async share<T>(
      scope: string,
      key: string,
      start: (signal: AbortSignal) => Promise<T>,
      signal?: AbortSignal,
    ): Promise<T> {
      if (signal?.aborted) throw cancelled()
      const flight = take(scope, key, start)
      flight.waiting += 1
      flight.joined += 1
      const value = await wait(flight, signal, () => forget(scope, key, flight))
      // One key stands for one kind of result (see above), so what this flight lands is what `start` makes.
      return value as T
    },
    close: (scope) => void scopes.delete(scope),
  }
}

function cancelled(): ApiError {
  return new ApiError('cancelled', 'given up by the caller')
}

function wait(flight: Flight, signal: AbortSignal | undefined, abandon: () => void): Promise<unknown> {
  if (!signal) return flight.landed
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(cancelled())
      flight.waiting -= 1
      if (flight.waiting > 0) return
      abandon()
      flight.stop.abort()
    }
    signal.addEventListener('abort', leave, { once: true })
    flight.landed.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

function freeze(value: unknown): unknown {
  // Bytes cannot be frozen; whoever asks for them sends them on as they are.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value))
    return value
  for (const part of Object.values(Object.freeze(value))) freeze(part)
  return value
}
