import type { Config } from '../config.ts'
import { createShortCache } from '../domain/short-cache.ts'
import type { SlackClients } from '../slack/client/clients.ts'
import type { ReadyChecks } from '../slack/receive/http-server.ts'
import type { Outside } from './outside.ts'
import type { Receiving } from './receive.ts'

const SLACK_CHECK_LASTS_MS = 30_000
/** Anybody may ask: the database is written once a second, however often that is. */
const DATABASE_CHECK_LASTS_MS = 1000

/** What must work for requests to be sent here. */
export function readyChecks(parts: {
  config: Config
  now: () => Date
  outside: Outside
  receiving: Receiving
  signOfLife: () => Promise<number>
  isDraining: () => boolean
}): ReadyChecks {
  const { config, now, outside, receiving, signOfLife, isDraining } = parts
  const { store, clients } = outside
  const { way } = receiving
  const slack = createShortCache<void>({ freshMs: SLACK_CHECK_LASTS_MS, failedMs: 2000, kept: 1, now })
  const database = createShortCache<void>({
    freshMs: DATABASE_CHECK_LASTS_MS,
    failedMs: DATABASE_CHECK_LASTS_MS,
    kept: 1,
    now,
  })
  return {
    database: () =>
      database.get('', async () => {
        await store.ping()
        await signOfLife()
      }),
    // Of many workspaces one dead token says nothing about the rest.
    ...('botToken' in config.slack.tenants && { slack: () => slack.get('', () => slackAnswers(clients)) }),
    // A token may work although nothing comes over the sockets.
    ...('sockets' in way && { sockets: () => way.sockets.check() }),
    accepting: async () => {
      if (isDraining()) throw new Error('The app is about to stop.')
    },
  }
}

/** One workspace: its token must work. The ids are of no account then. */
async function slackAnswers(clients: SlackClients): Promise<void> {
  const client = await clients.of({ workspaceId: '', enterpriseId: undefined })
  await client.check()
}
