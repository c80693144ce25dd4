import type { Faults } from '../api/faults.ts'
import type { Codes } from '../api/oauth-codes.ts'
import type { RateLimiter } from '../api/rate-limits.ts'
import type { HostPanel } from '../control/host-panel.ts'
import type { Recorder } from '../control/recorder.ts'
import type { AppClient } from '../delivery/app-client.ts'
import type { AppWarnings } from '../delivery/app-warnings.ts'
import type { Sockets } from '../delivery/sockets.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { Fields } from '../protocol/json.ts'
import type { Pane, StepRun, UserGroup } from '../protocol/protocol.ts'
import type { Level } from '../rules/rule.ts'
import type { Clock } from './clock.ts'
import type { EventLog } from './event-log.ts'
import type { Files } from './files.ts'
import type { Installs } from './installs.ts'
import type { Journal } from './journal.ts'
import type { Messages } from './messages.ts'
import type { People } from './people.ts'
import type { Schedule } from './schedule.ts'
import type { Store } from './store.ts'
import type { Tickets } from './tickets.ts'
import type { Views } from './views.ts'

/** All parts of the playground's Slack. Functions that use only some parts declare them with `Pick`. */
export interface Slack {
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
  appWarnings: AppWarnings
  appClient: AppClient
  /** The app's WebSockets, if its manifest enables Socket Mode. */
  sockets: Sockets
  /** The app-level token that opens WebSockets. */
  appToken: string
  faults: Faults
  manifest: Manifest
  /** The levels of the rules for blocks and text that apply. */
  levels: readonly Level[]
  /** The options that the app has offered for an external select, by action_id and value. */
  offeredOptions: Map<string, Fields>
  /** The playground's own URL, without a trailing slash. */
  url: () => string
  /** The panels of the program that started the playground. */
  panels: readonly HostPanel[]
  installs: Installs
  oauth: { clientId: string; clientSecret: string; codes: Codes }
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
  /** Records what people do. */
  recorder: Recorder
  rateLimiter: RateLimiter
  /** The delay before each retry of an event, in ms. */
  eventRetryMs: readonly number[]
  /** Aborted when the playground closes. */
  closing: AbortSignal
}
