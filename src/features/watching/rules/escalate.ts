import type { NextCall } from './alert.ts'
import { type Called, type EscalationStep, namesOf } from './escalation-steps.ts'
import type { ReadyWatch } from './subjects.ts'
import type { Moment } from './watch-clock.ts'

/** How far the escalation of one watch has come for one outage. */
export interface Escalation {
  readonly outageId: string
  readonly watchId: string
  /** The steps that it follows, as text. With other steps it begins again. */
  readonly steps: string
  /** Begins at 1 and grows each time it starts again from the first step. */
  readonly run: number
  /** The step that comes next, from 0. */
  readonly step: number
  /** Time waited until `since`, in milliseconds on the watch clock. */
  readonly waited: number
  /** While it runs. */
  readonly since?: number | undefined
  /** The call that is being made for this step. */
  readonly callId?: string | undefined
}

export const firstEscalation = (outageId: string, watchId: string): Escalation => ({
  outageId,
  watchId,
  steps: '',
  run: 0,
  step: 0,
  waited: 0,
})

/** From the first step again. */
export const restarted = ({ since: _since, callId: _callId, ...escalation }: Escalation): Escalation => ({
  ...escalation,
  run: escalation.run + 1,
  step: 0,
  waited: 0,
})

interface Escalated {
  readonly next: Escalation
  /** Due now. */
  readonly call?: readonly Called[] | undefined
  /** Who is called after this long, unless something changes. */
  readonly later?: { readonly inMs: number; readonly call: readonly Called[] } | undefined
}

/**
 * Counts the time in which it may run, and says who is called. At most one step at a time, and none while a call is being made.
 * `mayRun`: nobody is on it, and it is shown, unsilenced, reachable and seen.
 */
export function escalate(
  before: Escalation,
  wanted: readonly EscalationStep[],
  { mayRun, seen }: { mayRun: boolean; seen: number },
): Escalated {
  const steps = JSON.stringify(wanted)
  if (!mayRun) {
    const { since, ...rest } = before
    return {
      next: since === undefined ? before : { ...rest, waited: rest.waited + Math.max(0, seen - since) },
    }
  }
  const now = before.steps === steps ? before : { ...restarted(before), steps }
  const since = now.since ?? seen
  const next = { ...now, since }
  const step = wanted[next.step]
  if (!step || next.callId !== undefined) return { next }
  const inMs = step.afterMs - next.waited - Math.max(0, seen - since)
  return inMs > 0
    ? { next, later: { inMs, call: step.call } }
    : { next: { ...next, waited: step.afterMs, since: seen }, call: step.call }
}

/** People who are called in the thread of a card. */
export interface NewCall {
  readonly id: string
  readonly cardId: string
  readonly call: readonly Called[]
  readonly about: readonly Pick<Escalation, 'outageId' | 'watchId' | 'run' | 'step'>[]
}

/** An outage that nobody is on, the card that lists it, and the watches that want it there. */
interface Alone {
  readonly outageId: string
  readonly cardId: string
  readonly watches: readonly ReadyWatch[]
}

type Due = ReturnType<typeof escalateEach>[number] & { readonly call: readonly Called[] }

/** Goes on with the escalations of what nobody is on, and stops all others. */
export function runEscalations(
  before: readonly Escalation[],
  alone: readonly Alone[],
  { at, seen }: Moment,
  newId: () => string,
) {
  const running = escalateEach(before, alone, seen)
  const due = running.filter((one): one is Due => one.call !== undefined)
  const waiting = running.filter(({ call, isChanged }) => !call && isChanged).map(({ next }) => next)
  const calls = callTogether(due, newId)
  /** Who is called next, by card. */
  const next = new Map<string, NextCall>()
  let nextInMs = Number.POSITIVE_INFINITY
  for (const { cardId, later } of running) {
    if (!later) continue
    nextInMs = Math.min(nextInMs, later.inMs)
    const then = new Date(at.getTime() + later.inMs)
    if (then < (next.get(cardId)?.at ?? Number.POSITIVE_INFINITY))
      next.set(cardId, { at: then, names: namesOf(later.call) })
  }
  return {
    escalations: [...waiting, ...stopOthers(before, running, seen), ...calls.flatMap(({ some }) => some)],
    calls: calls.map(({ call }) => call),
    next,
    nextInMs,
  }
}

const keyOf = ({ outageId, watchId }: Pick<Escalation, 'outageId' | 'watchId'>): string =>
  `${outageId} ${watchId}`

function escalateEach(before: readonly Escalation[], alone: readonly Alone[], seen: number) {
  const known = new Map(before.map((one) => [keyOf(one), one]))
  return alone.flatMap(({ outageId, cardId, watches }) =>
    watches.flatMap(({ watch }) => {
      const now = known.get(keyOf({ outageId, watchId: watch.id }))
      if (!watch.escalation && !now) return []
      const begun = now ?? firstEscalation(outageId, watch.id)
      const escalated = escalate(begun, watch.escalation ?? [], { mayRun: true, seen })
      return [{ ...escalated, cardId, isChanged: !now || !isSame(now, escalated.next) }]
    }),
  )
}

/** Escalations that may not run now, where they ran before. */
function stopOthers(
  before: readonly Escalation[],
  running: readonly { next: Escalation }[],
  seen: number,
): Escalation[] {
  const keys = new Set(running.map(({ next }) => keyOf(next)))
  return before.flatMap((one) => {
    const { next } = keys.has(keyOf(one)) ? { next: one } : escalate(one, [], { mayRun: false, seen })
    return next === one ? [] : [next]
  })
}

/** Steps that are due together for the same people are one call. */
function callTogether(due: readonly Due[], newId: () => string) {
  const byPeople = Map.groupBy(due, ({ call }) => call.map(({ id, name }) => id ?? name).join(' '))
  return [...byPeople.values()].map((some) => {
    const id = newId()
    const about = some.map(({ next: { outageId, watchId, run, step } }) => ({ outageId, watchId, run, step }))
    const call: NewCall = { id, cardId: some[0]?.cardId ?? '', call: some[0]?.call ?? [], about }
    return { call, some: some.map(({ next }): Escalation => ({ ...next, callId: id })) }
  })
}

const isSame = (before: Escalation, after: Escalation): boolean =>
  JSON.stringify(before) === JSON.stringify(after)
