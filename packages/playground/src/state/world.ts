// This folder: the state of the playground’s Slack.

import type { Manifest } from '../manifest/manifest.ts'
import type { Fields } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { UserGroup } from '../protocol/protocol.ts'
import { type Clock, createClock } from './clock.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { createFiles, type Files } from './files.ts'
import { createInstalls, type Installs } from './installs.ts'
import { createJournal, type Journal } from './journal.ts'
import { createMessages, type Messages } from './messages.ts'
import { createPeople, type People } from './people.ts'
import { USER_GROUPS } from './seed.ts'
import { createTickets, type Tickets } from './tickets.ts'
import { createViews, type Views } from './views.ts'

/** The state of the playground's Slack. Only an AppLink can reach the app. */
export interface World {
  people: People
  messages: Messages
  views: Views
  files: Files
  tickets: Tickets
  journal: Journal
  log: EventLog
  manifest: Manifest
  /** The options that the app has offered for an external select, by action_id and value. */
  offeredOptions: Map<string, Fields>
  /** The playground's own URL, without a trailing slash. */
  url: () => string
  installs: Installs
  /** The clock behind `now`, which tests can set. */
  clock: Clock
  now: () => Date
  groups: UserGroup[]
}

export interface WorldOptions extends Pick<World, 'manifest' | 'url'> {
  systemNow: () => Date
  botToken: string
  /** The scopes of the bot token. */
  scopes: readonly string[]
  triggerLifeMs: number
}

export function createWorld({ manifest, url, ...options }: WorldOptions): World {
  const clock = createClock(options.systemNow)
  const { now } = clock
  const log = createEventLog()
  const people = createPeople(manifest.botName)
  const firstTeamId = people.workspaces[0]?.id ?? ''
  const findTeamId = (user: string) => {
    const person = people.find(user)
    return person ? activeTeamId(person) : firstTeamId
  }
  const messages = createMessages(log, people, now)
  const installs = createInstalls({
    teamId: firstTeamId,
    token: options.botToken,
    scopes: options.scopes,
  })
  const journal = createJournal(log, now)
  return {
    people,
    messages,
    views: createViews(log, findTeamId, now),
    files: createFiles(url, people),
    tickets: createTickets(now, options.triggerLifeMs),
    journal,
    log,
    manifest,
    offeredOptions: new Map(),
    url,
    installs,
    clock,
    now,
    groups: USER_GROUPS.map((group) => ({ ...group })),
  }
}
