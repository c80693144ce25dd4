/** How an outage ended. `installing`: the service installs the check again. `unseen`: nobody watched any more. */
export type OutageEnding = 'recovered' | 'installing' | 'deleted' | 'unseen'

/** One check's time in a watched status, from the first bad poll to the first of the good ones that confirmed its end. */
export interface Outage {
  readonly id: string
  readonly check: CheckFacts
  readonly status: WatchedStatus
  /** Of its first bad poll. For a baseline outage: when it was first seen, which is later than it began. */
  readonly startedAt: Date
  readonly endedAt?: Date | undefined
  readonly ending?: OutageEnding | undefined
  /** It was there already when watching began. Nobody is told of it. */
  readonly isBaseline: boolean
  /** The longest row of bad polls in it so far: a watch with `afterBadPolls` above it did not tell of it. */
  readonly badPolls: number
  readonly firstLook?: FirstLook | undefined
  /** Who is on it now. */
  readonly onIt?: OnIt | undefined
  /** Who took it, stepped down, or left, first to last. */
  readonly takings?: readonly Taking[] | undefined
  /** What the check was called before it was renamed while down, first to last. */
  readonly earlierNames?: readonly EarlierName[] | undefined
}

/** Somebody said “I’m on it”. The name is as it was then: an ID can only be shown as a mention. */
export interface OnIt {
  readonly by: string
  readonly name: string
  readonly at: Date
  /** On the watch clock: how long the environment had been looked at by then. */
  readonly seen: number
}

export interface Taking extends Pick<OnIt, 'by' | 'name' | 'at'> {
  /** `left`: stepped down, or is no longer here. */
  readonly what: 'took' | 'stepped-down' | 'left'
  /** Who was on it before. */
  readonly from?: string | undefined
}

export interface EarlierName {
  readonly name: string
  /** When it was renamed. */
  readonly until: Date
}

/** What was seen of a check's target from where this program runs, a moment after the check fell. */
export interface FirstLook {
  readonly at: Date
  /** `the connection is refused` */
  readonly phrase: string
  /** Address, connection, certificate and answer, on one line. */
  readonly detail: string
}

/** A stretch of time. */
export interface Span {
  readonly from: Date
  readonly to: Date
}

/** The polling of one environment for a workspace, as people are shown it. */
export interface PollStatus {
  /** Successful polls so far. */
  readonly polls: number
  readonly lastOkAt?: Date | undefined
  /** When all checks were last listed. */
  readonly fullAt?: Date | undefined
  readonly failingSince?: Date | undefined
  readonly failure?: PollFailure | undefined
  /** True once people were told that nothing can be seen. */
  readonly isBlind: boolean
  /** Those that are looked for. */
  readonly statuses: readonly WatchedStatus[]
}

/**
 * Why the service has told nothing. `refused`: an HTTP status of 400 to 499 (but 401 and 429); `failing`: one of 500 to 599; `unreadable`: the
 * answer is none that can be read.
 */
export type ServiceFailure =
  | 'unreachable'
  | 'unauthorized'
  | 'not-connected'
  | 'refused'
  | 'rate-limited'
  | 'failing'
  | 'unreadable'
/** Why a poll has seen nothing. `late`: the service was not asked in time. */
export type PollFailure = ServiceFailure | 'late'

/** The one status that counts as down. A check that is INSTALLING is neither up nor down. */
export type WatchedStatus = 'UNHEALTHY'

/** As much of a health check as watching knows of it. */
export interface CheckFacts {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
  readonly protocol?: string | undefined
  readonly customerId?: number | undefined
  /** When the service says that it was made, as ISO text. */
  readonly madeAt?: string | undefined
}

/** Down may be told after so many bad polls one after the other, at most. */
export const MOST_BAD_POLLS = 5

/** The service may be out of reach for so long before people are told that nothing can be seen. */
export const BLIND_AFTER_MS = 5 * 60_000

/** They do not mend by themselves. */
const TOLD_AT_ONCE: ReadonlySet<PollFailure> = new Set<PollFailure>(['unauthorized', 'not-connected', 'late'])

/** Whether polls that have failed for so long are told as blindness. */
export const isBlind = (failure: PollFailure, lastedMs: number): boolean =>
  TOLD_AT_ONCE.has(failure) || lastedMs >= BLIND_AFTER_MS
