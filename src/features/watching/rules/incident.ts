import type { ObservedIncident } from '../../../domain/outages/observe.ts'
import type { OnIt, OutageEnding, Unseen } from '../../../domain/outages/outage.ts'
import type { Moment } from './watch-clock.ts'

/** One check that is or was down. The check without a UUID is the environment itself: its checks can't be seen. */
export interface Incident extends ObservedIncident {
  readonly onIt?: OnIt | undefined
  /** How often each person or user group was paged about it since nobody has been on it. */
  readonly paged: Readonly<Record<string, number>>
}

/** The incident of an environment whose checks can't be seen. */
export const isBlindness = ({ check }: Pick<Incident, 'check'>): boolean => check.uuid === ''

/** What a blindness incident says about an environment's checks. Undefined if they can be seen again. */
export const toUnseen = ({ isDown, fell, failure = 'unreachable' }: ObservedIncident): Unseen | undefined =>
  isDown ? { since: fell.at, failure } : undefined

/** One incident in one channel: all that is remembered of what the channel was told. */
export interface Line {
  readonly incidentId: string
  readonly channelId: string
  /** The card that lists it, and the first version of that card that does. */
  readonly cardId?: string | undefined
  readonly cardVersion?: number | undefined
  /** When the channel first saw it with nobody on it. Escalation counts from here. */
  readonly escalatesSince?: Moment | undefined
  /** The last message, not edit, that named it, and how many have since its line was last renewed. */
  readonly named?: Moment | undefined
  readonly timesNamed: number
  /** The pages before the line was renewed, which don't count here. */
  readonly pagedBefore: Readonly<Record<string, number>>
  /** The number of the fall that a new watch found. It isn't announced. */
  readonly adoptedFall?: number | undefined
  /** It was silenced at the last decision. */
  readonly isHeld: boolean
  /** It was down while the channel was paused. */
  readonly isMissed: boolean
}

export const newLine = ({ id }: Pick<Incident, 'id'>, channelId: string): Line => ({
  incidentId: id,
  channelId,
  timesNamed: 0,
  pagedBefore: {},
  isHeld: false,
  isMissed: false,
})

/** Why a message was posted. */
export type PostReason = 'down' | 'still-down' | 'silence-over' | 'resumed' | 'recovered'

/** Who is paged next about a card's incidents, and when on the watch clock. */
export interface NextPage {
  readonly names: string
  readonly atMs: number
  /** Its time has passed on the wall clock, but polls fail. */
  readonly isHeldBack?: true
}

/** Whom a page mentions, why, and about what. */
export interface PageContent {
  /** The channel whose lines it is about. It differs from the page's own channel if only an admin's direct messages are left. */
  readonly originId: string
  readonly mentions: readonly Mention[]
  /** The IDs of the responders whose steps it carries out. */
  readonly steps: readonly string[]
  /** Everyone for whom it counts as a page. */
  readonly counted: readonly string[]
  readonly incidentIds: readonly string[]
  /** Since when nobody has been on the first of them, in ISO 8601. */
  readonly since: string
}

/** `insteadOf`: the name of the person or group that can't be notified. `name` then says only who stands in: the owner or an admin. */
export interface Mention {
  readonly id: string
  readonly name: string
  readonly isGroup?: boolean | undefined
  readonly insteadOf?: string | undefined
}

/** A message. A card lists the lines that point to it; a page names its incidents forever. */
export interface IncidentMessage extends Moment {
  readonly id: string
  readonly channelId: string
  readonly kind: 'card' | 'page'
  readonly reason?: PostReason | undefined
  /** When its first sending began; undefined while it is certainly not in the channel. */
  readonly attempted?: Moment | undefined
  /** Increases with each change of content. */
  readonly version: number
  /** The last version that Slack is known to show; 0 before it is posted. */
  readonly shownVersion: number
  /** What it should say, as a text to compare with. */
  readonly content: string
  /** How many of its incidents have moved to newer cards, by their IDs. */
  readonly moved: Readonly<Record<string, number>>
  /** How many of its incidents the channel no longer watches. */
  readonly unwatchedCount: number
  readonly nextPage?: NextPage | undefined
  readonly page?: PageContent | undefined
  /** When everything on it was over. */
  readonly closedAt?: Date | undefined
}

/** What can happen to an incident, in the order in which several events of one moment are listed. */
export const EVENT_KINDS = ['down', 'renamed', 'up', 'over'] as const

export interface EventDetails {
  readonly ending?: OutageEnding | undefined
  /** The name before a rename. */
  readonly before?: string | undefined
  /** It was noticed after a gap between polls. */
  readonly isLate?: boolean | undefined
}

/** A stored event of an incident. */
export interface IncidentEvent {
  readonly incidentId: string
  readonly at: Date
  readonly kind: (typeof EVENT_KINDS)[number]
  readonly details?: EventDetails | undefined
}

/** Starts everything about an incident again in a channel: it is news, and escalation begins at the first step. */
export const renewLine = (line: Line, { paged }: Pick<Incident, 'paged'>): Line => ({
  ...line,
  named: undefined,
  escalatesSince: undefined,
  timesNamed: 0,
  pagedBefore: paged,
})

/** Nobody is on it anymore. Every channel gets a new message, and paging starts again. */
export function releaseIncident(
  incident: Incident,
  lines: readonly Line[],
): { incident: Incident; lines: Line[] } {
  const released = { ...incident, onIt: undefined, paged: {} }
  return { incident: released, lines: lines.map((line) => renewLine(line, released)) }
}

/** Whether the incident was down before a watch of this channel was saved, and still is. It isn't posted or paged. */
export const isAdopted = ({ adoptedFall }: Pick<Line, 'adoptedFall'>, { isDown, falls }: Incident): boolean =>
  isDown && adoptedFall === falls

/**
 * The incidents that a press on this version of a message is about: those that it listed and that are still listed there. Undefined
 * as version: what it lists now.
 */
export function listPressed(
  { id, page }: Pick<IncidentMessage, 'id' | 'page'>,
  version: number | undefined,
  lines: readonly Line[],
): readonly string[] {
  if (page) return page.incidentIds
  return lines.flatMap(({ incidentId, cardId, cardVersion = Number.POSITIVE_INFINITY }) =>
    cardId === id && (version === undefined || cardVersion <= version) ? [incidentId] : [],
  )
}
