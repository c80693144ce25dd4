import type { ReadyChecks, SlackClients, SocketMode } from '@signalman/slack'
import type { Config } from '../config.ts'
import { createShortCache } from '../domain/short-cache.ts'
import type { LatePolls } from '../features/watching/polling/late-polls.ts'
import type { Outside } from './outside.ts'

const SLACK_CHECK_LASTS_MS = 30_000
const JOURNAL_CHECK_LASTS_MS = 10_000
/** Anybody may ask: the database is written once a second, however often that is. */
const DATABASE_CHECK_LASTS_MS = 1000

/** What must work for requests to be sent here. */
export function readyChecks(parts: {
  config: Config
  now: () => Date
  outside: Outside
  /** In Socket Mode; undefined until they are opened. */
  sockets: (() => SocketMode | undefined) | undefined
  signOfLife: () => Promise<number>
  isDraining: () => boolean
  latePolls: Pick<LatePolls, 'count'>
}): ReadyChecks {
  const { config, now, outside, sockets, signOfLife, isDraining, latePolls } = parts
  const { store, clients } = outside
  const slack = createShortCache<void>({ freshMs: SLACK_CHECK_LASTS_MS, failedMs: 2000, kept: 1, now })
  const database = createShortCache<void>({
    freshMs: DATABASE_CHECK_LASTS_MS,
    failedMs: DATABASE_CHECK_LASTS_MS,
    kept: 1,
    now,
  })
  const keys = createShortCache<void>({ freshMs: 1000, failedMs: 1000, kept: 1, now })
  const journal = createShortCache<void>({ freshMs: JOURNAL_CHECK_LASTS_MS, failedMs: 2000, kept: 1, now })
  return {
    database: () => database.get('', async () => void (await signOfLife())),
    keys: () => keys.get('', () => store.ping()),
    journal: () => journal.get('', () => store.outcomeJournal.prove()),
    // Of many workspaces one dead token says nothing about the rest.
    ...('botToken' in config.slack.tenants && { slack: () => slack.get('', () => slackAnswers(clients)) }),
    // A token may work although nothing comes over the sockets.
    ...(sockets && {
      sockets: async () => {
        const opened = sockets()
        if (!opened) throw new Error('The sockets to Slack are not open yet.')
        await opened.check()
      },
    }),
    // Those that this process is to begin: what another one leaves undone says nothing about this one.
    polls: async () => {
      if (latePolls.count() > 0) throw new Error('Watched checks are not looked at in time.')
    },
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
