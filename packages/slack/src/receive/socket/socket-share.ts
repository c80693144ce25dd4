import type { Log } from '@signalman/runtime'

/** Slack allows an app ten sockets; two of them are kept free for the moment in which a socket is replaced. */
const SOCKETS_TO_SHARE = 8

/** How many of the app's ten sockets this process may keep. */
export interface SocketShare extends Disposable {
  /** Whether this process may keep the socket of this index. */
  allows(index: number): boolean
  /** Resolves when that may have changed, or at the signal. */
  changed(signal: AbortSignal): Promise<void>
}

/** `processes` counts the processes of the app; while it fails, its last answer is used. */
export function createSocketShare(
  processes: () => Promise<number>,
  log: Log,
  lookEveryMs: number,
): SocketShare {
  let processCount = 1
  const waiting = new Set<() => void>()
  async function look(): Promise<void> {
    const before = processCount
    processCount = Math.max(1, await processes())
    if (processCount === before) return
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
    allows: (index) => index === 0 || (index + 1) * processCount <= SOCKETS_TO_SHARE,
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
