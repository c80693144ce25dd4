import type { Manifest } from '../manifest/manifest.ts'
import type { Fields } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Pane, StepRun, UserGroup } from '../protocol/protocol.ts'
import type { Level } from '../rules/rule.ts'
import { type Clock, createClock } from './clock.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { createFiles, type Files } from './files.ts'
import { createInstalls, type Installs } from './installs.ts'
import { createJournal, type Journal } from './journal.ts'
import { createMessages, type Messages } from './messages.ts'
import { createPeople, type People } from './people.ts'
import { createSchedule, type Schedule, type ScheduledMessage } from './schedule.ts'
import { USER_GROUPS } from './seed.ts'
import { openStore, type Store } from './store.ts'
import { createTickets, type Tickets } from './tickets.ts'
import { createViews, type Views } from './views.ts'

/** The state of the playground's Slack. Only an AppLink can reach the app. */
export interface World {
  people: People
  store: Store
  /** Posts the initial messages of the playground's options. */
  seed(): void
  messages: Messages
  schedule: Schedule
  views: Views
  files: Files
  tickets: Tickets
  journal: Journal
  log: EventLog
  manifest: Manifest
  /** The levels of the rules for blocks and text that apply. */
  levels: readonly Level[]
  /** The options that the app has offered for an external select, by action_id and value. */
  offeredOptions: Map<string, Fields>
  /** The playground's own URL, without a trailing slash. */
  url: () => string
  installs: Installs
  /** The clock behind `now`, which tests can set. */
  clock: Clock
  now: () => Date
  /** Runs of the app's workflow steps, by ID. */
  steps: Map<string, StepRun>
  groups: UserGroup[]
  /** The open work object, by person. */
  panes: Map<string, Pane>
  /** The app's previews of links in drafts, by person. */
  previews: Map<string, Fields[]>
}

export interface WorldOptions extends Pick<World, 'manifest' | 'levels' | 'url'> {
  systemNow: () => Date
  storePath: string
  botToken: string
  /** The scopes of the bot token. */
  scopes: readonly string[]
  triggerLifeMs: number
  /** The messages that `seed` posts. */
  initialMessages: readonly { channel: string; user: string; text: string }[]
}

export function createWorld({ manifest, levels, url, ...options }: WorldOptions): World {
  const clock = createClock(options.systemNow)
  const { now } = clock
  const log = createEventLog()
  const store = openStore(options.storePath)
  const people = createPeople(manifest.botName, store, { now, url })
  const firstTeamId = people.workspaces[0]?.id ?? ''
  const findTeamId = (user: string) => {
    const person = people.find(user)
    return person ? activeTeamId(person) : firstTeamId
  }
  const messages = createMessages(log, people, store, now)
  const installs = createInstalls({
    id: firstTeamId,
    token: options.botToken,
    scopes: options.scopes,
    channel: manifest.hasWebhook ? people.channels().find(({ isGeneral }) => isGeneral)?.id : undefined,
  })
  const findPostError = (id: string) => {
    const channel = people.channel(id)
    if (!channel) return 'channel_not_found'
    if (channel.archived) return 'is_archived'
    return installs.forTeam(channel.teamId) ? undefined : 'account_inactive'
  }
  const journal = createJournal(log, now)
  const onDropped = (scheduled: ScheduledMessage, error: string) =>
    logDroppedMessage(journal, url(), scheduled, error)
  return {
    people,
    store,
    seed(): void {
      for (const { channel, user, text } of options.initialMessages)
        messages.post({ channel, user, text, app: false })
    },
    messages,
    schedule: createSchedule({ messages, now, findPostError, onDropped }),
    views: createViews(log, findTeamId, now),
    files: createFiles(now, url, store, people),
    tickets: createTickets(now, options.triggerLifeMs),
    journal,
    log,
    manifest,
    levels,
    offeredOptions: new Map(),
    url,
    installs,
    clock,
    now,
    steps: new Map(),
    groups: USER_GROUPS.map((group) => ({ ...group })),
    panes: new Map(),
    previews: new Map(),
  }
}

/** Adds a line to the inspector about a scheduled message that wasn't posted. */
function logDroppedMessage(
  journal: Journal,
  url: string,
  { id, postAt, draft: { channel, text } }: ScheduledMessage,
  error: string,
): void {
  const delivery = journal.open({
    direction: 'from-app',
    kind: 'scheduled message',
    user: null,
    request: {
      method: 'POST',
      url: `${url}/api/chat.scheduleMessage`,
      headers: {},
      body: { channel, text, post_at: postAt, scheduled_message_id: id },
    },
  })
  const notes = ['This scheduled message was due, but Slack drops it without telling the app.']
  journal.close(delivery, { response: null, verdict: error, notes })
}
