import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { type CaseStatus, type CaseStepKind, isOpen } from './case-steps.ts'

/** What Signalman asks about a case. */
export const ASK_KINDS = [
  'down',
  'answers-again',
  'stayed-down',
  'unclear',
  'unwatched',
  'unread',
  'quiet',
] as const
export type AskKind = (typeof ASK_KINDS)[number]

/** What a reading of the check says about the page. `unclear`: the service doesn't say whether the check reaches it. */
export const READINGS = ['reached', 'not-reached', 'unclear'] as const
type Reading = (typeof READINGS)[number]

/** The part of a case that its watch and its question depend on. */
export interface WatchState extends Pick<CaseStatus, 'state'> {
  readonly changedAt: Date
  /** The UUID of the watched check. */
  readonly checkUuid?: string | undefined
  /** When watching ends. Only a page that was recorded as down has it. */
  readonly watchUntil?: Date | undefined
  readonly lastReadAt?: Date | undefined
  readonly lastReading?: Reading | undefined
  /** How often in a row the check couldn't reach the page. */
  readonly badReadings: number
  readonly askKind?: AskKind | undefined
  readonly askSince?: Date | undefined
}

type WatchChange = Partial<
  Pick<WatchState, 'watchUntil' | 'lastReadAt' | 'lastReading' | 'badReadings' | 'askKind' | 'askSince'>
>

/** How long a page is watched after it was recorded as down. */
const SECOND_LOOK_MS = 7 * DAY_MS
/** After this time without a step, Signalman asks what is next. */
export const QUIET_MS = 3 * DAY_MS
/** After this time without a successful reading, Signalman says that it can't read the check. */
const UNREAD_MS = DAY_MS
/** A case isn't called watched if its check was last read longer ago than this. */
const STALE_MS = HOUR_MS / 4
/** Signalman asks after this many bad readings in a row. */
const BAD_READINGS = 2

const NOT_ASKED = { askKind: undefined, askSince: undefined } as const
const ask = (askKind: AskKind, now: Date): WatchChange => ({ askKind, askSince: now })

/** Whether the check of a case is still read. */
export const isWatched = ({ checkUuid, watchUntil }: WatchState, now: Date): boolean =>
  checkUuid !== undefined && (watchUntil === undefined || watchUntil > now)

/** Whether the newest reading is recent enough to say that the case is watched. */
export const isReadRecently = ({ lastReadAt }: WatchState, now: Date): boolean =>
  lastReadAt !== undefined && now.getTime() - lastReadAt.getTime() <= STALE_MS

/**
 * What the card in the channel says about the watch: that it's watched, with a reading, or that the check can't be read; undefined if
 * nothing. The card is edited only if this changes, so readings count as the same for a while.
 */
export function watchOnCard(threatCase: WatchState, now: Date): string | undefined {
  if (!isWatched(threatCase, now)) return undefined
  const { lastReadAt } = threatCase
  if (lastReadAt && isReadRecently(threatCase, now))
    return `read ${Math.floor(lastReadAt.getTime() / STALE_MS)}`
  return `unread ${lastReadAt?.toISOString() ?? ''}`
}

/** Steps that don't answer a question, because they are only about who has the case. */
const KEEPS_QUESTION: readonly CaseStepKind[] = ['take', 'release', 'hand-over', 'takedown-sent', 'note']

/** The watch and the question after a step. `status` is the case's status after it. */
export function watchAfterStep(
  before: WatchState,
  { state }: Pick<CaseStatus, 'state'>,
  { kind, watched, at }: { kind: CaseStepKind; watched: 'started' | 'ended' | undefined; at: Date },
): WatchChange & { isEnded?: boolean } {
  if (watched === 'ended') return { ...NOT_WATCHED, ...NOT_ASKED, isEnded: true }
  if (watched === 'started') return { ...NOT_WATCHED, ...NOT_ASKED }
  if (state === 'false-positive') return { ...NOT_WATCHED, ...NOT_ASKED, isEnded: true }
  if (kind === 'down')
    return {
      watchUntil: before.checkUuid ? new Date(at.getTime() + SECOND_LOOK_MS) : undefined,
      ...NOT_ASKED,
    }
  if (kind === 'reopen') return { watchUntil: undefined, ...NOT_ASKED }
  if (before.askKind === 'quiet' || !KEEPS_QUESTION.includes(kind)) return NOT_ASKED
  return {}
}

const NOT_WATCHED = {
  watchUntil: undefined,
  lastReadAt: undefined,
  lastReading: undefined,
  badReadings: 0,
} as const

const toReading = (status: string): Reading =>
  status === 'HEALTHY' ? 'reached' : status === 'UNHEALTHY' ? 'not-reached' : 'unclear'

/** What a reading of the check changes. Any status but the two known ones says nothing about the page. */
export function watchAfterReading(before: WatchState, status: string, now: Date): WatchChange {
  const settled = before.askKind === 'unread' ? NOT_ASKED : {}
  const read = { lastReadAt: now, lastReading: toReading(status), ...settled }
  if (read.lastReading === 'not-reached') {
    const badReadings = before.badReadings + 1
    const isNewlyDown = before.badReadings < BAD_READINGS && badReadings >= BAD_READINGS
    const raised = isOpen(before) && isNewlyDown ? ask('down', now) : {}
    const answered = before.askKind === 'answers-again' ? NOT_ASKED : {}
    return { ...read, badReadings, ...answered, ...raised }
  }
  if (read.lastReading === 'unclear') return read
  const wasDown = before.badReadings >= BAD_READINGS
  const answered = before.askKind === 'down' ? NOT_ASKED : {}
  const raised = before.state === 'down' && wasDown ? ask('answers-again', now) : {}
  return { ...read, badReadings: 0, ...answered, ...raised }
}

/** What to ask when the second look ends. One bad reading isn't enough to say that the page stayed down. */
function askAfterSecondLook({ lastReading, badReadings }: WatchState): AskKind {
  if (lastReading === 'reached') return 'answers-again'
  return lastReading === 'not-reached' && badReadings >= BAD_READINGS ? 'stayed-down' : 'unclear'
}

/** What time alone changes: the second look after a week, a check that can't be read, and three quiet days. */
export function watchAfterTime(before: WatchState, now: Date): WatchChange {
  const { state, watchUntil, checkUuid, lastReadAt, changedAt, askKind } = before
  if (checkUuid && watchUntil && watchUntil <= now) {
    if (askKind || state !== 'down') return {}
    if (!isReadRecently(before, watchUntil)) return ask('unread', now)
    return ask(askAfterSecondLook(before), now)
  }
  if (askKind) return {}
  const since = Math.max(lastReadAt?.getTime() ?? 0, changedAt.getTime())
  if (isWatched(before, now) && now.getTime() - since >= UNREAD_MS) return ask('unread', now)
  return isOpen(before) && now.getTime() - changedAt.getTime() >= QUIET_MS ? ask('quiet', now) : {}
}

/** When the case has to be looked at again; undefined if never. */
export function nextLookAt(threatCase: WatchState, now: Date, pollMs: number): Date | undefined {
  if (isWatched(threatCase, now)) return new Date(now.getTime() + pollMs)
  if (!isOpen(threatCase) || threatCase.askKind) return undefined
  return new Date(Math.max(threatCase.changedAt.getTime() + QUIET_MS, now.getTime() + pollMs))
}
