import type { Called, EscalationStep } from '../escalation/rules.ts'

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
