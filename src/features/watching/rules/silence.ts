import type { Environment } from '../../../domain/environment.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'

/**
 * Keeps a channel, or the whole workspace, from being notified about some checks for a while: a mute or a maintenance window.
 * Silences add up: a check is silenced while any of them is in force.
 */
export interface Silence {
  readonly id: string
  readonly environment: Environment
  /** A channel, which includes its threads, or one thread. Undefined for the whole workspace. */
  readonly channelId?: string | undefined
  readonly from: Date
  /** Undefined: until somebody ends it. */
  readonly until?: Date | undefined
  /** Once it has begun it stays begun, and once it is over it stays over, even if the clock is set back. */
  readonly begun?: true | undefined
  readonly over?: true | undefined
  /** By the check's name as of now, or its UUID. */
  readonly covers: (check: CheckFacts) => boolean
}

export const isInForce = (
  { from, until, begun, over }: Pick<Silence, 'from' | 'until' | 'begun' | 'over'>,
  now: Date,
): boolean => !over && (begun === true || from <= now) && (until === undefined || now < until)
