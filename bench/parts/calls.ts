import type { FromChild, ToChild } from './child.ts'

export interface Calls {
  /** Sent to the parent once everything is ready. */
  ready: unknown
  handlers: Readonly<Record<string, (argument: unknown) => unknown>>
}

/** Runs in the child: starts with the given settings, then answers calls until the parent disconnects. */
export function serveCalls(start: (settings: unknown) => Promise<Calls>): void {
  let handlers: Calls['handlers'] = {}

  async function handleMessage(message: ToChild): Promise<unknown> {
    if ('settings' in message) {
      const calls = await start(message.settings)
      handlers = calls.handlers
      return calls.ready
    }
    const handler = handlers[message.call]
    if (!handler) throw new Error(`there is no call "${message.call}"`)
    return handler(message.argument)
  }

  process.on('message', (message) => {
    // The parent is `startChild`, which sends nothing else.
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
