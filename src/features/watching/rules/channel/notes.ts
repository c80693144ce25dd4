import { isNoData, isSeenUp } from '../../../../domain/outages/incident.ts'
import { applyNote, findNewsMs, isReplyOwed } from './heard.ts'
import { listPages, toPeople, type Wanted } from './pages.ts'
import {
  byId,
  byIncident,
  type ChannelIncident,
  createPost,
  type Facts,
  findWakeMs,
  isFollowing,
  type Known,
  listCards,
  type Matched,
  type Post,
  type Posts,
  withChanges,
} from './state.ts'

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
  const unsent = [...posts.values()].filter((post) => !isFollowing(post))
  const sent = new Map([...posts].filter(([, post]) => isFollowing(post)))
  const kept = unsent.flatMap((post) => keepPost(facts, known, post) ?? [])
  const first = handOver(facts, known, kept)
  const sending = first.notes.filter(({ closedAt }) => !closedAt)
  const named = new Set(sending.flatMap(({ about = {} }) => Object.keys(about)))
  const { messages, wakeMs } = listWanted(facts, first.known, sent, down, named)
  const keptIds = new Set(kept.map(({ id }) => id))
  const earlier = new Map(unsent.flatMap((post) => (keptIds.has(post.id) ? [] : [[toKey(post), post]])))
  const written = messages.map((message) => {
    const post = earlier.get(toKey(message)) ?? { ...createPost(facts, message.kind), ...message }
    const isSame = JSON.stringify(post.about) === JSON.stringify(message.about)
    return isSame ? post : { ...post, about: message.about }
  })
  const last = handOver(facts, first.known, [...first.notes, ...written])
  return { known: last.known, posts: withChanges(sent, byId(last.notes)), wakeMs }
}

/** What is being sent stays as it is. A page that somebody asked for stays about what is down. */
function keepPost({ incidents }: Pick<Facts, 'incidents'>, known: Known, post: Post): Post | undefined {
  const { attemptedAt, askedBy, about = {} } = post
  if (attemptedAt) return post
  const down = Object.entries(about).filter(([id]) => known.has(id) && incidents.get(id)?.isDown)
  if (!askedBy || down.length === 0) return undefined
  return down.length === Object.keys(about).length ? post : { ...post, about: Object.fromEntries(down) }
}

const isHandedOver = ({ isPaused, isClosed }: Facts['channel']): boolean => isPaused && !isClosed

/** A channel that accepts nothing hands its pages over to people, and replies to whoever is on it. */
function handOver({ channel, incidents, nowMs }: Facts, known: Known, notes: readonly Post[]) {
  const isHanded = ({ attemptedAt, responders, kind, about = {} }: Post): boolean => {
    const isReplyToPerson = kind === 'reply' && Object.keys(about).some((id) => incidents.get(id)?.onIt)
    return isHandedOver(channel) && !attemptedAt && (responders !== undefined || isReplyToPerson)
  }
  const at = new Date(nowMs)
  return {
    notes: notes.map((post) =>
      isHanded(post) ? { ...post, attemptedAt: at, closedAt: at, shownVersion: post.version } : post,
    ),
    known: notes.filter(isHanded).reduce((before, post) => {
      const named = Object.keys(post.about ?? {}).flatMap((id) => before.get(id) ?? [])
      return withChanges(before, byIncident(named.map((own) => applyNote(own, post, at, { isDirect: true }))))
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
): { messages: readonly Wanted[]; wakeMs: number } {
  const pages = listPages(facts, known, down, sending)
  // A page that is handed over tells the channel nothing.
  const read = isHandedOver(facts.channel) ? [] : pages
  const named = new Set([...sending, ...read.flatMap(({ about }) => Object.keys(about))])
  const isFree = ({ incidentId }: ChannelIncident): boolean => !named.has(incidentId)
  const { news, wakeMs } = listNews(facts, known, cards, down)
  const free = news.filter(isFree)
  const onCards = Map.groupBy(known.values(), ({ cardId }) => cardId)
  const replies = listCards(cards).flatMap((card): Wanted[] => {
    const up = listUp(facts, onCards.get(card.id) ?? []).filter(isFree)
    // A reply is owed for what the channel was told.
    return up.some(({ heard }) => isReplyOwed(heard))
      ? [{ kind: 'reply', about: toAbout(up), cardId: card.id }]
      : []
  })
  const notes = free.length > 0 ? [{ kind: 'note' as const, about: toAbout(free) }] : []
  return { messages: [...pages, ...notes, ...replies], wakeMs }
}

/** What joined a card, went down again, or lost its person. Of what is on a card that wasn't sent yet, the card itself tells. */
function listNews({ nowMs }: Pick<Facts, 'nowMs'>, known: Known, cards: Posts, down: readonly Matched[]) {
  const all = down.flatMap(({ incident }) => {
    const own = known.get(incident.id)
    const card = cards.get(own?.cardId ?? '')
    return own && card?.attemptedAt ? [{ own, atMs: findNewsMs(nowMs, own.heard, card) }] : []
  })
  return {
    news: all.flatMap(({ own, atMs }) => (atMs !== undefined && atMs <= nowMs ? [own] : [])),
    wakeMs: findWakeMs(
      nowMs,
      all.map(({ atMs }) => atMs),
    ),
  }
}

/**
 * What is up again, and no reply has said so: at once what somebody was on when it came up, and that the checks can be seen; everything
 * else that the card lists once nothing on it is down.
 */
function listUp({ incidents, openByCheck }: Facts, onCard: readonly ChannelIncident[]): ChannelIncident[] {
  const isAllUp = onCard.every(({ incidentId }) => !incidents.get(incidentId)?.isDown)
  return onCard.filter(({ incidentId, heard }) => {
    const incident = incidents.get(incidentId)
    if (!incident || !isSeenUp(incident) || incident.ending === 'unseen') return false
    const isBackDown = (openByCheck.get(incident.check.uuid) ?? incident.id) !== incident.id
    const isAtOnce = isNoData(incident) || heard.since === 'taken'
    return !isBackDown && (isAllUp || isAtOnce) && (heard.said === 'nothing' || isReplyOwed(heard))
  })
}
