import { MINUTE_MS } from '@signalman/runtime'
import type { CheckFacts, Unseen } from '../../../domain/outages/outage.ts'
import type { Incident, IncidentMessage, Line } from './incident.ts'
import type { PreparedWatch } from './matching.ts'
import type { Moment } from './watch-clock.ts'

/** A channel gets at most one new message in this time. Until then, new incidents are added to the latest card. */
export const SPACING_MS = 5 * MINUTE_MS
/**
 * A fall that has lasted ten minutes is a message once the last one is this old, and is paged from the first step if escalation began
 * this long ago.
 */
export const AFRESH_MS = 60 * MINUTE_MS

/** A channel with its watches and the running silences that apply in it. */
export interface ChannelState {
  readonly channelId: string
  readonly watches: readonly PreparedWatch[]
  /** Whether a silence that is in force covers a check, by its current name or its UUID. */
  readonly silences: readonly ((check: CheckFacts) => boolean)[]
  /** Slack accepts no messages in it. */
  readonly isPaused: boolean
  /** It accepts messages again, and hasn't been told what it missed. */
  readonly isResumed: boolean
  /** It is paused, and a message with everything that is down tests whether it accepts messages again. */
  readonly isRetried?: boolean | undefined
}

/** The input of `decide`: one environment. */
export interface EnvironmentState {
  /** Every channel with a watch or a line. */
  readonly channels: readonly ChannelState[]
  /** The number of the last saved poll. */
  readonly poll: number
  /** Since when polls fail, so that the watch clock stands still. */
  readonly failingSince?: Date | undefined
  /** Open incidents, and those that a line or message refers to. */
  readonly incidents: readonly Incident[]
  readonly lines: readonly Line[]
  /** Oldest first: each channel's latest card, and every message that isn't over. */
  readonly messages: readonly IncidentMessage[]
  /** Whom Slack can notify. Without it, nobody is paged, and `duePages` says whom to look up. */
  readonly reach?: Reach | undefined
  /** Known members of user groups. */
  readonly groups: ReadonlyMap<string, readonly string[]>
}

/** Whom Slack can notify, looked up right before paging. */
export interface Reach {
  /** Members of user groups, by ID. */
  readonly groups: ReadonlyMap<string, readonly string[]>
  /** Whether a person or a group can be notified in a channel and press there, by `reachKey`. */
  readonly hears: ReadonlyMap<string, boolean>
  /** Admins with the channel of their direct messages. */
  readonly admins: readonly { readonly userId: string; readonly channelId: string }[]
}

/** What decides about channels and pages. */
export interface Surroundings {
  readonly state: EnvironmentState
  readonly now: Moment
  /** Set if the environment's checks can't be seen. */
  readonly unseen: Unseen | undefined
  readonly wakeIn: (ms: number) => void
  readonly findWatches: (channel: ChannelState, incident: Incident) => readonly PreparedWatch[]
  readonly isSilenced: (channel: ChannelState, incident: Incident) => boolean
}
