import type { NextCall } from './alert.ts'
import { type EscalationStep, formatNames, type Responder } from './escalation-steps.ts'
import type { PreparedWatch } from './matching.ts'
import type { Moment } from './watch-clock.ts'

/** One watch's escalation of one outage. */
export interface Escalation {
  readonly outageId: string
  readonly watchId: string
  /** The steps as JSON. If they change, escalation restarts. */
  readonly steps: string
  /** Starts at 1 and increases with each restart. */
  readonly run: number
  /** The index of the next step. */
  readonly step: number
  /** Time waited until `since`, in milliseconds on the watch clock. */
  readonly waited: number
  /** Set while it runs. */
  readonly since?: number | undefined
  /** The pending page for this step. */
  readonly callId?: string | undefined
}

export const createEscalation = (outageId: string, watchId: string): Escalation => ({
  outageId,
  watchId,
  steps: '',
  run: 0,
  step: 0,
  waited: 0,
})

/** Restarts from step one. */
export const restartEscalation = ({
  since: _since,
  callId: _callId,
  ...escalation
}: Escalation): Escalation => ({
  ...escalation,
  run: escalation.run + 1,
  step: 0,
  waited: 0,
})

interface Escalated {
  readonly next: Escalation
  /** The people to page now. */
  readonly responders?: readonly Responder[] | undefined
  /** Who is paged after this long, if nothing changes. */
  readonly later?: { readonly inMs: number; readonly responders: readonly Responder[] } | undefined
}

/**
 * Counts waiting time and decides who is paged: one step at a time, and nobody while a page is pending. `mayRun`: the
 * outage is shown in a reachable channel, the service can be reached, it isn't silenced, and nobody is on it.
 */
export function escalate(
  before: Escalation,
  watchSteps: readonly EscalationStep[],
  { mayRun, seen }: { mayRun: boolean; seen: number },
): Escalated {
  const steps = JSON.stringify(watchSteps)
  if (!mayRun) {
    const { since, ...rest } = before
    return {
      next: since === undefined ? before : { ...rest, waited: rest.waited + Math.max(0, seen - since) },
    }
  }
  const current = before.steps === steps ? before : { ...restartEscalation(before), steps }
  const since = current.since ?? seen
  const next = { ...current, since }
  const step = watchSteps[next.step]
  if (!step || next.callId !== undefined) return { next }
  const inMs = step.afterMs - next.waited - Math.max(0, seen - since)
  return inMs > 0
    ? { next, later: { inMs, responders: step.responders } }
    : { next: { ...next, waited: step.afterMs, since: seen }, responders: step.responders }
}

/** People to page in the thread of a card. */
export interface NewCall {
  readonly id: string
  readonly cardId: string
  readonly responders: readonly Responder[]
  readonly steps: readonly Pick<Escalation, 'outageId' | 'watchId' | 'run' | 'step'>[]
}

/** An outage that nobody is on, its card, and the watches that put it there. */
interface UnattendedOutage {
  readonly outageId: string
  readonly cardId: string
  readonly watches: readonly PreparedWatch[]
}

type DueStep = ReturnType<typeof escalateEach>[number] & { readonly responders: readonly Responder[] }

/** Runs the escalations of unattended outages and stops all others. */
export function runEscalations(
  before: readonly Escalation[],
  unattended: readonly UnattendedOutage[],
  { at, seen }: Moment,
  newId: () => string,
) {
  const running = escalateEach(before, unattended, seen)
  const dueNow = running.filter((one): one is DueStep => one.responders !== undefined)
  const waiting = running
    .filter(({ responders, isChanged }) => !responders && isChanged)
    .map(({ next }) => next)
  const calls = combineCalls(dueNow, newId)
  /** Who is paged next, by card. */
  const next = new Map<string, NextCall>()
  let nextInMs = Number.POSITIVE_INFINITY
  for (const { cardId, later } of running) {
    if (!later) continue
    nextInMs = Math.min(nextInMs, later.inMs)
    const callAt = new Date(at.getTime() + later.inMs)
    if (callAt < (next.get(cardId)?.at ?? Number.POSITIVE_INFINITY))
      next.set(cardId, { at: callAt, names: formatNames(later.responders) })
  }
  return {
    escalations: [
      ...waiting,
      ...stopOtherEscalations(before, running, seen),
      ...calls.flatMap(({ escalations }) => escalations),
    ],
    calls: calls.map(({ call }) => call),
    next,
    nextInMs,
  }
}

const escalationKey = ({ outageId, watchId }: Pick<Escalation, 'outageId' | 'watchId'>): string =>
  `${outageId} ${watchId}`

function escalateEach(before: readonly Escalation[], unattended: readonly UnattendedOutage[], seen: number) {
  const current = new Map(before.map((one) => [escalationKey(one), one]))
  return unattended.flatMap(({ outageId, cardId, watches }) =>
    watches.flatMap(({ watch }) => {
      const existing = current.get(escalationKey({ outageId, watchId: watch.id }))
      if (!watch.escalation && !existing) return []
      const begun = existing ?? createEscalation(outageId, watch.id)
      const escalated = escalate(begun, watch.escalation ?? [], { mayRun: true, seen })
      return [{ ...escalated, cardId, isChanged: !existing || !isSame(existing, escalated.next) }]
    }),
  )
}

/** Stops escalations that were running and are no longer allowed to. */
function stopOtherEscalations(
  before: readonly Escalation[],
  running: readonly { next: Escalation }[],
  seen: number,
): Escalation[] {
  const keys = new Set(running.map(({ next }) => escalationKey(next)))
  return before.flatMap((escalation) => {
    const { next } = keys.has(escalationKey(escalation))
      ? { next: escalation }
      : escalate(escalation, [], { mayRun: false, seen })
    return next === escalation ? [] : [next]
  })
}

/** Steps that are due together for the same people become one page. */
function combineCalls(due: readonly DueStep[], newId: () => string) {
  const byPeople = Map.groupBy(due, ({ responders }) =>
    responders.map(({ id, name }) => id ?? name).join(' '),
  )
  return [...byPeople.values()].map((dueTogether) => {
    const id = newId()
    const steps = dueTogether.map(({ next: { outageId, watchId, run, step } }) => ({
      outageId,
      watchId,
      run,
      step,
    }))
    const call: NewCall = {
      id,
      cardId: dueTogether[0]?.cardId ?? '',
      responders: dueTogether[0]?.responders ?? [],
      steps,
    }
    return { call, escalations: dueTogether.map(({ next }): Escalation => ({ ...next, callId: id })) }
  })
}

const isSame = (before: Escalation, after: Escalation): boolean =>
  JSON.stringify(before) === JSON.stringify(after)
