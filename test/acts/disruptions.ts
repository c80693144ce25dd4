import type { Random } from '../random.ts'
import type { Fault } from '../sandbox-control.ts'
import type { Deployment } from './deployment.ts'

/** How long a kind of act takes without a disruption. */
export interface UndisturbedTimes {
  acknowledgedMs: number
  tookMs: number
}

/** Something that happens to the app while an act runs. */
export interface Disruption {
  /** The event after which `delayMs` starts. */
  phase: 'sent' | 'acknowledged' | 'at the service'
  delayMs: number
  description: string
  /** If it starts a replacement process, returns a promise for its startup. */
  cause(deployment: Deployment): Promise<{ replacement?: Promise<void> }>
}

/** What is planned to go wrong during one act. */
export interface Plan {
  disruption?: Disruption
  fault?: Omit<Fault, 'method' | 'path'> | undefined
  /** True if the app must report a definite outcome, because the process that got the service's answer survives. */
  requiresKnownOutcome?: boolean
}

/** Faults of the service: it is slow, its reply is lost, or it closes the connection before doing anything. */
export const FAULTS: readonly Pick<Plan, 'fault'>[] = [
  {},
  {},
  { fault: { kind: 'delay', ms: 120 } },
  { fault: { kind: 'drop-reply' } },
  { fault: { kind: 'reset', ms: 20 } },
]

/**
 * Chooses a random moment during an act. Half of the time, it is after the acknowledgement, when more can go wrong than before.
 * `slowMs` is how much the service delays its response.
 */
export function chooseMoment(
  random: Random,
  { acknowledgedMs, tookMs }: UndisturbedTimes,
  slowMs = 0,
): Pick<Disruption, 'phase' | 'delayMs'> {
  const roll = random.below(6)
  if (roll === 0) return { phase: 'sent', delayMs: random.below(acknowledgedMs) }
  if (roll < 3) return { phase: 'at the service', delayMs: random.below(slowMs || 20) }
  // The factor 1.5 allows for processes that have just started, which are slower.
  return { phase: 'acknowledged', delayMs: random.below(1.5 * (tookMs - acknowledgedMs) + slowMs) }
}
