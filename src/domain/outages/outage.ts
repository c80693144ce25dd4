/** How an outage ended. `installing`: the service reinstalled the check. `unseen`: nobody watched the check anymore. */
export type OutageEnding = 'recovered' | 'installing' | 'deleted' | 'unseen'

/**
 * An incident as history and lists show it: a check's time from going down until it stays up. Within it, the check can go up and
 * down several times.
 */
export interface Outage {
  /** The ID of the incident. */
  readonly id: string
  readonly check: CheckFacts
  /** When it first went down. A baseline outage began earlier. */
  readonly startedAt: Date
  /** When it last went up. Undefined while it is down. */
  readonly endedAt?: Date | undefined
  /** How it ended; undefined while it can still go down again. */
  readonly ending?: OutageEnding | undefined
  /** True if the check was already down at the first poll of the environment. */
  readonly isBaseline: boolean
  /** How long the check was down, if it went down once and is up. */
  readonly downtime?: Downtime | undefined
  /** The gaps in the last time that it was down. */
  readonly gaps?: Gaps | undefined
  /** When the check was down, in order. The last one has no end while it is down. */
  readonly downs: readonly Down[]
  /** Who is on it now, or was on it when it ended. */
  readonly onIt?: OnIt | undefined
  /** The check's earlier names during the incident, in order. */
  readonly earlierNames?: readonly EarlierName[] | undefined
}

/** One time in which a check was down. */
export interface Down {
  readonly from: Date
  readonly to?: Date | undefined
  /** It was noticed after a gap between polls, so it went down or up at that time or earlier. */
  readonly isFromLate?: boolean | undefined
  readonly isToLate?: boolean | undefined
}

/** Gaps between polls that found a check in the same state before and after. It may have changed in between. */
export interface Gaps extends Span {
  readonly count: number
  /** How long they were together. */
  readonly ms: number
}

/** `isAtLeast`: it may have been down for longer, because not all of that time was observed. */
export interface Downtime {
  readonly ms: number
  readonly isAtLeast: boolean
}

/** The person who pressed “I’m on it”. Stores their name, because an ID can only be shown as a mention. */
export interface OnIt {
  readonly by: string
  readonly name: string
  readonly at: Date
  /** The watch clock at that time, which counts how long the environment has been observed. */
  readonly clockMs: number
}

export interface EarlierName {
  readonly name: string
  /** When it was renamed. */
  readonly until: Date
}

/** A check that is down now: since when, and who is on it. */
export interface DownCheck {
  /** Undefined if Signalman can't see the checks, because it may have been up since. */
  readonly at?: Date | undefined
  /** It was already down then, when watching began. */
  readonly isAtLeast?: true
  readonly acknowledgedBy?: string | undefined
}

/** A period of time. */
export interface Span {
  readonly from: Date
  readonly to: Date
}

/** The polling of one environment for a workspace, as people see it. */
export interface PollStatus {
  /** Successful polls so far. */
  readonly polls: number
  /** When all checks were last listed. */
  readonly fullAt?: Date | undefined
  /** Set if polls have failed for so long that this is an incident. */
  readonly unseen?: Unseen | undefined
}

/** The checks of an environment can't be seen: since when, and why. What is stored about them is from before. */
export interface Unseen {
  readonly since: Date
  readonly failure: PollFailure
}

/**
 * Why polls fail. `refused`: HTTP status 400 to 499 (except 401 and 429); `failing`: 500 to 599; `unreadable`: a response
 * that can't be parsed.
 */
export type ServiceFailure =
  | 'unreachable'
  | 'unauthorized'
  | 'not-connected'
  | 'refused'
  | 'rate-limited'
  | 'failing'
  | 'unreadable'
/** Why a poll failed. `late`: it ran too late. */
export type PollFailure = ServiceFailure | 'late'

/** The fields of a health check that watching uses. */
export interface CheckFacts {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
  readonly protocol?: string | undefined
  readonly customerId?: number | undefined
  /** When the service says that it was created, as ISO text. */
  readonly madeAt?: string | undefined
}

/** The highest number of bad polls that a watch can wait for before it reports an incident. */
export const MAX_BAD_POLLS = 5

/** How long polls have to fail, and how many in a row, until not seeing the checks is an incident. */
export const BLIND_AFTER_MS = 5 * 60_000
export const BLIND_AFTER_POLLS = 5

/** These last until someone fixes them. `late` is recorded only when a poll is long overdue. */
const BLIND_IMMEDIATELY: ReadonlySet<PollFailure> = new Set<PollFailure>([
  'unauthorized',
  'not-connected',
  'late',
])

/** Whether not seeing the checks is an incident, after polls have failed this often for this long. */
export const isBlindAfter = (failure: PollFailure, failedPolls: number, lastedMs: number): boolean =>
  BLIND_IMMEDIATELY.has(failure) || (failedPolls >= BLIND_AFTER_POLLS && lastedMs >= BLIND_AFTER_MS)
