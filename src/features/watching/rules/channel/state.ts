// This folder decides what one channel shows, and who is paged. Its functions are pure: each takes what it needs and returns what changes.

import { type Incident, isNoData } from '../../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../../domain/outages/outage.ts'
import type { FindWatches } from '../matching.ts'
import type { InForce } from '../silence.ts'
import type { Responder, Watch } from '../watch.ts'

/** An incident as one channel knows it. */
export interface ChannelIncident {
  readonly channelId: string
  readonly incidentId: string
  /** The one card that lists it from beginning to end. */
  readonly cardId: string
  /** The watches that it was down before, or before they were changed: the channel sees it, and they page nobody until it's down again. */
  readonly alreadyDown: readonly string[]
  readonly heard: Heard
  /** Undefined while somebody is on it, and before it has waited for somebody. */
  readonly waits?: Waits | undefined
}

/** What a channel has heard about an incident. */
export interface Heard {
  /** By the last message about it. `nothing`: it joined a card that was sent, and the channel has still to be told. */
  readonly said: 'nothing' | 'down' | 'up'
  /** What has happened since: it was up, somebody took it while it was down, or who was on it isn't anymore. */
  readonly since?: 'up' | 'taken' | 'left' | undefined
  /** When that message was sent, if it wasn't the card. */
  readonly atMs?: number | undefined
  /** When the channel was last told about it, once it was told that it went down again. */
  readonly relapseMs?: number | undefined
}

/** How long an incident has been down while nobody was on it and nothing silenced it. Pages are due by this time. */
export interface Waits {
  /** Up to `sinceMs`, since when it runs. That is undefined while it stands still. */
  readonly ms: number
  readonly sinceMs?: number | undefined
  /** Since then, it's silenced: that doesn't count. */
  readonly isSilenced?: boolean | undefined
  /** By the ID of each watch: how long it had waited when it paged last, and how often it did. */
  readonly pages: Readonly<Record<string, { readonly atMs: number; readonly count: number }>>
}

/**
 * A message. A card is a view of what it lists, and is edited. A note names incidents that are down, and may mention people; it's
 * edited, too, until they are over. A reply in the thread of a card names those that are up again. Until a note or reply is sent, each
 * decision writes it anew, and it has no effect; `applyNote` gives it one. What is said about a change of settings is only text. That the channel is paused is told only
 * its owners.
 */
export interface Post {
  readonly id: string
  readonly channelId: string
  readonly kind: 'card' | 'note' | 'reply' | 'said' | 'paused'
  readonly openedAt: Date
  /** When its first sending began; undefined while it is certainly not in the channel. */
  readonly attemptedAt?: Date | undefined
  /** Its delivery is pending while Slack shows less than `version`. */
  readonly version: number
  readonly shownVersion: number
  /** Of a card or note: what it should say, as a text to compare with. Of what is said about a change of settings: the text. */
  readonly content: string
  readonly nextPage?: NextPage | undefined
  /** Of a channel's latest card: how many more checks are down than the channel lists. */
  readonly unlisted?: number | undefined
  /** By the ID of each incident that a note or reply names: the watches whose next page it is. */
  readonly about?: Readonly<Record<string, readonly string[]>> | undefined
  readonly responders?: readonly Responder[] | undefined
  /** Who pressed **Page now**. */
  readonly askedBy?: string | undefined
  /** The card that it's a reply to. */
  readonly cardId?: string | undefined
  /** When everything on it was over, or when it was sent, if it's never edited. */
  readonly closedAt?: Date | undefined
}

export interface NextPage {
  readonly names: string
  readonly at: Date
}

/** Somebody asks to page now: these people, or else those whom the watches would page next. */
export interface PageNow {
  readonly channelId: string
  readonly incidentIds: readonly string[]
  readonly responders?: readonly Responder[] | undefined
  readonly askedBy: string
}

/** A channel of one environment: its settings, and what it was told. */
export interface ChannelState {
  readonly channelId: string
  readonly findWatches: FindWatches
  /** Slack accepts no messages in it. Pages go to the owners of its watches. */
  readonly isPaused: boolean
  /** Nobody is paged about it, since nobody may read it: it became shared with another organization. */
  readonly isClosed: boolean
  readonly findSilenced: (check: CheckFacts) => InForce | undefined
  /** For how long a check was silenced between two times. */
  readonly sumSilencedMs: (check: CheckFacts, fromMs: number, toMs: number) => number
  readonly known: readonly ChannelIncident[]
  /** Oldest first: cards that aren't over, and notes and replies that weren't sent. */
  readonly posts: readonly Post[]
  readonly pageNow?: PageNow | undefined
  /** The watch that was saved just now. */
  readonly savedId?: string | undefined
}

/** What is true in an environment. */
export interface ScopeState {
  /** Open incidents, and those that the channel knows. */
  readonly incidents: readonly Incident[]
  /** Since when the checks are seen without a gap. Undefined if they aren't: nothing is told, and nobody is paged. */
  readonly seenSince: Date | undefined
  readonly lastOkAt: Date | undefined
}

/** What a decision reads and doesn't change. */
export interface Facts {
  readonly channel: ChannelState
  readonly nowMs: number
  readonly incidents: ReadonlyMap<string, Incident>
  /** The open incident of each check, by its UUID. */
  readonly openByCheck: ReadonlyMap<string, string>
  /** Not seeing the checks is an incident. */
  readonly hasNoData: boolean
  readonly seenSinceMs: number
  /** When they were seen last. */
  readonly lastOkMs: number
  /** What is known may be out of date. */
  readonly isUnseen: boolean
  readonly newId: () => string
}

/** By the ID of the incident. */
export type Known = ReadonlyMap<string, ChannelIncident>
/** By ID, in the order in which they were written. */
export type Posts = ReadonlyMap<string, Post>

/** An open incident that watches of the channel match. */
export interface Matched {
  readonly incident: Incident
  readonly matching: readonly Watch[]
  /** Those for which it was down often enough. */
  readonly confirmed: readonly Watch[]
  /** Those that are newer than that it's down. */
  readonly older: readonly string[]
  readonly isSilenced: boolean
}

export function toFacts(
  channel: ChannelState,
  { incidents, seenSince, lastOkAt }: ScopeState,
  now: Date,
  newId: () => string,
): Facts {
  const hasNoData = incidents.some((incident) => isNoData(incident) && incident.isDown)
  return {
    ...{ channel, nowMs: now.getTime(), newId, hasNoData, isUnseen: hasNoData || !seenSince },
    seenSinceMs: seenSince?.getTime() ?? Number.NEGATIVE_INFINITY,
    lastOkMs: lastOkAt?.getTime() ?? now.getTime(),
    incidents: new Map(incidents.map((incident) => [incident.id, incident])),
    openByCheck: new Map(
      incidents.flatMap(({ id, check, closedAt }) => (closedAt ? [] : [[check.uuid, id]])),
    ),
  }
}

/** Whether somebody asks to page about it now. Then the channel shows it, even if it's silenced. */
export const isAsked = ({ channel }: Pick<Facts, 'channel'>, { id }: Pick<Incident, 'id'>): boolean =>
  channel.pageNow?.incidentIds.includes(id) ?? false

/** A copy with these changes. What is new comes last. */
export function withChanges<T>(
  before: ReadonlyMap<string, T>,
  changed: readonly (readonly [id: string, T])[],
  removed: readonly string[] = [],
): ReadonlyMap<string, T> {
  if (changed.length === 0 && removed.length === 0) return before
  const after = new Map(before)
  for (const id of removed) after.delete(id)
  for (const [id, value] of changed) after.set(id, value)
  return after
}

export const byIncident = (changed: readonly ChannelIncident[]) =>
  changed.map((own) => [own.incidentId, own] as const)
export const byId = (changed: readonly Post[]) => changed.map((post) => [post.id, post] as const)

/** Whether it's edited as its incidents change. A note is once it was sent. */
export const isFollowing = ({ kind, shownVersion }: Post): boolean =>
  kind === 'card' || (kind === 'note' && shownVersion > 0)

export const listCards = (posts: Posts): Post[] => [...posts.values()].filter(({ kind }) => kind === 'card')

export const createPost = ({ channel, nowMs, newId }: Facts, kind: Post['kind']): Post => ({
  ...{ id: newId(), channelId: channel.channelId, kind, openedAt: new Date(nowMs) },
  ...{ version: 1, shownVersion: 0, content: '' },
})

/** A time in the future is from before the clock was set back: that was long ago. */
export const getPastMs = (nowMs: number, ms = nowMs): number => (ms > nowMs ? 0 : ms)

/** When a decision has to be made again: the earliest of these times that is still to come. */
export const findWakeMs = (nowMs: number, times: readonly (number | undefined)[]): number =>
  times.reduce<number>(
    (earliest, atMs) => (atMs !== undefined && atMs > nowMs ? Math.min(earliest, atMs) : earliest),
    Number.POSITIVE_INFINITY,
  )
