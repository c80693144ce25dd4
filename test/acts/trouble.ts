import type { Random } from '../random.ts'
import type { Fault } from '../sandbox-control.ts'
import type { Stage } from './stage.ts'

/** How long a kind of act takes when nothing happens to it. */
export interface Usual {
  acknowledgedMs: number
  tookMs: number
}

export interface Trouble {
  since: 'sent' | 'acknowledged' | 'at the service'
  afterMs: number
  what: string
  /** What it leaves to be waited for, when the act is over. */
  make(stage: Stage): Promise<{ left?: Promise<void> }>
}

/** What is to happen around one act. */
export interface Plan {
  /** What happens to it meanwhile; undefined: nothing. */
  trouble?: Trouble
  fault?: Omit<Fault, 'method' | 'path'> | undefined
  /** The process that had the service's answer lives. */
  isNeverUnknown?: boolean
}

/** What the service does wrong: it takes its time before, is not heard, or cuts the connection before it does anything. */
const FAULTS: readonly Pick<Plan, 'fault'>[] = [
  {},
  {},
  { fault: { kind: 'delay', ms: 120 } },
  { fault: { kind: 'drop-reply' } },
  { fault: { kind: 'reset', ms: 20 } },
]

/** Any moment from the submission to the end; most of them after Slack has its answer, where most can go wrong. */
export function momentOf(
  random: Random,
  { acknowledgedMs, tookMs }: Usual,
  slowMs = 0,
): Pick<Trouble, 'since' | 'afterMs'> {
  const stage = random.below(6)
  if (stage === 0) return { since: 'sent', afterMs: random.below(acknowledgedMs) }
  if (stage < 3) return { since: 'at the service', afterMs: random.below(slowMs || 20) }
  // A process that has done nothing yet is slower than one that has.
  return { since: 'acknowledged', afterMs: random.below(1.5 * (tookMs - acknowledgedMs) + slowMs) }
}

export function killOf(random: Random, usual: Usual): Plan {
  const { fault } = random.oneOf(FAULTS)
  const which = random.below(4) === 0 ? 'all' : 'first'
  async function make(stage: Stage) {
    await stage.kill(which)
    const starting = stage.start()
    if (which === 'all') await starting
    stage.point()
    return { left: starting }
  }
  return { trouble: { ...momentOf(random, usual, fault?.ms), what: `SIGKILL to ${which}`, make }, fault }
}
