import type { Random } from '../random.ts'
import type { Fault } from '../sandbox-control.ts'
import type { Stage } from './stage.ts'

/** How long a kind of act takes without trouble. */
export interface UsualTimes {
  acknowledgedMs: number
  tookMs: number
}

export interface Trouble {
  since: 'sent' | 'acknowledged' | 'at the service'
  afterMs: number
  what: string
  /** Returns the start of a replacement process, which the caller waits for after the act. */
  make(phase: Stage): Promise<{ replacement?: Promise<void> }>
}

/** The planned trouble of one act. */
export interface Plan {
  /** What happens to the app during the act, if anything. */
  trouble?: Trouble
  fault?: Omit<Fault, 'method' | 'path'> | undefined
  /** The process that got the service's answer survives. */
  isNeverUnknown?: boolean
}

/** Faults of the service: it is slow, its reply is lost, or it closes the connection before doing anything. */
const FAULTS: readonly Pick<Plan, 'fault'>[] = [
  {},
  {},
  { fault: { kind: 'delay', ms: 120 } },
  { fault: { kind: 'drop-reply' } },
  { fault: { kind: 'reset', ms: 20 } },
]

/** Chooses a random moment between the submission and the end, usually after the acknowledgement, when most can go wrong. */
export function chooseMoment(
  random: Random,
  { acknowledgedMs, tookMs }: UsualTimes,
  slowMs = 0,
): Pick<Trouble, 'since' | 'afterMs'> {
  const stage = random.below(6)
  if (stage === 0) return { since: 'sent', afterMs: random.below(acknowledgedMs) }
  if (stage < 3) return { since: 'at the service', afterMs: random.below(slowMs || 20) }
  // A process that has just started is slower.
  return { since: 'acknowledged', afterMs: random.below(1.5 * (tookMs - acknowledgedMs) + slowMs) }
}

export function planKill(random: Random, usual: UsualTimes): Plan {
  const { fault } = random.oneOf(FAULTS)
  const which = random.below(4) === 0 ? 'all' : 'first'
  async function make(stage: Stage) {
    await stage.kill(which)
    const starting = stage.start()
    if (which === 'all') await starting
    stage.point()
    return { replacement: starting }
  }
  return { trouble: { ...chooseMoment(random, usual, fault?.ms), what: `SIGKILL to ${which}`, make }, fault }
}
