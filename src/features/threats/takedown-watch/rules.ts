import { DAY_MS } from '@signalman/runtime'
import {
  observe,
  runOf,
  type Sighting,
  type SubjectState,
  subjectKey,
} from '../../../domain/outages/observe.ts'
import { type CheckFacts, isBlind, type LookFailure } from '../../../domain/outages/outage.ts'
import { type CaseState, type CaseStep, isOpen } from '../cases/case-steps.ts'

/** Down is believed after so many bad looks one after the other; up again after two good ones, as for every watch. */
const CONFIRMED_AFTER = 2

/** What is known, between two looks at its health check, of a site that somebody wants to be gone. */
export interface TakedownState {
  /** Looks that the service has answered, as far as they count. */
  readonly looks: number
  /** From its first bad look to its last good one. */
  readonly subject?: SubjectState | undefined
  /** When it was first seen up. Undefined: it never was. */
  readonly upAt?: Date | undefined
  /** Since when it is down, once that is confirmed of a page that was seen up before. */
  readonly downAt?: Date | undefined
  /** Since when it cannot be reached, once that is confirmed of a page that was never seen up. */
  readonly unreachableAt?: Date | undefined
  readonly failingSince?: Date | undefined
  /** Set once people were told that nothing can be seen. */
  readonly isBlind?: boolean | undefined
}

export const UNSEEN: TakedownState = { looks: 0 }

/** What one look at the health check came to. */
export type TakedownSight =
  | { readonly kind: 'seen'; readonly status: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'failed'; readonly why: LookFailure }

/**
 * What people are told. `down` is the good news, of a page that was seen up before. One that never was is `unreachable`: it may
 * hide from us, so that a person has to look. `up`: it can be reached after all.
 */
export type TakedownNews =
  | { readonly kind: 'down' | 'unreachable' | 'up'; readonly at: Date }
  | { readonly kind: 'back'; readonly at: Date; readonly downMs: number }
  | { readonly kind: 'blind'; readonly at: Date; readonly why: LookFailure }
  | { readonly kind: 'sees-again'; readonly at: Date }
  | { readonly kind: 'check-deleted'; readonly at: Date }
  /** Its case is closed for so long that it is watched no more. */
  | { readonly kind: 'ended'; readonly at: Date }

/** What comes back later than that is most often somebody else's, and is reported anew. */
export const CLOSED_WATCHED_DAYS = 30

/** Whether nothing was done about a case since it was closed so long ago; what its watch noted by itself does not count. */
export function isClosedForLong(
  found: {
    readonly state: CaseState
    readonly changedAt: Date
    readonly steps: readonly Pick<CaseStep, 'kind' | 'by' | 'at'>[]
  },
  { madeAt }: { madeAt: Date },
  now: Date,
): boolean {
  if (isOpen(found)) return false
  const step = found.steps.findLast(({ kind, by }) => kind !== 'note' || by)
  // Somebody may watch what was closed long ago: the note of that comes after the watch itself.
  const since = Math.max((step?.at ?? found.changedAt).getTime(), madeAt.getTime())
  return now.getTime() - since > CLOSED_WATCHED_DAYS * DAY_MS
}

/** The state after a look, and what is new by it. What has just been made is INSTALLING, which is neither up nor down. */
export function looked(
  before: TakedownState,
  check: CheckFacts,
  sight: TakedownSight,
  at: Date,
): { state: TakedownState; news: TakedownNews[] } {
  if (sight.kind === 'failed') return failed(before, sight.why, at)
  const sees: TakedownNews[] = before.isBlind ? [{ kind: 'sees-again', at }] : []
  const { failingSince: _, isBlind: __, ...seeing } = before
  if (sight.kind === 'deleted') return { state: seeing, news: [...sees, { kind: 'check-deleted', at }] }
  const { state, news } = seen(seeing, check, sight.status, at)
  return { state, news: [...sees, ...news] }
}

/** Whether a look changed nothing that the next one needs: looks are counted only where something goes on. */
export const isUnchanged = (before: TakedownState, after: TakedownState): boolean =>
  JSON.stringify({ ...before, looks: 0 }) === JSON.stringify({ ...after, looks: 0 })

function failed(before: TakedownState, why: LookFailure, at: Date): ReturnType<typeof looked> {
  const failingSince = before.failingSince ?? at
  const seesNothing = isBlind(why, at.getTime() - failingSince.getTime())
  const state = { ...before, failingSince, ...((seesNothing || before.isBlind) && { isBlind: true }) }
  return { state, news: seesNothing && !before.isBlind ? [{ kind: 'blind', at: failingSince, why }] : [] }
}

function seen(before: TakedownState, check: CheckFacts, status: string, at: Date): ReturnType<typeof looked> {
  const poll = before.looks + 1
  const key = subjectKey(check.uuid, 'UNHEALTHY')
  const sighting: Sighting = {
    poll,
    at,
    bad: new Map(status === 'UNHEALTHY' ? [[key, { check, status }]] : []),
    good: new Set(status === 'HEALTHY' ? [key] : []),
    deleted: new Set(),
    baseline: new Set(),
  }
  const [change] = observe(new Map(before.subject ? [[key, before.subject]] : []), sighting, () => check.uuid)
  const subject = change ? change.state : before.subject
  const upAt = before.upAt ?? (status === 'HEALTHY' ? at : undefined)
  const state: TakedownState = { ...before, looks: poll, subject, upAt }
  const { downAt, unreachableAt } = before
  const badAt = downAt ?? unreachableAt
  const ended = change?.outage?.ended
  if (ended?.ending === 'recovered' && badAt) {
    const { at: back } = ended
    const news: TakedownNews = downAt
      ? { kind: 'back', at: back, downMs: back.getTime() - downAt.getTime() }
      : { kind: 'up', at: back }
    return { state: { ...state, downAt: undefined, unreachableAt: undefined }, news: [news] }
  }
  if (badAt || subject?.phase !== 'bad' || runOf(subject, poll) < CONFIRMED_AFTER) return { state, news: [] }
  const since = subject.phaseAt
  return upAt
    ? { state: { ...state, downAt: since }, news: [{ kind: 'down', at: since }] }
    : { state: { ...state, unreachableAt: since }, news: [{ kind: 'unreachable', at: since }] }
}
