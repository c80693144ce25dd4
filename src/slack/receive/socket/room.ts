import type { Log } from '../../../log.ts'

/** So many sockets are left for those that are being replaced, of the ten that Slack allows an app. */
const SHARED_OUT = 8

/** How many sockets this process may keep, where several share the ten that Slack allows. */
export interface Room extends Disposable {
  /** Whether there is room for the socket of this index. */
  has(index: number): boolean
  /** Resolves when that may have changed, or at the signal. */
  changed(signal: AbortSignal): Promise<void>
}

/** `processes` says how many processes of the app there are; while it cannot, the last answer holds. */
export function createRoom(processes: () => Promise<number>, log: Log, lookEveryMs: number): Room {
  let there = 1
  const waiting = new Set<() => void>()
  async function look(): Promise<void> {
    const before = there
    there = Math.max(1, await processes())
    if (there === before) return
    for (const resolve of [...waiting]) resolve()
  }
  const attempt = () =>
    void look().catch((error: unknown) =>
      log.debug({ err: error }, 'It is not known how many processes share the sockets.'),
    )
  attempt()
  const timer = setInterval(attempt, lookEveryMs)
  timer.unref()
  return {
    has: (index) => index === 0 || (index + 1) * there <= SHARED_OUT,
    changed: (signal) =>
      new Promise((resolve) => {
        const done = () => {
          waiting.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        if (signal.aborted) return done()
        waiting.add(done)
        signal.addEventListener('abort', done, { once: true })
      }),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
