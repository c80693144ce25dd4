import { HOUR_MS, UserError } from '@signalman/runtime'
import type { ChannelRefusal } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { formatCount } from '../../../domain/wording.ts'
import type { EscalationStep } from './escalation-steps.ts'

export type WatchField = 'name' | 'uuid'

/** One condition of a filter: the field has to match the pattern, where `*` matches anything. */
export interface WatchRule {
  readonly field: WatchField
  readonly pattern: string
  /** For a UUID rule: the check's name when it was chosen. */
  readonly label?: string | undefined
}

/**
 * Which checks a watch covers. Rules are alternatives. Without rules, everything is included. A check that matches an `exclude` rule is left out.
 */
export interface WatchFilter {
  readonly include: readonly WatchRule[]
  readonly exclude: readonly WatchRule[]
}

export const ALL_CHECKS: WatchFilter = { include: [], exclude: [] }

/** The settings of a watch. */
export interface WatchSettings {
  readonly filter: WatchFilter
  /** How many bad polls of an incident, 1 to 5, in a row or not, before it is reported. */
  readonly afterBadPolls: number
  /** Who is paged while nobody is on an outage, earliest step first. */
  readonly escalation?: readonly EscalationStep[] | undefined
  /** A link to instructions for an outage. */
  readonly runbook?: string | undefined
}

/** Why nothing can be posted in a channel. */
export type PauseReason = ChannelRefusal | 'shared-outside'

/** Where a watch posts, and which environment it covers. */
export interface WatchChannel {
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  readonly channelId: string
  readonly environment: Environment
}

/** Identifies a channel and an environment within a workspace. */
export const watchChannelKey = ({
  channelId,
  environment,
}: Pick<WatchChannel, 'channelId' | 'environment'>) => `${channelId} ${environment}`

/** How often a paused channel is retried. It is also retried when Slack reports that it may accept messages again. */
export const RETRY_PAUSED_EVERY_MS = HOUR_MS

/** One channel's watch. */
export interface Watch extends WatchChannel, WatchSettings {
  /** 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly id: string
  /** The person who created it. They are notified when it is paused. */
  readonly ownerId: string
  readonly madeAt: Date
  /** Members of the user groups that it pages, as last looked up, by group ID. */
  readonly groups?: Readonly<Record<string, readonly string[]>> | undefined
  /** True if the channel accepts messages again, and hasn't been told what it missed. */
  readonly isResumed: boolean
  /**
   * How many checks matched when all checks were last listed. Undefined until the next listing after the watch was created or paused,
   * or its filter changed.
   */
  readonly matchedCount?: number | undefined
  /** Set while nothing can be posted in its channel. */
  readonly paused?: { readonly at: Date; readonly reason: PauseReason } | undefined
  /** When someone agreed to post in a channel that is shared with another organization. */
  readonly agreedOutsideAt?: Date | undefined
}

export type NewWatch = WatchChannel &
  WatchSettings &
  Pick<Watch, 'groups'> & {
    /**
     * The matching checks that the service has just reported as down. They are recorded before the environment's first poll, which
     * could come too late to see them down.
     */
    readonly downChecks?: readonly CheckFacts[] | undefined
    readonly id?: string | undefined
    readonly ownerId: string
    readonly madeAt: Date
  }

/** How long outages and cards are kept, and how far history goes back. */
export const RETENTION_DAYS = 90

/** The limit per workspace, because every poll compares every watch with every check. */
export const MAX_WATCHES = 1000

const HOW_TO_END = {
  get watches() {
    return `To end one, use ${cmd('/hc unwatch')}; ${cmd('/hc watches')} lists them`
  },
  get silences() {
    return `To end some, use ${cmd('/hc watches')} --all`
  },
}

/** Thrown when the workspace has as many watches or silences as it can have. */
export class WatchLimitReached extends UserError {
  override readonly name = 'WatchLimitReached'
  constructor(plural: keyof typeof HOW_TO_END, limit: number) {
    const end = HOW_TO_END[plural]
    super(`This workspace already has the maximum of ${formatCount(limit)} ${plural}. ${end}.`)
  }
}

/** The health checks that a filter matches now. */
export interface MatchingChecks {
  readonly count: number
  readonly down: number
  /** The first few names, starting with those that are down. */
  readonly names: readonly string[]
}
