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
  /** How many times escalation has started, counting restarts. */
  readonly run: number
  /** The index of the next step. */
  readonly step: number
  /** Time waited until `runningSinceMs`, in milliseconds on the watch clock, which counts only observed time. */
  readonly waitedMs: number
  /** When it last started to run, on the watch clock. Undefined while it is stopped. */
  readonly runningSinceMs?: number | undefined
  /** The ID of the page that is being sent for this step. */
  readonly callId?: string | undefined
}

export const createEscalation = (outageId: string, watchId: string): Escalation => ({
  outageId,
  watchId,
  // Differs from every watch's steps, so `escalate` starts run 1 as soon as escalation may run.
  steps: '',
  run: 0,
  step: 0,
  waitedMs: 0,
})

/** Restarts from step one. */
export const restartEscalation = ({
  runningSinceMs: _since,
  callId: _callId,
  ...escalation
}: Escalation): Escalation => ({
  ...escalation,
  run: escalation.run + 1,
  step: 0,
  waitedMs: 0,
})

interface EscalationResult {
  readonly escalation: Escalation
  /** The people to page now. */
  readonly dueResponders?: readonly Responder[] | undefined
  /** Who is paged after this long, if nothing changes. */
  readonly upcomingCall?: { readonly inMs: number; readonly responders: readonly Responder[] } | undefined
}

/**
 * Counts the waiting time and decides who is paged. Pages one step at a time, and no one while a page is pending. `mayRun` is true
 * while the service and the channel can be reached, the outage is shown and isn't silenced, and nobody is on it.
 */
export function escalate(
  before: Escalation,
  watchSteps: readonly EscalationStep[],
  { mayRun, clockMs }: { mayRun: boolean; clockMs: number },
): EscalationResult {
  const steps = JSON.stringify(watchSteps)
  if (!mayRun) {
    const { runningSinceMs, ...stopped } = before
    if (runningSinceMs === undefined) return { escalation: before }
    const waitedMs = stopped.waitedMs + Math.max(0, clockMs - runningSinceMs)
    return { escalation: { ...stopped, waitedMs } }
  }
  const current = before.steps === steps ? before : { ...restartEscalation(before), steps }
  const runningSinceMs = current.runningSinceMs ?? clockMs
  const escalation = { ...current, runningSinceMs }
  const step = watchSteps[escalation.step]
  if (!step || escalation.callId !== undefined) return { escalation }
  const inMs = step.afterMs - escalation.waitedMs - Math.max(0, clockMs - runningSinceMs)
  return inMs > 0
    ? { escalation, upcomingCall: { inMs, responders: step.responders } }
    : {
        escalation: { ...escalation, waitedMs: step.afterMs, runningSinceMs: clockMs },
        dueResponders: step.responders,
      }
}

/** A new call: people to page in the thread of a card. */
export interface NewCall {
  readonly id: string
  readonly cardId: string
  readonly responders: readonly Responder[]
  readonly steps: readonly Pick<Escalation, 'outageId' | 'watchId' | 'run' | 'step'>[]
}

/** An outage that nobody is on, with its card and the watches that report it. */
interface UnattendedOutage {
  readonly outageId: string
  readonly cardId: string
  readonly watches: readonly PreparedWatch[]
}

type DueStep = ReturnType<typeof escalateEach>[number] & { readonly dueResponders: readonly Responder[] }

/** Runs the escalations of unattended outages and stops all others. */
export function runEscalations(
  before: readonly Escalation[],
  unattended: readonly UnattendedOutage[],
  { at, clockMs }: Moment,
  newId: () => string,
) {
  const running = escalateEach(before, unattended, clockMs)
  const dueNow = running.filter((result): result is DueStep => result.dueResponders !== undefined)
  const waiting = running
    .filter(({ dueResponders, isChanged }) => !dueResponders && isChanged)
    .map(({ escalation }) => escalation)
  const calls = combineCalls(dueNow, newId)
  /** Who is paged next, by card. */
  const nextCalls = new Map<string, NextCall>()
  let nextInMs = Number.POSITIVE_INFINITY
  for (const { cardId, upcomingCall } of running) {
    if (!upcomingCall) continue
    nextInMs = Math.min(nextInMs, upcomingCall.inMs)
    const callAt = new Date(at.getTime() + upcomingCall.inMs)
    if (callAt < (nextCalls.get(cardId)?.at ?? Number.POSITIVE_INFINITY))
      nextCalls.set(cardId, { at: callAt, names: formatNames(upcomingCall.responders) })
  }
  return {
    escalations: [
      ...waiting,
      ...stopOtherEscalations(before, running, clockMs),
      ...calls.flatMap(({ escalations }) => escalations),
    ],
    calls: calls.map(({ call }) => call),
    nextCalls,
    nextInMs,
  }
}

const escalationKey = ({ outageId, watchId }: Pick<Escalation, 'outageId' | 'watchId'>): string =>
  `${outageId} ${watchId}`

function escalateEach(
  before: readonly Escalation[],
  unattended: readonly UnattendedOutage[],
  clockMs: number,
) {
  const current = new Map(before.map((escalation) => [escalationKey(escalation), escalation]))
  return unattended.flatMap(({ outageId, cardId, watches }) =>
    watches.flatMap(({ watch }) => {
      const existing = current.get(escalationKey({ outageId, watchId: watch.id }))
      if (!watch.escalation && !existing) return []
      const escalated = escalate(existing ?? createEscalation(outageId, watch.id), watch.escalation ?? [], {
        mayRun: true,
        clockMs,
      })
      return [{ ...escalated, cardId, isChanged: !existing || !isSame(existing, escalated.escalation) }]
    }),
  )
}

/** Stops escalations that were running and may not run anymore. */
function stopOtherEscalations(
  before: readonly Escalation[],
  running: readonly Pick<EscalationResult, 'escalation'>[],
  clockMs: number,
): Escalation[] {
  const runningKeys = new Set(running.map(({ escalation }) => escalationKey(escalation)))
  return before
    .filter((previous) => !runningKeys.has(escalationKey(previous)))
    .flatMap((previous) => {
      const { escalation } = escalate(previous, [], { mayRun: false, clockMs })
      return escalation === previous ? [] : [escalation]
    })
}

/** Combines steps that are due at the same time for the same people into one page. */
function combineCalls(due: readonly DueStep[], newId: () => string) {
  const byPeople = Map.groupBy(due, ({ dueResponders }) =>
    dueResponders.map(({ id, name }) => id ?? name).join(' '),
  )
  return [...byPeople.values()].map((dueTogether) => {
    const id = newId()
    const steps = dueTogether.map(({ escalation: { outageId, watchId, run, step } }) => ({
      outageId,
      watchId,
      run,
      step,
    }))
    const call: NewCall = {
      id,
      cardId: dueTogether[0]?.cardId ?? '',
      responders: dueTogether[0]?.dueResponders ?? [],
      steps,
    }
    return {
      call,
      escalations: dueTogether.map(({ escalation }): Escalation => ({ ...escalation, callId: id })),
    }
  })
}

const isSame = (before: Escalation, after: Escalation): boolean =>
  JSON.stringify(before) === JSON.stringify(after)
