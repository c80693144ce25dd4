import { HOUR_MS, MINUTE_MS } from '@signalman/runtime'
import { getFallTime, getRiseTime, type Incident, isNoData } from '../../../../domain/outages/incident.ts'
import { JOIN_MS } from './cards.ts'
import { listPages, toPeople, type Wanted } from './pages.ts'
import {
  byIncident,
  type ChannelIncident,
  createPost,
  type Facts,
  findWakeMs,
  getSentMs,
  type Known,
  LONG_AGO,
  listCards,
  type Matched,
  type Post,
  type Posts,
  withChanges,
} from './state.ts'
import { countPages } from './waits.ts'

/** How long after the last message a channel is told that a check went down again: the first time, and later. */
const TELL_AGAIN_MS = [10 * MINUTE_MS, HOUR_MS] as const

/** What a message that was sent does to an incident that it names. */
export function applyNote(
  own: ChannelIncident,
  { kind, about = {} }: Pick<Post, 'kind' | 'about'>,
  at: Date,
): ChannelIncident {
  // What was said while a clock was ahead would never count as answered.
  if (kind === 'reply') return { ...own, toldUpAt: own.toldAt && own.toldAt > at ? own.toldAt : at }
  const paging = about[own.incidentId] ?? []
  const waits = own.waits && paging.length > 0 ? countPages(own.waits, paging, at.getTime()) : own.waits
  return { ...own, toldAt: at, waits }
}

/** Finds what the decision before wrote of it. */
const toKey = ({ kind, responders, cardId }: Pick<Post, 'kind' | 'responders' | 'cardId'>): string =>
  JSON.stringify([kind, cardId, responders && toPeople(responders)])

const toAbout = (known: readonly ChannelIncident[]): Record<string, readonly string[]> =>
  Object.fromEntries(known.map(({ incidentId }) => [incidentId, []]))

interface Written {
  readonly known: Known
  readonly posts: Posts
  /** When something becomes news. */
  readonly wakeMs: number
}

/**
 * Writes the messages that have to be sent now, in place of those that weren't sent yet. What is being sent, or somebody asked for, stays,
 * and what it names is in no other one.
 */
export function writeNotes(facts: Facts, known: Known, posts: Posts, down: readonly Matched[]): Written {
  const unsent = [...posts.values()].filter(({ kind }) => kind !== 'card')
  const cards = new Map(listCards(posts).map((card) => [card.id, card]))
  const kept = unsent.flatMap((post) => keepPost(facts, known, post) ?? [])
  const first = handOver(facts, known, kept)
  const sending = first.notes.filter(({ closedAt }) => !closedAt)
  const named = new Set(sending.flatMap(({ about = {} }) => Object.keys(about)))
  const wanted = listWanted(facts, first.known, cards, down, named)
  const keptIds = new Set(kept.map(({ id }) => id))
  const earlier = new Map(unsent.flatMap((post) => (keptIds.has(post.id) ? [] : [[toKey(post), post]])))
  const written = wanted.messages.map((message) => {
    const post = earlier.get(toKey(message)) ?? { ...createPost(facts, message.kind), ...message }
    const isSame = JSON.stringify(post.about) === JSON.stringify(message.about)
    return isSame ? post : { ...post, about: message.about }
  })
  const last = handOver(facts, wanted.known, [...first.notes, ...written])
  const notes = last.notes.map((post) => [post.id, post] as const)
  return { known: last.known, posts: withChanges(cards, notes), wakeMs: wanted.wakeMs }
}

/** What is being sent stays as it is. A page that somebody asked for stays about what is down. */
function keepPost({ incidents }: Pick<Facts, 'incidents'>, known: Known, post: Post): Post | undefined {
  const { attemptedAt, askedBy, about = {} } = post
  if (attemptedAt) return post
  const down = Object.entries(about).filter(([id]) => known.has(id) && incidents.get(id)?.isDown)
  if (!askedBy || down.length === 0) return undefined
  return down.length === Object.keys(about).length ? post : { ...post, about: Object.fromEntries(down) }
}

/** A channel that accepts nothing hands its pages over to people, and replies to whoever is on it. */
function handOver({ channel, incidents, nowMs }: Facts, known: Known, notes: readonly Post[]) {
  const isHanded = ({ attemptedAt, responders, kind, about = {} }: Post): boolean => {
    const isReplyToPerson = kind === 'reply' && Object.keys(about).some((id) => incidents.get(id)?.onIt)
    return (
      channel.isPaused && !channel.isClosed && !attemptedAt && (responders !== undefined || isReplyToPerson)
    )
  }
  const at = new Date(nowMs)
  return {
    notes: notes.map((post) =>
      isHanded(post) ? { ...post, attemptedAt: at, closedAt: at, shownVersion: post.version } : post,
    ),
    known: notes.filter(isHanded).reduce((before, post) => {
      const named = Object.keys(post.about ?? {}).flatMap((id) => before.get(id) ?? [])
      return withChanges(before, byIncident(named.map((own) => applyNote(own, post, at))))
    }, known),
  }
}

/** First pages, and then what no page names. */
function listWanted(
  facts: Facts,
  known: Known,
  cards: Posts,
  down: readonly Matched[],
  sending: ReadonlySet<string>,
): { messages: readonly Wanted[]; known: Known; wakeMs: number } {
  const pages = listPages(facts, known, down, sending)
  const named = new Set([...sending, ...pages.flatMap(({ about }) => Object.keys(about))])
  const isFree = ({ incidentId }: ChannelIncident): boolean => !named.has(incidentId)
  const { news, told, wakeMs } = listNews(facts, known, cards, down)
  const free = news.filter(isFree)
  const onCards = Map.groupBy(known.values(), ({ cardId }) => cardId)
  const replies = listCards(cards).flatMap((card): Wanted[] => {
    const up = listUp(facts, card, onCards.get(card.id) ?? []).filter(isFree)
    // A reply is owed for what the channel was told.
    return up.some(({ toldAt }) => toldAt) ? [{ kind: 'reply', about: toAbout(up), cardId: card.id }] : []
  })
  return {
    messages: [
      ...pages,
      ...(free.length > 0 ? [{ kind: 'note' as const, about: toAbout(free) }] : []),
      ...replies,
    ],
    known: withChanges(known, byIncident(told)),
    wakeMs,
  }
}

/**
 * What joined a card, went down again, or lost its person. Of what is on a card that wasn't sent yet, the card itself tells: that counts as
 * told.
 */
function listNews(facts: Facts, known: Known, cards: Posts, down: readonly Matched[]) {
  const all = down.flatMap(({ incident }) => {
    const own = known.get(incident.id)
    const card = cards.get(own?.cardId ?? '')
    return own ? [{ own, card, atMs: findNewsMs(facts.nowMs, own, incident, card) }] : []
  })
  const due = all.filter(({ atMs }) => atMs !== undefined && atMs <= facts.nowMs)
  return {
    news: due.flatMap(({ own, card }) => (card?.attemptedAt ? [own] : [])),
    told: due.flatMap(({ own, card }) =>
      card?.attemptedAt ? [] : [{ ...own, toldAt: new Date(facts.nowMs) }],
    ),
    wakeMs: findWakeMs(
      facts.nowMs,
      all.map(({ atMs }) => atMs),
    ),
  }
}

/**
 * From when on the channel has to be told that an incident is down. Undefined if it was. If somebody took it since it fell, only if a reply
 * has said that it's up.
 */
function findNewsMs(
  nowMs: number,
  own: ChannelIncident,
  incident: Incident,
  card: Post | undefined,
): number | undefined {
  const fall = getFallTime(incident)
  if (incident.onIt && incident.onIt.at >= fall && !isAnswered(own)) return undefined
  const toldMs = getToldMs(own, card)
  if (toldMs === undefined) return card?.attemptedAt ? getSentMs(nowMs, card) + JOIN_MS : nowMs
  if (toldMs <= LONG_AGO.getTime()) return nowMs
  if (fall.getTime() <= toldMs) return undefined
  // The card, and the note about what joined it, told of no relapse.
  const firstMs = Math.max(incident.openedAt.getTime(), card?.attemptedAt?.getTime() ?? 0)
  const wasRelapseTold = incident.downs.some(
    ({ from }) => from.getTime() > firstMs && from.getTime() <= toldMs,
  )
  const lastMs = Math.max(toldMs, own.toldUpAt?.getTime() ?? 0)
  return Math.max(lastMs + TELL_AGAIN_MS[0], wasRelapseTold ? toldMs + TELL_AGAIN_MS[1] : 0)
}

/** When the channel was told. A card that couldn't be sent at once told it when it was sent. */
function getToldMs({ toldAt }: ChannelIncident, card: Post | undefined): number | undefined {
  if (!toldAt || toldAt <= LONG_AGO) return toldAt?.getTime()
  return Math.max(toldAt.getTime(), card?.attemptedAt?.getTime() ?? 0)
}

/** Whether the last thing that the channel heard is that it's up again. */
const isAnswered = ({ toldAt, toldUpAt }: ChannelIncident): boolean =>
  toldAt !== undefined && toldUpAt !== undefined && toldUpAt >= toldAt

/**
 * What is up again, and no reply has said so: at once what somebody was on when it came up, and that the checks can be seen; everything
 * else that the card lists once nothing on it is down.
 */
function listUp(facts: Facts, card: Post, onCard: readonly ChannelIncident[]): ChannelIncident[] {
  const { incidents } = facts
  const isAllUp = onCard.every(({ incidentId }) => !incidents.get(incidentId)?.isDown)
  return onCard.filter((own) => {
    const incident = incidents.get(own.incidentId)
    if (!incident) return false
    const isAtOnce = isNoData(incident) || Number(getRiseTime(incident)) >= Number(incident.onIt?.at)
    return (isAllUp || isAtOnce) && isUnsaid(facts, card, own, incident)
  })
}

/**
 * Whether it came up after the card was sent, and no reply has said so, or none since somebody took it while it was down. Whoever is on it
 * in a paused channel was told in a DM.
 */
function isUnsaid(
  { openByCheck, channel }: Pick<Facts, 'openByCheck' | 'channel'>,
  card: Post,
  own: ChannelIncident,
  incident: Incident,
): boolean {
  const toldAt = card.attemptedAt ?? (channel.isPaused && incident.onIt ? card.openedAt : undefined)
  if (incident.isDown || incident.ending === 'unseen' || !toldAt) return false
  if (incident.isInstalling && !incident.closedAt) return false
  const rise = getRiseTime(incident)
  const isBackDown = (openByCheck.get(incident.check.uuid) ?? incident.id) !== incident.id
  const takenAt = incident.onIt?.at
  const isTakenSince = takenAt && own.toldUpAt && takenAt > own.toldUpAt && rise && rise > takenAt
  const isSaid = own.toldUpAt !== undefined && (!own.toldAt || isAnswered(own)) && !isTakenSince
  return !isSaid && !isBackDown && rise !== undefined && rise > toldAt
}
