import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { WatchChannel } from './watch.ts'

/** The checks that a silence covers: all checks, one check, or names that match a pattern with `*`. */
export type SilenceSubject =
  | { readonly kind: 'all' }
  | { readonly kind: 'check'; readonly uuid: string; readonly name: string }
  | { readonly kind: 'name'; readonly pattern: string }

export const REPEAT_INTERVALS = ['day', 'week', 'month'] as const
export type RepeatInterval = (typeof REPEAT_INTERVALS)[number]

/** The settings of a silence. */
export interface SilenceSettings {
  readonly subject: SilenceSubject
  readonly from: Date
  /**
   * How long it lasts: for a recurring one, as clocks show it, so that a window from 0:00 to 4:00 always ends at 4:00. Undefined:
   * until someone ends it.
   */
  readonly forMs?: number | undefined
  readonly every?: RepeatInterval | undefined
  /** The time zone of recurring windows. */
  readonly timeZone: string
  readonly reason: string
}

/**
 * `planned`: not announced yet. `announced`: channels have been notified. `running`: in force, even if the clock is set
 * back. `over`: it ended or was canceled, and never runs again.
 */
export type SilenceState = 'planned' | 'announced' | 'running' | 'over'

/** Maintenance is announced and doesn't count against uptime. A mute does neither. */
export type SilenceKind = 'mute' | 'maintenance'

/** Where a silence applies. */
interface SilenceScope extends Omit<WatchChannel, 'channelId'> {
  /** Undefined: every channel of the workspace. */
  readonly channelId: string | undefined
}

/**
 * Suppresses alerts for some checks. A place has one mute of a subject: typed again, it replaces the earlier one. Windows stay
 * separate. Silences add up: a check is silenced while any of them is running. A recurring silence
 * has one open window; the next is created when that ends.
 */
export interface Silence extends SilenceScope, SilenceSettings {
  readonly kind: SilenceKind
  /** Identifies this window. */
  readonly id: string
  /** The same for every window of a recurring silence. */
  readonly planId: string
  /** Undefined: until someone ends it. */
  readonly to: Date | undefined
  /** When a running window got its subject, if that was after its start. What it covered before is stored as a window of its own. */
  readonly subjectSince?: Date | undefined
  /**
   * The local time of the first window: `2026-12-01T22:00:00`. Later ones are counted from it, so that a window on the 31st stays on
   * the 31st.
   */
  readonly firstStart: string
  readonly state: SilenceState
  readonly ownerId: string
  readonly ownerName: string
  readonly madeAt: Date
}

export type NewSilence = Omit<Silence, 'id' | 'to' | 'subjectSince' | 'firstStart' | 'state'>

export const MAX_SILENCES = 1000

/** Identifies a subject: a place has one open mute of each, in each environment. */
export function toSubjectKey(subject: SilenceSubject): string {
  if (subject.kind === 'all') return 'all'
  return subject.kind === 'check'
    ? `check ${subject.uuid.toLowerCase()}`
    : `name ${foldName(subject.pattern)}`
}

/** Whether a silence is in force. It stays in force until the channels have been updated, which can be a moment after its end. */
export const isRunning = ({ state, from }: Pick<Silence, 'state' | 'from'>, now: Date): boolean =>
  state === 'running' || (state !== 'over' && from <= now)

/** Whether a silence applies in a channel. */
export const appliesIn = ({ channelId }: Pick<Silence, 'channelId'>, channel: string): boolean =>
  channelId === undefined || channelId === channel
