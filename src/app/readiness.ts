import { describeDatabaseError } from '@signalman/durable'
import { createShortCache } from '@signalman/runtime'
import type { ReadyChecks, SlackClients, SocketMode } from '@signalman/slack'
import type { Config } from '../config.ts'
import type { Backends } from './backends.ts'

export function createReadyChecks(deps: {
  config: Config
  now: () => Date
  backends: Backends
  /** Returns the sockets, or undefined until they are opened. Only in Socket Mode. */
  sockets: (() => SocketMode | undefined) | undefined
  sendHeartbeat: () => Promise<number>
  isDraining: () => boolean
}): ReadyChecks {
  const { config, now, backends, sockets, sendHeartbeat, isDraining } = deps
  const { clients } = backends
  const cacheCheck = (check: () => Promise<void>, freshMs: number, failedMs: number) => {
    const cache = createShortCache<void>({ freshMs, failedMs, maxEntries: 1, now })
    return () => cache.get('', check)
  }
  return {
    // Anyone may request /readyz, so cache the result for a second: each check writes to the database.
    database: cacheCheck(
      async () => {
        await sendHeartbeat().catch((error: unknown) => {
          const fault = describeDatabaseError(error)
          throw fault === undefined ? error : new Error(`The database ${fault}.`, { cause: error })
        })
      },
      1000,
      1000,
    ),
    // Skipped with many workspaces, because one revoked token says nothing about the others.
    ...('botToken' in config.slack.tenants && { slack: cacheCheck(() => checkSlack(clients), 30_000, 2000) }),
    // Checked separately, because the token may work while no socket receives anything.
    ...(sockets && {
      sockets: async () => {
        const socketMode = sockets()
        if (!socketMode) throw new Error('The sockets to Slack are not open yet.')
        await socketMode.check()
      },
    }),
    // Fails first, so that load balancers stop sending requests before the app stops accepting them.
    accepting: async () => {
      if (isDraining()) throw new Error('The app is about to stop.')
    },
  }
}

/** Checks the bot token of the only workspace. Its client ignores the ID. */
async function checkSlack(clients: SlackClients): Promise<void> {
  const client = await clients.forWorkspace({ workspaceId: '' })
  await client.check()
}
