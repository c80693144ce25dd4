import { createShortCache } from '@signalman/runtime'
import type { ReadyChecks, SlackClients, SocketMode } from '@signalman/slack'
import type { Config } from '../config.ts'
import type { Outside } from './outside.ts'
import type { RunningBackground } from './start-features.ts'

/** What must work for the process to accept requests. */
export function readyChecks(parts: {
  config: Config
  now: () => Date
  outside: Outside
  /** In Socket Mode; undefined until they are opened. */
  sockets: (() => SocketMode | undefined) | undefined
  sendHeartbeat: () => Promise<number>
  isDraining: () => boolean
  background: Pick<RunningBackground, 'ready'>
}): ReadyChecks {
  const { config, now, outside, sockets, sendHeartbeat, isDraining, background } = parts
  const { store, clients } = outside
  const cached = (check: () => Promise<void>, freshMs: number, failedMs: number) => {
    const cache = createShortCache<void>({ freshMs, failedMs, kept: 1, now })
    return () => cache.get('', check)
  }
  return {
    // Anyone may ask, so the database is written at most once a second.
    database: cached(async () => void (await sendHeartbeat()), 1000, 1000),
    keys: cached(() => store.ping(), 1000, 1000),
    journal: cached(() => store.outcomeJournal.checkWritable(), 10_000, 2000),
    // Not checked with many workspaces: one dead token says nothing about the others.
    ...('botToken' in config.slack.tenants && { slack: cached(() => slackAnswers(clients), 30_000, 2000) }),
    // Checked too, because the token may work although no socket receives anything.
    ...(sockets && {
      sockets: async () => {
        const opened = sockets()
        if (!opened) throw new Error('The sockets to Slack are not open yet.')
        await opened.check()
      },
    }),
    ...background.ready,
    accepting: async () => {
      if (isDraining()) throw new Error('The app is about to stop.')
    },
  }
}

/** Checks the token of the only workspace. The IDs don't matter then. */
async function slackAnswers(clients: SlackClients): Promise<void> {
  const client = await clients.of({ workspaceId: '', enterpriseId: undefined })
  await client.check()
}
