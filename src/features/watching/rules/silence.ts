import type { Environment } from '../../../domain/environment.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { WallTime } from '../../../domain/zoned-time.ts'
import { channelIn, type WatchPlace } from './watch.ts'

/** What a silence covers: everything, one check, or the checks whose names match a pattern with `*`. */
export type SilenceSubject =
  | { readonly kind: 'all' }
  | { readonly kind: 'check'; readonly uuid: string; readonly name: string }
  | { readonly kind: 'name'; readonly pattern: string }

export const EVERY = ['day', 'week', 'month'] as const
export type Every = (typeof EVERY)[number]

/** What a person decides about a silence. */
export interface SilenceTerms {
  readonly about: SilenceSubject
  readonly from: Date
  /** Undefined: until somebody ends it. */
  readonly forMs?: number | undefined
  readonly every?: Every | undefined
  /** Whose clocks say when the next window of a recurring one begins. */
  readonly timeZone: string
  readonly because: string
}

/**
 * `planned`: nobody has been notified about it. `announced`: its channels have. `running`: it silences, also if the clock is set back.
 * `over`: it has ended or was called off, and stays so.
 */
export type SilenceState = 'planned' | 'announced' | 'running' | 'over'

/** Maintenance is announced, and what it covers doesn't count against uptime. A mute is neither. */
export type SilenceKind = 'mute' | 'maintenance'

/** Where a silence holds. */
interface SilencePlace extends Omit<WatchPlace, 'channelId'> {
  /** A channel, which includes its threads, or one thread. Undefined: every channel of the workspace. */
  readonly channelId: string | undefined
}

/**
 * Keeps channels from being notified about some checks for a while. Silences add up: a check is silenced while any of them is in force.
 * Of a recurring one, only one window is not over; the next is made when that ends.
 */
export interface Silence extends SilencePlace, SilenceTerms {
  readonly kind: SilenceKind
  /** Of this window. */
  readonly id: string
  /** The same for every window of a recurring silence. */
  readonly planId: string
  /** Undefined: until somebody ends it. */
  readonly to: Date | undefined
  /** What a clock showed when the first window began: the others are counted from it, so that a 31st comes back. */
  readonly first: WallTime
  readonly state: SilenceState
  readonly ownerId: string
  readonly ownerName: string
  readonly madeAt: Date
}

export type NewSilence = Omit<Silence, 'id' | 'to' | 'first' | 'state'>

export const MOST_SILENCES = 1000

/** It silences now. It goes on until its channels are notified that it's over, which may be a moment after its time. */
export const isUnderWay = ({ state, from }: Pick<Silence, 'state' | 'from'>, now: Date): boolean =>
  state === 'running' || (state !== 'over' && from <= now)

/** Whether it holds in a channel, or in a thread of one. */
export const holdsIn = ({ channelId }: Pick<Silence, 'channelId'>, place: string): boolean =>
  channelId === undefined || channelId === place || channelId === channelIn(place)

/** A silence that can be asked about many checks. */
export interface ReadySilence {
  readonly id: string
  readonly environment: Environment
  readonly channelId?: string | undefined
  readonly from: Date
  readonly until?: Date | undefined
  readonly begun?: true | undefined
  readonly over?: true | undefined
  /** By the check's name as of now, or its UUID. */
  readonly covers: (check: CheckFacts) => boolean
}

export const isInForce = (
  { from, until, begun, over }: Pick<ReadySilence, 'from' | 'until' | 'begun' | 'over'>,
  now: Date,
): boolean => !over && (begun === true || from <= now) && (until === undefined || now < until)
