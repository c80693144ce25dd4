import type { Fact, Line, Message } from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import type { Environment } from '../domain/environment.ts'
import type { CheckFacts, DownCheck } from '../domain/outages/outage.ts'
import type { Alert, AlertBody } from '../service/alerts.ts'
import type { HealthCheck } from '../service/health-checks.ts'
import type { CommandContext } from './routes/command-context.ts'

/** A function or interface of one feature that others use without importing the feature. `T` is its type. */
export interface Port<T> {
  /** The feature that provides it, in its `feature.ts`. */
  readonly feature: string
  readonly name: string
  /** For the type only. No port has this property at run time. */
  readonly _type?: T
}

const port = <T>(feature: string, name: string): Port<T> => ({ feature, name })

interface StatusSince {
  status: string
  at: Date
  isAtLeast: boolean
}

/** What the watching feature adds to a check: how long the check has had its status, more facts, and buttons. */
export interface CheckNotes {
  /**
   * The status, and when it began. With `isAtLeast`, it may have begun earlier: nobody looked before. Undefined if unknown.
   */
  since?: StatusSince | undefined
  entries: readonly Fact[]
  buttons: readonly Button[]
}

/** Notes on one check. `isShared` leaves out anything meant for one person. */
export const checkNotes = port<
  (context: CommandContext, check: HealthCheck, options: { isShared: boolean }) => Promise<CheckNotes>
>('watching', 'check notes')

/** The environment of a workspace, and the channel of the request if there is one. */
export type WatchScope = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'> & {
  channelId?: string | undefined
}

/** A check by its new name, and its old one. */
export interface Rename {
  readonly check: CheckFacts
  readonly oldName: string
}

/** What watching has observed of an environment's health checks. */
export interface WatchedChecks {
  /** Returns the current outages that Signalman has seen begin, by UUID. */
  findDownSince(scope: WatchScope): Promise<ReadonlyMap<string, DownCheck>>
  /** **I’m on it** for those of these checks that nobody is on, or where to find it if they are on several messages. */
  listTakeButtons(scope: WatchScope, uuids: readonly string[]): Promise<readonly Button[]>
  /** Tests whether no channel watches a check. */
  isUnwatched(scope: Pick<WatchScope, 'workspaceId' | 'environment'>): Promise<(check: CheckFacts) => boolean>
  /** Tests whether a check is in maintenance now for this channel. Runs one query, however many checks there are. */
  inMaintenance(scope: WatchScope): Promise<(check: HealthCheck) => boolean>
  /** Says where renamed checks aren't watched anymore, because their old names were. Undefined if that is nowhere. */
  describeRenames(
    scope: Pick<WatchScope, 'workspaceId' | 'environment'>,
    renames: readonly Rename[],
  ): Promise<Line | undefined>
  /** What watched or silenced the deleted check with the first UUID is about the one with the second, which was put back. */
  follow(
    scope: Pick<WatchScope, 'workspaceId' | 'environment'>,
    deleted: string,
    putBack: string,
  ): Promise<void>
  /** A line for each mute and maintenance that is in force in this channel. */
  listSilenced(scope: WatchScope): Promise<readonly Line[]>
}

export const watchedChecks = port<WatchedChecks>('watching', 'watched checks')

/** Which alert of a check a window is about: the one with this ID, or a new one besides those with these. Others may change meanwhile. */
export type AboutAlert = { readonly id: string } | { readonly besides: readonly string[] }

/** The alerts of a check as a window showed them, and what the one that the window is about is to be. */
interface AlertsChange {
  /** For the audit log: `/hc alert-edit`. */
  readonly verb: string
  readonly account: string
  readonly check: HealthCheck
  readonly alerts: readonly Alert[]
  readonly about: AboutAlert
  /** Empty if it's to be removed. */
  readonly to: readonly AlertBody[]
}

/** Saves them, unless somebody else has changed them since. Returns what was changed. Throws if nothing was, and if nobody knows. */
export type ChangeAlerts = (context: CommandContext, change: AlertsChange) => Promise<Message>

export const changeAlerts = port<ChangeAlerts>('health-checks', 'changed alerts')

/** The state of an environment's checks, for App Home. Throws ApiError. */
export const environmentSummary = port<
  (
    context: Pick<CommandContext, 'workspaceId' | 'api' | 'now'>,
    environment: Environment,
    signal: AbortSignal,
  ) => Promise<KnownBlock[]>
>('health-checks', 'environment summary')
