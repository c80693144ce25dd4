import type {
  AppendAudit,
  Database,
  DatabaseTime,
  Engine,
  Sealer,
  Setting,
  Table,
  WorkKind,
} from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { SlackClients, Workspace } from '@signalman/slack'
import type { Environment } from '../domain/environment.ts'
import type { FeatureStats } from '../domain/feature-stats.ts'
import type { Service } from '../service/service.ts'
import type { Access } from './access/access.ts'
import type { People } from './access/actor.ts'
import type { Reachability } from './access/reachable.ts'
import type { JobKind } from './jobs/job-kind.ts'
import type { Queue } from './jobs/job-queue.ts'
import type { Port } from './ports.ts'
import type { OwnerNoticeDeps } from './posts/notify-owner.ts'
import type { ConfiguredTokens, GetApi } from './request/context.ts'
import type {
  FindNearby,
  Form,
  HomeSection,
  MessageShortcut,
  Routes,
  RouteTable,
  Topic,
  VerbDeclaration,
} from './routes/routes.ts'
import type { Stored } from './stored.ts'

/**
 * The declaration of a feature. Its tables and settings are data, so that migrations, backups, and generated pages can read them
 * without starting it. `open` needs only a database, so that the command line can delete expired rows, a workspace's rows, or a
 * person's data. `start` needs the whole app.
 */
export interface Feature<Rows extends object = object> {
  readonly name: string
  readonly tables?: readonly Table[]
  readonly settings?: readonly Setting<unknown>[]
  open?(database: FeatureDatabase): OpenedFeature<Rows>
  /** Ports that this feature provides. Each is created when another feature first uses it. */
  readonly provides?: readonly PortProvider<Rows>[]
  start?(context: FeatureContext<Rows>): StartedFeature
}

export const feature = <Rows extends object>(declared: Feature<Rows>): Feature<Rows> => declared

/** A port that a feature provides. Its type is in `ports.ts`, so neither feature imports the other. */
interface PortProvider<Rows> {
  readonly port: Port<unknown>
  create(context: FeatureContext<Rows>): unknown
}

export const providePort = <T, Rows extends object>(
  port: Port<T>,
  create: (context: FeatureContext<Rows>) => T,
): PortProvider<Rows> => ({ port, create })

export interface FeatureDatabase {
  readonly database: Database
  readonly time: DatabaseTime
  readonly keys: Sealer
  readonly append: AppendAudit
  readonly now: () => Date
}

export interface OpenedFeature<Rows> {
  readonly rows: Rows
  /** Erases a person. Returns how many rows of each kind were changed; `undecryptable` counts rows that couldn't be decrypted. */
  erasePerson?(
    workspaceId: string,
    person: { userId: string; alsoKnownAs: readonly string[] },
  ): Promise<Readonly<Record<string, number>>>
  /** Called when Signalman was about to post in a channel and found that it's shared with another organization. */
  onSharedChannel?(workspaceId: string, channelId: string): Promise<unknown>
  /** Stats for monitoring. Must query only indexes. */
  stats?(): Promise<Partial<FeatureStats>>
  /** Called when the outcome of one of the feature's steps was found after a crash, so that work that waits for it can continue. */
  onOutcomeKnown?(workId: string): Promise<unknown>
}

/** What a feature adds to the app. */
interface StartedFeature {
  readonly commands?: readonly VerbDeclaration[]
  readonly forms?: readonly Form<unknown, unknown>[]
  /** Entries of the message menu. */
  readonly shortcuts?: readonly MessageShortcut[]
  /** What its commands are about. */
  readonly topics?: readonly Topic[]
  readonly home?: readonly HomeSection[]
  /** What the threads of its messages are about, and what is down. */
  readonly nearby?: FindNearby
  /** Jobs that people start and watch. */
  readonly jobs?: readonly JobKind<unknown>[]
  /** The kinds of background work that it queues. */
  readonly work?: readonly WorkKind[]
  /** Handlers for changes in Slack. */
  readonly slackChangeHandlers?: SlackChangeHandlers
}

export interface SlackChangeHandlers {
  /** The channel is now shared with another organization. If it rejects, Slack sends the event again. */
  onChannelShared?(channel: Workspace & { channelId?: string | undefined }): Promise<void>
  /** A person's name, status, or account changed. If it rejects, Slack sends the event again. */
  onPersonChanged?(workspaceId: string, userId: string): Promise<void>
}

/** What every feature can use: the bot, its own rows, and the ports of other features. */
export interface FeatureContext<Rows = object> {
  readonly store: Stored
  readonly rows: Rows
  readonly config: FeatureConfig
  readonly service: Service
  readonly getApi: GetApi
  readonly clients: SlackClients
  readonly people: People
  readonly access: Access
  readonly reachability: Reachability
  readonly posting: OwnerNoticeDeps
  readonly engine: Pick<Engine, 'wake'>
  readonly queue: Queue
  /** All commands, once every feature has added its own. */
  readonly routes: RouteTable
  readonly log: Log
  readonly now: () => Date
  /** A port of another feature. Throws if no feature provides it. */
  use<T>(port: Port<T>): T
}

/** The part of the configuration that features read. */
export interface FeatureConfig {
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly configured: ConfiguredTokens
  readonly hasOte: boolean
  /** Whether guests can use Signalman to look things up. */
  readonly guestsCanView: boolean
  readonly pollMs: number
  /** After this time, no process can still be in the middle of a write to the service. */
  readonly maxInFlightMs: number
}

/** Adds a feature's declarations to the routing table. Throws if a name is taken. */
export function addFeature(routes: Routes, started: StartedFeature): void {
  const { commands = [], forms = [], shortcuts = [], topics = [], home = [], nearby } = started
  for (const verb of commands) routes.verb(verb)
  for (const form of forms) routes.form(form)
  for (const shortcut of shortcuts) routes.shortcut(shortcut)
  for (const topic of topics) routes.topic(topic)
  for (const section of home) routes.homeSection(section)
  if (nearby) routes.nearby(nearby)
}
