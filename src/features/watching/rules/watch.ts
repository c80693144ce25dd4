import { HOUR_MS, UserError } from '@signalman/runtime'
import { cmd } from '../../../domain/command-names.ts'
import type { Environment } from '../../../domain/environment.ts'
import { formatCount } from '../../../domain/wording.ts'

export type WatchField = 'name' | 'uuid'

/** One condition of a filter: the field has to match the pattern, where `*` matches anything. */
export interface WatchRule {
  readonly field: WatchField
  readonly pattern: string
  /** For a UUID rule: the check's name when it was chosen. */
  readonly label?: string | undefined
}

/** Which checks a watch covers: those that match any of `include`, or all if it's empty, but none of `exclude`. */
export interface WatchFilter {
  readonly include: readonly WatchRule[]
  readonly exclude: readonly WatchRule[]
}

/** A user group or person. `id` is undefined until the typed name is looked up. */
export interface Responder {
  readonly name: string
  readonly id?: string | undefined
  readonly isGroup?: boolean | undefined
}

/** Pages these people once a check was down for this long while nobody was on it. The last step of a watch repeats, each time as long again. */
export interface PageStep {
  readonly afterMs: number
  readonly responders: readonly Responder[]
}

export interface WatchSettings {
  readonly filter: WatchFilter
  /** How many bad polls of an incident, 1 to 5, in a row or not, before it is reported. */
  readonly afterBadPolls: number
  /** In the order of their times. Never empty. */
  readonly page?: readonly PageStep[] | undefined
  /** A link to instructions for an outage. */
  readonly runbook?: string | undefined
}

/** Where a watch posts, and which environment it covers. */
export interface WatchChannel {
  readonly workspaceId: string
  readonly channelId: string
  readonly environment: Environment
}

/** One environment of a workspace. */
export type WatchScope = Pick<WatchChannel, 'workspaceId' | 'environment'>

/** How often a paused channel is retried. */
export const RETRY_PAUSED_EVERY_MS = HOUR_MS

/** A change of what a watch is about, or whether it pages. `knew`: what it had paged about, or shown, until then. Undefined: nothing. */
export interface WatchEdit {
  readonly at: Date
  readonly knew?: WatchFilter | undefined
}

/** How many edits a watch remembers. */
export const MAX_EDITS = 10

export interface Watch extends WatchChannel, WatchSettings {
  readonly id: string
  /** The person who created it. They are notified when its channel is paused. */
  readonly ownerId: string
  /** When it was saved first. */
  readonly madeAt: Date
  readonly edits?: readonly WatchEdit[] | undefined
}

export type NewWatch = Omit<Watch, 'madeAt' | 'edits'>

/** How long incidents, messages, and silences are kept, and how far history goes back. */
export const RETENTION_DAYS = 90

/** The limits per workspace, because every poll compares every watch with every check that is down. */
export const MAX_WATCHES = 1000
export const MAX_SILENCES = 1000

/** The limit per channel: a decision about it compares every name and pattern of its watches with every check that is down. */
export const MAX_CHANNEL_NAMES = 500

const countNames = ({ include, exclude }: WatchFilter): number => Math.max(1, include.length + exclude.length)

/** Throws UserError if the channel's watches would have too many names with this one. One that loses some is always possible. */
export function requireNamesLeft(
  others: readonly Pick<Watch, 'filter'>[],
  { filter, before }: { filter: WatchFilter; before?: WatchFilter },
): void {
  const count = countNames(filter)
  const isMore = count > (before ? countNames(before) : 0)
  const all = others.reduce((sum, other) => sum + countNames(other.filter), count)
  if (isMore && all > MAX_CHANNEL_NAMES)
    throw new UserError(
      `The watches of a channel can have ${formatCount(MAX_CHANNEL_NAMES)} names and patterns together, and this channel would have ${formatCount(all)}. Use a pattern, such as ${cmd('/hc watch shop*')}, or another channel.`,
    )
}

/** Thrown when the workspace has as many watches or silences as it can have. */
export class WatchLimitReached extends UserError {
  override readonly name = 'WatchLimitReached'
  constructor(plural: 'watches' | 'mutes and maintenance windows', limit: number) {
    super(
      `This workspace already has the maximum of ${formatCount(limit)} ${plural}. To end one, use ${cmd('/hc watches')} --all.`,
    )
  }
}

/** The health checks that a filter matches now. */
export interface MatchingChecks {
  readonly count: number
  readonly down: number
  /** The first few names, starting with those that are down. */
  readonly names: readonly string[]
}
