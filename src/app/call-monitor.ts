import { fetchOnce, type Log, rootCause, runPeriodically } from '@signalman/runtime'
import type { Store } from './store.ts'

const CALL_TIMEOUT_MS = 10_000
const CALL_EVERY_MS = 60_000

/** Calls the address once, and returns what was wrong with the answer. Its parts may be secret, so they're never repeated. */
export async function callMonitor(url: string, timeoutMs = CALL_TIMEOUT_MS): Promise<string | undefined> {
  try {
    const response = await fetchOnce(url, {
      // A redirect may lead to a login page, which answers with 200.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    return response.ok ? undefined : `it answers with ${response.status}`
  } catch (error) {
    return `no answer (${rootCause(error)})`
  }
}

/**
 * Calls the address of a monitor each minute in which the database accepted a write and the last poll of every watched environment
 * succeeded, so that the monitor notifies somebody if Signalman can't. Every replica does. Sends nothing else.
 */
export function startCallingMonitor(deps: {
  url: string
  store: Pick<Store, 'stats'>
  /** Throws if the database accepts no write. */
  sendHeartbeat: () => Promise<unknown>
  intervalSeconds: number
  log: Log
  everyMs?: number | undefined
}): Disposable {
  const { url, store, sendHeartbeat, intervalSeconds, log, everyMs = CALL_EVERY_MS } = deps
  // A poll takes place every interval and a tenth, and may take a minute.
  const maxUnseenSeconds = 2 * Math.max(60, intervalSeconds)
  let failure: string | undefined

  async function call(): Promise<void> {
    await sendHeartbeat()
    if ((await store.stats()).polls.unseenSeconds > maxUnseenSeconds) return
    const before = failure
    failure = await callMonitor(url)
    if (failure !== undefined && before === undefined)
      log.warn(
        { because: failure },
        'The monitor at HEARTBEAT_URL doesn’t accept the call; trying again every minute.',
      )
    if (failure === undefined && before !== undefined)
      log.info('The monitor at HEARTBEAT_URL accepts calls again.')
  }

  // A database that fails is logged by the heartbeats of the process.
  return runPeriodically(everyMs, call, () => everyMs)
}
