// This folder decides from polls when a check counts as down or recovered.

/** How an incident ended. `installing`: the service reinstalled the check. `unseen`: nobody watched the check anymore. */
export type OutageEnding = 'recovered' | 'installing' | 'deleted' | 'unseen'

/** A period of time. */
export interface Span {
  readonly from: Date
  readonly to: Date
}

/** The person who pressed “I’m on it”. Stores their name, because an ID can only be shown as a mention. */
export interface OnIt {
  readonly by: string
  readonly name: string
  readonly at: Date
}

/** Who was on it, and why they aren't anymore: it went down after ten minutes of being up, or they stepped down, or left. */
export interface WasOnIt extends OnIt {
  readonly because: 'relapse' | 'stepped-down' | 'left'
  /** The beginning of the fall in which they were released, in ms since 1970: later falls aren't about them. */
  readonly fallMs?: number
}

/** A check that is down now: since when, and who is on it. */
export interface DownCheck {
  /** Undefined if Signalman can't see the checks, because it may have been up since. */
  readonly at?: Date | undefined
  /** It may have been down earlier: nobody looked before. */
  readonly isAtLeast?: boolean
  readonly onIt?: OnIt | undefined
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
export type PollFailure =
  | 'unreachable'
  | 'unauthorized'
  | 'not-connected'
  | 'refused'
  | 'rate-limited'
  | 'failing'
  | 'unreadable'

/** The fields of a health check that watching uses. */
export interface CheckFacts {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
  readonly protocol?: string | undefined
}

/** The highest number of bad polls that a watch can wait for before it reports an incident. */
export const MAX_BAD_POLLS = 5

/** How long polls have to fail, and how many in a row, until not seeing the checks is an incident. */
export const NO_DATA_AFTER_MS = 5 * 60_000
export const NO_DATA_AFTER_POLLS = 5

/** These last until someone fixes them. */
const NO_DATA_IMMEDIATELY: ReadonlySet<PollFailure> = new Set<PollFailure>(['unauthorized', 'not-connected'])

/** Whether not seeing the checks is an incident, after polls have failed this often for this long. */
export const isNoDataAfter = (failure: PollFailure, failedPolls: number, lastedMs: number): boolean =>
  NO_DATA_IMMEDIATELY.has(failure) || (failedPolls >= NO_DATA_AFTER_POLLS && lastedMs >= NO_DATA_AFTER_MS)
