/** How an outage ended. `installing`: the service reinstalled the check. `unseen`: nobody watched the check anymore. */
export type OutageEnding = 'recovered' | 'installing' | 'deleted' | 'unseen'

/** A check's time in a watched status, from the first bad poll to the first of the good polls that ended it. */
export interface Outage {
  readonly id: string
  readonly check: CheckFacts
  readonly status: WatchedStatus
  /** The time of its first bad poll. A baseline outage began earlier. */
  readonly startedAt: Date
  readonly endedAt?: Date | undefined
  readonly ending?: OutageEnding | undefined
  /** True if the check was already down when watching began. Nobody is notified of it. */
  readonly isBaseline: boolean
  /** Its longest run of bad polls so far. A watch with a higher `afterBadPolls` didn't report it. */
  readonly badPolls: number
  readonly firstProbe?: FirstProbe | undefined
  /** Who is on it now. */
  readonly onIt?: OnIt | undefined
  /** Everyone who took it, stepped down, or left, in order. */
  readonly onItChanges?: readonly OnItChange[] | undefined
  /** The check's earlier names while it was down, in order. */
  readonly earlierNames?: readonly EarlierName[] | undefined
}

/** The person who pressed “I’m on it”. Stores their name, because an ID can only be shown as a mention. */
export interface OnIt {
  readonly by: string
  readonly name: string
  readonly at: Date
  /** The watch clock at that time, which counts how long the environment has been observed. */
  readonly clockMs: number
}

export interface OnItChange extends Pick<OnIt, 'by' | 'name' | 'at'> {
  /** `left`: their account was deactivated, or they became a guest. */
  readonly kind: 'took' | 'stepped-down' | 'left'
  /** The person who was on it before. */
  readonly from?: string | undefined
}

export interface EarlierName {
  readonly name: string
  /** When it was renamed. */
  readonly until: Date
}

/** The result of probing a check's target from this machine right after it went down. */
export interface FirstProbe {
  readonly at: Date
  /** Such as `connection refused`. */
  readonly phrase: string
  /** Address, connection, certificate, and response, on one line. */
  readonly detail: string
}

/** A check that is down now: since when, and who is on it. */
export interface DownCheck {
  readonly at: Date
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
  readonly lastOkAt?: Date | undefined
  /** When all checks were last listed. */
  readonly fullAt?: Date | undefined
  readonly failingSince?: Date | undefined
  readonly failure?: PollFailure | undefined
  /** True if the channels were notified that polls are failing. */
  readonly isFailureReported: boolean
  /** The watched statuses. */
  readonly statuses: readonly WatchedStatus[]
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

/** The one status that counts as down. A check that is INSTALLING is neither up nor down. */
export type WatchedStatus = 'UNHEALTHY'

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

/** The highest number of bad polls in a row that a watch can wait for before it reports an outage. */
export const MAX_BAD_POLLS = 5

/** How long the service may be unreachable before people are notified that the checks can't be seen. */
export const REPORT_UNREACHABLE_AFTER_MS = 5 * 60_000

/** The first two last until someone fixes them. `late` is recorded only when a poll is long overdue. */
const REPORTED_IMMEDIATELY: ReadonlySet<PollFailure> = new Set<PollFailure>([
  'unauthorized',
  'not-connected',
  'late',
])

/** Whether to notify people of a failure after polls have failed for this long. */
export const shouldReportFailure = (failure: PollFailure, lastedMs: number): boolean =>
  REPORTED_IMMEDIATELY.has(failure) || lastedMs >= REPORT_UNREACHABLE_AFTER_MS
