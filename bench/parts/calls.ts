import { flushCompileCache } from 'node:module'
import type { FromChild, ToChild } from './child.ts'

/** What a child process offers its parent. */
export interface Calls {
  /** The child's first message, which says that it's ready. Usually its address. */
  ready: unknown
  /** The functions that the parent can call by name. */
  handlers: Readonly<Record<string, (argument: unknown) => unknown>>
}

/** Runs in the child: calls `start` with the parent's settings, then handles calls until the parent disconnects. */
export function serveCalls(start: (settings: unknown) => Promise<Calls>): void {
  let handlers: Calls['handlers'] = {}

  async function handleMessage(message: ToChild): Promise<unknown> {
    if ('settings' in message) {
      const calls = await start(message.settings)
      handlers = calls.handlers
      // If a test run has a compile cache, saves it now, because the parent kills this process. Otherwise, this does nothing.
      flushCompileCache()
      return calls.ready
    }
    const handler = handlers[message.call]
    if (!handler) throw new Error(`there is no call "${message.call}"`)
    return handler(message.argument)
  }

  process.on('message', (message) => {
    // The parent uses `startChild`, which sends nothing else.
    handleMessage(message as ToChild).then(
      (result) => send({ result }),
      (error: unknown) =>
        send({ fault: error instanceof Error ? (error.stack ?? error.message) : 'unknown' }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}

function send(answer: FromChild): void {
  process.send?.(answer)
}
