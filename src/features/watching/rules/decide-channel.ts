import { createHash } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '@signalman/runtime'
import {
  getFallTime,
  getRiseTime,
  type Incident,
  isNoData,
  shownFacts,
  wasDownAtFirst,
} from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { PreparedWatch } from './matching.ts'
import type { PageStep, Responder, Watch } from './watch.ts'

/** What goes down in this time after a card was posted joins that card. One message afterwards names what has joined. */
const JOIN_MS = 5 * MINUTE_MS
/** How long after the last message a channel is told that a check went down again: the first time, and later. */
const TELL_AGAIN_MS = [10 * MINUTE_MS, HOUR_MS] as const
/** How many open incidents a channel lists, so that one decision stays short. */
export const MAX_LISTED = 500

/** When a channel was told of what it has to be told again. */
export const LONG_AGO = new Date(0)

/** A watch begins to wait when the check goes down again. */
const NEXT_FALL = 0

/** One incident in one channel, on the one card that lists it from beginning to end. */
export interface Line {
  readonly channelId: string
  readonly incidentId: string
  readonly cardId: string
  /** The watches that it was down before, or before they were changed: the channel sees it, and they page nobody until it's down again. */
  readonly alreadyDown: readonly string[]
  /**
   * When the last message said that it's down: a card, or a note. Undefined: the channel has still to be told. `LONG_AGO`: it has to be
   * told again, because somebody stepped down.
   */
  readonly toldAt?: Date | undefined
  /** When a reply to the card said that it's up again. */
  readonly toldUpAt?: Date | undefined
  /** Since when it waits for somebody. Undefined while somebody is on it or it's silenced. */
  readonly waitsFrom?: Date | undefined
  /** By the ID of each watch that has paged people since then: the last page, in ms since 1970, and how many there were. */
  readonly pages: Readonly<Record<string, { readonly atMs: number; readonly count: number }>>
}

/**
 * A message. A card is a view of its lines, and is edited. A note is posted once: it names incidents that are down, and may mention
 * people. A reply in the thread of a card names those that are up again. Until one of these is sent, each decision writes it anew, and it
 * has no effect; `applyNote` gives it one. What is said about a change of settings is only text. That the channel is paused is told only
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
  /** Of a card: what it should say, as a text to compare with. Of what is said about a change of settings: the text. */
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
interface ChannelState {
  readonly channelId: string
  readonly watches: readonly PreparedWatch[]
  /** Slack accepts no messages in it. Pages go to the owners of its watches. */
  readonly isPaused: boolean
  /** Nobody is paged about it, since nobody may read it: it became shared with another organization. */
  readonly isClosed: boolean
  /** Until when a check is silenced. */
  readonly silencedUntil: (check: CheckFacts) => Date | undefined
  readonly lines: readonly Line[]
  /** Oldest first: cards that aren't over, and notes and replies that weren't sent. */
  readonly posts: readonly Post[]
  readonly pageNow?: PageNow | undefined
  /** A watch of it was saved just now. */
  readonly saved?: SavedWatch | undefined
}

export interface SavedWatch {
  readonly id: string
  /** It was about this check before, and pages about it no more than before. */
  readonly knew: (check: CheckFacts) => boolean
}

/** What is true in an environment. */
interface ScopeState {
  /** Open incidents, and those that a line of the channel refers to. */
  readonly incidents: readonly Incident[]
  /** Since when the checks are seen without a gap. Undefined if they aren't: nothing is told, and nobody waits for anybody. */
  readonly seenSince: Date | undefined
}

/** The rows to save. Deciding again changes nothing, and neither does anything before `wakeAt`. */
export interface Changes {
  readonly lines: readonly Line[]
  readonly deletedLines: readonly Line[]
  readonly posts: readonly (Post & { readonly isNew: boolean })[]
  readonly deletedPosts: readonly Post[]
  readonly wakeAt?: Date | undefined
}

/** Decides what a channel shows, and who is paged. It's the same whether a poll, a press, or the clock is the cause. */
export function decideChannel(
  channel: ChannelState,
  scope: ScopeState,
  now: Date,
  newId: () => string,
): Changes {
  const before = new Map(channel.lines.map((line) => [line.incidentId, line]))
  const postsBefore = new Map(channel.posts.map((post) => [post.id, post]))
  const hasNoData = scope.incidents.some((incident) => isNoData(incident) && incident.isDown)
  const context: ChannelContext = {
    channel,
    now: now.getTime(),
    lines: new Map(before),
    posts: new Map(postsBefore),
    incidents: new Map(scope.incidents.map((incident) => [incident.id, incident])),
    openByCheck: new Map(
      scope.incidents.flatMap(({ id, check, closedAt }) => (closedAt ? [] : [[check.uuid, id]])),
    ),
    hasNoData,
    isUnseen: hasNoData || !scope.seenSince,
    newId,
    wakeAtMs: Number.POSITIVE_INFINITY,
  }
  const shown = listShown(context)
  const down = shown.filter(
    ({ incident, isSilenced }) => incident.isDown && !isSilenced && (!context.isUnseen || isNoData(incident)),
  )
  const asked = shown.filter(({ incident }) => incident.isDown && isAsked(context, incident))
  markAlreadyDown(context, shown)
  const unlisted = showNew(context, [...new Set([...asked, ...down])])
  // There may be thousands that the channel doesn't list.
  const isListed = ({ incident }: Shown): boolean => context.lines.has(incident.id)
  const listed = shown.filter(isListed)
  const listedDown = down.filter(isListed)
  markTaken(context, listed)
  updateWaits(context, listed)
  if (channel.pageNow) pageAtOnce(context, asked, channel.pageNow)
  writeNotes(context, listedDown)
  showNextPages(context, listedDown)
  writeContents(context, unlisted)
  const { lines, posts, wakeAtMs } = context
  return {
    lines: [...lines.values()].filter((line) => line !== before.get(line.incidentId)),
    deletedLines: [...before.values()].filter(({ incidentId }) => !lines.has(incidentId)),
    posts: [...posts.values()]
      .filter((post) => post !== postsBefore.get(post.id))
      .map((post) => ({ ...post, isNew: !postsBefore.has(post.id) })),
    deletedPosts: channel.posts.filter(({ id }) => !posts.has(id)),
    wakeAt: Number.isFinite(wakeAtMs) ? new Date(wakeAtMs) : undefined,
  }
}

interface ChannelContext {
  readonly channel: ChannelState
  readonly now: number
  /** By incident. */
  readonly lines: Map<string, Line>
  readonly posts: Map<string, Post>
  readonly incidents: ReadonlyMap<string, Incident>
  /** The open incident of each check, by its UUID. */
  readonly openByCheck: ReadonlyMap<string, string>
  /** Not seeing the checks is an incident. */
  readonly hasNoData: boolean
  /** What is known may be out of date. */
  readonly isUnseen: boolean
  readonly newId: () => string
  wakeAtMs: number
}

/** An open incident that a watch of the channel matches. */
interface Shown {
  readonly incident: Incident
  readonly matching: readonly Watch[]
  /** Those for which it was down often enough. */
  readonly confirmed: readonly Watch[]
  readonly isSilenced: boolean
}

/** Whether somebody asks to page about it now. Then the channel shows it, even if it's silenced. */
const isAsked = ({ channel }: ChannelContext, { id }: Incident): boolean =>
  channel.pageNow?.incidentIds.includes(id) ?? false

/** Lists what the channel shows. What nobody watches anymore leaves its card. */
function listShown(context: ChannelContext): Shown[] {
  const { channel, lines } = context
  return [...context.incidents.values()].flatMap((incident): Shown[] => {
    if (incident.closedAt) return []
    // Any watch is about whether the checks can be seen.
    const matching = channel.watches
      .filter(({ matches }) => isNoData(incident) || matches(incident.check))
      .map(({ watch }) => watch)
    if (matching.length === 0) lines.delete(incident.id)
    const confirmed = matching.filter(
      ({ afterBadPolls }) =>
        isNoData(incident) || isAsked(context, incident) || incident.badPolls >= afterBadPolls,
    )
    if (confirmed.length === 0 && !lines.has(incident.id)) return []
    const isSilenced = !isNoData(incident) && channel.silencedUntil(incident.check) !== undefined
    return [{ incident, matching, confirmed, isSilenced }]
  })
}

/** Whether it went down before a watch. */
const isOlder =
  ({ now }: ChannelContext, { incident }: Shown) =>
  ({ madeAt }: Watch): boolean =>
    !isNoData(incident) &&
    // A watch from the future is from before the clock was set back.
    (wasDownAtFirst(incident) || (getFallTime(incident) < madeAt && madeAt.getTime() <= now))

/**
 * What was down when a watch was saved, and is new to it, isn't paged about. What is up again isn't old if it goes down: then these
 * watches begin to wait.
 */
function markAlreadyDown({ lines, channel: { saved } }: ChannelContext, shown: readonly Shown[]): void {
  for (const { incident, matching } of shown) {
    const line = lines.get(incident.id)
    if (!line) continue
    const isOld = saved && matching.some(({ id }) => id === saved.id) && !saved.knew(incident.check)
    const alreadyDown = incident.isDown
      ? [...new Set([...line.alreadyDown, ...(isOld ? [saved.id] : [])])]
      : []
    if (alreadyDown.length === line.alreadyDown.length) continue
    const cleared = incident.isDown ? [] : line.alreadyDown.map((id) => [id, { atMs: NEXT_FALL, count: 0 }])
    lines.set(incident.id, { ...line, alreadyDown, pages: { ...line.pages, ...Object.fromEntries(cleared) } })
  }
}

/** Whether it was down before each watch of the channel that matches it. */
export function wasDownBefore(
  { alreadyDown }: Pick<Line, 'alreadyDown'>,
  { check }: Pick<Incident, 'check'>,
  watches: readonly PreparedWatch[],
): boolean {
  if (alreadyDown.length === 0) return false
  const older = new Set(alreadyDown)
  return watches.every(({ watch, matches }) => older.has(watch.id) || !matches(check))
}

/**
 * Puts new incidents on a card that wasn't sent yet, or is recent: something on it has to be down, and all of them have to be news.
 * Nothing joins a card about what was down before the watch, or about checks that can't be seen, and these join none. Otherwise puts them
 * on a new card. Returns how many more there are than the channel lists.
 */
function showNew(context: ChannelContext, down: readonly Shown[]): number {
  const { now, posts, lines, channel } = context
  const fresh = down.filter(({ incident }) => !lines.has(incident.id))
  if (fresh.length === 0) return 0
  const { listed, unlisted } = limitListed(context, fresh, down)
  if (listed.length === 0) return unlisted
  const areNews = isNewlyDown(listed.map((shown) => [shown.incident, isOld(context, shown)]))
  const joined = listCards(context).findLast((card) => {
    const isRecent = !card.attemptedAt || (areNews && now < getSentTime(context, card) + JOIN_MS)
    const onCard = isRecent ? listOnCard(context, card) : []
    return onCard.some(([{ isDown }]) => isDown) && (!card.attemptedAt || isNewlyDown(onCard))
  })
  const card = joined ?? createPost(context, 'card')
  posts.set(card.id, card)
  for (const shown of listed) {
    const { incident, confirmed } = shown
    const isJustConfirmed = confirmed.some(({ afterBadPolls }) => afterBadPolls === incident.badPolls)
    lines.set(incident.id, {
      ...{ channelId: channel.channelId, incidentId: incident.id, cardId: card.id, pages: {} },
      alreadyDown: shown.matching.filter(isOlder(context, shown)).map(({ id }) => id),
      toldAt: joined?.attemptedAt ? undefined : new Date(now),
      // What went down during a silence waits from its end.
      waitsFrom: isJustConfirmed ? incident.openedAt : new Date(now),
    })
  }
  return unlisted
}

const isOld = (context: ChannelContext, shown: Shown): boolean =>
  shown.matching.every(isOlder(context, shown))

/** Which new incidents the channel lists. If there are too many, what was already down makes way for what goes down. */
function limitListed(context: ChannelContext, fresh: readonly Shown[], down: readonly Shown[]) {
  const { lines, incidents, channel } = context
  // Not seeing the checks is always listed: it explains why nothing else is told. So is what somebody asks to page about.
  const rank = (shown: Shown): number =>
    isNoData(shown.incident) || isAsked(context, shown.incident) ? 0 : isOld(context, shown) ? 2 : 1
  const old = down.filter(({ incident }) => {
    const line = lines.get(incident.id)
    return line && !incident.onIt && wasDownBefore(line, incident, channel.watches)
  })
  const count = [...lines.keys()].filter((id) => incidents.get(id)?.isDown).length
  const room = Math.max(0, MAX_LISTED - count)
  // Each rank once: there may be thousands.
  const ranked = fresh.map((shown) => ({ shown, rank: rank(shown) }))
  const listed = ranked
    .toSorted((left, right) => left.rank - right.rank)
    .filter((one, index) => one.rank === 0 || index < room + (one.rank === 1 ? old.length : 0))
    .map(({ shown }) => shown)
  const dropped = old.slice(0, Math.max(0, listed.length - room))
  for (const { incident } of dropped) lines.delete(incident.id)
  return { listed, unlisted: fresh.length - listed.length + dropped.length }
}

const listOnCard = ({ lines, incidents, channel }: ChannelContext, card: Post): [Incident, boolean][] =>
  [...lines.values()].flatMap((line) => {
    const incident = line.cardId === card.id ? incidents.get(line.incidentId) : undefined
    return incident ? [[incident, wasDownBefore(line, incident, channel.watches)]] : []
  })

/** Whether one of these checks wasn't down before the watches about it. */
const isNewlyDown = (found: readonly (readonly [Incident, boolean])[]): boolean =>
  !found.some(([incident]) => isNoData(incident)) && found.some(([, isOld]) => !isOld)

const listCards = ({ posts }: ChannelContext): Post[] =>
  [...posts.values()].filter(({ kind }) => kind === 'card')

const createPost = (context: ChannelContext, kind: Post['kind']): Post => ({
  id: context.newId(),
  channelId: context.channel.channelId,
  kind,
  openedAt: new Date(context.now),
  version: 1,
  shownVersion: 0,
  content: '',
})

/** What a message that was sent does to a line that it names. */
export function applyNote(line: Line, { kind, about = {} }: Pick<Post, 'kind' | 'about'>, at: Date): Line {
  if (kind === 'reply') return { ...line, toldUpAt: at }
  const paged = (line.waitsFrom && about[line.incidentId]) ?? []
  const counted = paged.map((watchId) => {
    const { count = 0 } = line.pages[watchId] ?? {}
    return [watchId, { atMs: at.getTime(), count: count + 1 }]
  })
  return { ...line, toldAt: at, pages: { ...line.pages, ...Object.fromEntries(counted) } }
}

/** A message that has to be sent now. */
type Wanted = Pick<Post, 'kind' | 'responders' | 'cardId'> & { readonly about: NonNullable<Post['about']> }

/** Finds what the decision before wrote of it. */
const toKey = ({ kind, responders, cardId }: Pick<Post, 'kind' | 'responders' | 'cardId'>): string =>
  JSON.stringify([kind, cardId, responders && toPeople(responders)])

const toPeople = (responders: readonly Responder[]): string =>
  responders
    .map(({ id, name }) => id ?? name)
    .toSorted()
    .join()

const toAbout = (lines: readonly Line[]): Record<string, readonly string[]> =>
  Object.fromEntries(lines.map(({ incidentId }) => [incidentId, []]))

/**
 * Writes the messages that have to be sent now, in place of those that weren't sent yet. What is being sent, or somebody asked for, stays,
 * and what it names is in no other one.
 */
function writeNotes(context: ChannelContext, down: readonly Shown[]): void {
  const { posts } = context
  const unsent = [...posts.values()].filter(({ kind }) => kind !== 'card')
  for (const { id } of unsent) posts.delete(id)
  const kept = unsent.flatMap((post) => keepPost(context, post) ?? [])
  for (const post of kept) posts.set(post.id, post)
  const handsOver = context.channel.isPaused && !context.channel.isClosed
  if (handsOver) handOver(context)
  const sending = kept.filter(({ id }) => !posts.get(id)?.closedAt)
  const named = new Set(sending.flatMap(({ about = {} }) => Object.keys(about)))
  const replaced = unsent.filter(({ id }) => !posts.has(id))
  const earlier = new Map(replaced.map((post): [string, Post] => [toKey(post), post]))
  for (const wanted of listWanted(context, down, named)) {
    const post = earlier.get(toKey(wanted)) ?? { ...createPost(context, wanted.kind), ...wanted }
    const isSame = JSON.stringify(post.about) === JSON.stringify(wanted.about)
    posts.set(post.id, isSame ? post : { ...post, about: wanted.about })
  }
  if (handsOver) handOver(context)
}

/** First pages, and then what no page names. */
function listWanted(
  context: ChannelContext,
  down: readonly Shown[],
  sending: ReadonlySet<string>,
): readonly Wanted[] {
  const pages = listPages(context, down, sending)
  const named = new Set([...sending, ...pages.flatMap(({ about }) => Object.keys(about))])
  const isFree = ({ incidentId }: Line): boolean => !named.has(incidentId)
  const news = listNews(context, down).filter(isFree)
  const onCards = Map.groupBy(context.lines.values(), ({ cardId }) => cardId)
  const replies = listCards(context).flatMap((card): Wanted[] => {
    const up = listUp(context, card, onCards.get(card.id) ?? []).filter(isFree)
    // A reply is owed for what the channel was told.
    return up.some(({ toldAt }) => toldAt) ? [{ kind: 'reply', about: toAbout(up), cardId: card.id }] : []
  })
  return [...pages, ...(news.length > 0 ? [{ kind: 'note' as const, about: toAbout(news) }] : []), ...replies]
}

/** A channel that accepts nothing hands its pages over to people, and replies to whoever is on it. */
function handOver({ posts, lines, incidents, now }: ChannelContext): void {
  const at = new Date(now)
  for (const post of [...posts.values()]) {
    const ids = Object.keys(post.about ?? {})
    const isReplyToPerson = post.kind === 'reply' && ids.some((id) => incidents.get(id)?.onIt)
    if (post.attemptedAt || (!post.responders && !isReplyToPerson)) continue
    posts.set(post.id, { ...post, attemptedAt: at, closedAt: at, shownVersion: post.version })
    for (const line of ids.flatMap((id) => lines.get(id) ?? []))
      lines.set(line.incidentId, applyNote(line, post, at))
  }
}

/** What is being sent stays as it is. A page that somebody asked for stays about what is down. */
function keepPost({ lines, incidents }: ChannelContext, post: Post): Post | undefined {
  const { attemptedAt, askedBy, about = {} } = post
  if (attemptedAt) return post
  const down = Object.entries(about).filter(([id]) => lines.has(id) && incidents.get(id)?.isDown)
  if (!askedBy || down.length === 0) return undefined
  return down.length === Object.keys(about).length ? post : { ...post, about: Object.fromEntries(down) }
}

/** What joined a card, went down again, or lost its person. Of what is on a card that wasn't sent yet, the card itself tells. */
function listNews(context: ChannelContext, down: readonly Shown[]): Line[] {
  const { lines, posts, now } = context
  return down.flatMap(({ incident }) => {
    const line = lines.get(incident.id)
    if (!line || !isNews(context, line, incident)) return []
    if (posts.get(line.cardId)?.attemptedAt) return [line]
    lines.set(line.incidentId, { ...line, toldAt: new Date(now) })
    return []
  })
}

/** Whether the channel has to be told that an incident is down. If somebody took it since it fell, only if a reply has said that it's up. */
function isNews(context: ChannelContext, line: Line, incident: Incident): boolean {
  const fall = getFallTime(incident)
  if (incident.onIt && incident.onIt.at >= fall && !isAnswered(line)) return false
  const toldMs = getToldTime(context, line)
  const card = context.posts.get(line.cardId)
  if (toldMs === undefined)
    return isAfter(context, card?.attemptedAt ? getSentTime(context, card) + JOIN_MS : context.now)
  if (fall.getTime() <= toldMs) return false
  // The card, and the note about what joined it, told of no relapse.
  const firstMs = Math.max(incident.openedAt.getTime(), card?.attemptedAt?.getTime() ?? 0)
  const wasRelapseTold = incident.downs.some(
    ({ from }) => from.getTime() > firstMs && from.getTime() <= toldMs,
  )
  const lastMs = Math.max(toldMs, line.toldUpAt?.getTime() ?? 0)
  return isAfter(context, Math.max(lastMs + TELL_AGAIN_MS[0], wasRelapseTold ? toldMs + TELL_AGAIN_MS[1] : 0))
}

/** When a message was sent: long ago if that is in the future, since the clock was set back then. If it wasn't sent, now. */
const getSentTime = (
  { now }: ChannelContext,
  { attemptedAt }: Partial<Pick<Post, 'attemptedAt'>> = {},
): number => (attemptedAt && attemptedAt.getTime() > now ? 0 : (attemptedAt?.getTime() ?? now))

/** When the channel was told. A card that couldn't be sent at once told it when it was sent. */
function getToldTime({ posts }: ChannelContext, { toldAt, cardId }: Line): number | undefined {
  if (!toldAt || toldAt <= LONG_AGO) return toldAt?.getTime()
  return Math.max(toldAt.getTime(), posts.get(cardId)?.attemptedAt?.getTime() ?? 0)
}

/** Whether the last thing that the channel heard is that it's up again. */
const isAnswered = ({ toldAt, toldUpAt }: Line): boolean =>
  toldAt !== undefined && toldUpAt !== undefined && toldUpAt >= toldAt

/** Whether a time has come. If not, the decision runs again then. */
function isAfter(context: ChannelContext, atMs: number): boolean {
  if (atMs > context.now) context.wakeAtMs = Math.min(context.wakeAtMs, atMs)
  return atMs <= context.now
}

/** Whoever is on something knows of it, and the channel sees that on the card. */
function markTaken({ lines, now }: ChannelContext, shown: readonly Shown[]): void {
  for (const { incident } of shown) {
    const line = lines.get(incident.id)
    if (line && !line.toldAt && incident.onIt && incident.isDown)
      lines.set(incident.id, { ...line, toldAt: new Date(now) })
  }
}

/** What nobody is on waits for somebody, until a person or a silence ends that. Then the steps begin again with the first. */
function updateWaits({ now, lines, channel }: ChannelContext, shown: readonly Shown[]): void {
  for (const { incident, isSilenced } of shown) {
    const line = lines.get(incident.id)
    if (!line) continue
    const isWaiting = !incident.onIt && !isSilenced && !channel.isClosed
    const fallMs = incident.isDown ? getFallTime(incident).getTime() : NEXT_FALL
    // What is in the future is from before the clock was set back.
    const waitsFrom = isWaiting ? new Date(Math.min(line.waitsFrom?.getTime() ?? now, now)) : undefined
    const before = Object.entries(line.pages)
    const pages = (isWaiting ? before : []).map(([id, { atMs, count }]) => {
      const pagedMs = Math.min(atMs === NEXT_FALL ? fallMs : atMs, now)
      return { id, count, atMs: pagedMs, isSame: pagedMs === atMs }
    })
    const isSame = pages.length === before.length && pages.every((page) => page.isSame)
    if (isSame && waitsFrom?.getTime() === line.waitsFrom?.getTime()) continue
    const saved = pages.map(({ id, atMs, count }) => [id, { atMs, count }])
    lines.set(incident.id, { ...line, waitsFrom, pages: Object.fromEntries(saved) })
  }
}

/** The next page of one watch about one incident. */
interface NextStep {
  readonly incidentId: string
  readonly watchId: string
  readonly responders: readonly Responder[]
  /** Undefined if it's sent only when somebody asks for it. */
  readonly dueMs: number | undefined
}

/** How long after the page before it a page is due. The times of the steps are counted from the same moment; the last one repeats. */
function getDelay(steps: readonly PageStep[], pages: number): number {
  const last = steps.at(-1)?.afterMs ?? Number.POSITIVE_INFINITY
  return (steps[pages]?.afterMs ?? 2 * last) - (steps[pages - 1]?.afterMs ?? (pages > 0 ? last : 0))
}

const listNextSteps = ({ lines }: ChannelContext, shown: readonly Shown[]): NextStep[] =>
  shown.flatMap(({ incident, confirmed }) => {
    const line = lines.get(incident.id)
    return confirmed.flatMap(({ id: watchId, page: steps }): NextStep[] => {
      if (!line || !steps || isNoData(incident)) return []
      const { atMs = line.waitsFrom?.getTime(), count = 0 } = line.pages[watchId] ?? {}
      const isWaiting = atMs !== undefined && !line.alreadyDown.includes(watchId)
      const { responders = [] } = steps[Math.min(count, steps.length - 1)] ?? {}
      const dueMs = isWaiting ? atMs + getDelay(steps, count) : undefined
      return [{ incidentId: incident.id, watchId, responders, dueMs }]
    })
  })

/** By the people whom they page. */
const groupSteps = (steps: readonly NextStep[]): NextStep[][] => [
  ...Map.groupBy(steps, ({ responders }) => toPeople(responders)).values(),
]

/** What waits for a page, and when it's due. One page names everything that would page the same people later. */
const listWaiting = (context: ChannelContext, down: readonly Shown[], named?: ReadonlySet<string>) =>
  groupSteps(
    listNextSteps(context, down).filter(
      ({ incidentId, dueMs }) => dueMs !== undefined && !named?.has(incidentId),
    ),
  ).map((group) => ({ group, dueMs: Math.min(...group.flatMap(({ dueMs }) => dueMs ?? [])) }))

const toPage = (group: readonly NextStep[]): Wanted => {
  const byIncident = Map.groupBy(group, ({ incidentId }) => incidentId)
  const about = [...byIncident].map(([id, steps]) => [id, steps.map(({ watchId }) => watchId)])
  return { kind: 'note', about: Object.fromEntries(about), responders: group[0]?.responders }
}

/** The pages about what has waited long enough, and isn't named in a message that is being sent. */
const listPages = (context: ChannelContext, down: readonly Shown[], named: ReadonlySet<string>): Wanted[] =>
  context.isUnseen
    ? []
    : listWaiting(context, down, named).flatMap(({ group, dueMs }) =>
        dueMs <= context.now ? [toPage(group)] : [],
      )

/** Pages at once because somebody asks for it, even if somebody is on it or it's silenced: these people, or else the next ones. */
function pageAtOnce(context: ChannelContext, asked: readonly Shown[], pageNow: PageNow): void {
  const { responders, askedBy } = pageNow
  const lines = asked.flatMap(({ incident }) => context.lines.get(incident.id) ?? [])
  if (lines.length === 0) return
  const pages = responders
    ? [{ kind: 'note' as const, about: toAbout(lines), responders }]
    : groupSteps(listNextSteps(context, asked)).map(toPage)
  for (const page of pages) {
    const post = { ...createPost(context, 'note'), ...page, askedBy }
    context.posts.set(post.id, post)
  }
}

/** Each card shows whom its incidents page next, to the minute. */
function showNextPages(context: ChannelContext, down: readonly Shown[]): void {
  const { posts, isUnseen, hasNoData } = context
  if (isUnseen && !hasNoData) return
  const nextPages = isUnseen ? new Map<string, NextPage>() : listNextPages(context, down)
  for (const post of listCards(context)) {
    const next = nextPages.get(post.id)
    const movedMs = Math.abs((next?.at.getTime() ?? 0) - (post.nextPage?.at.getTime() ?? 0))
    if (movedMs >= MINUTE_MS || post.nextPage?.names !== next?.names)
      posts.set(post.id, { ...post, nextPage: next })
  }
}

/** By card. A page comes when the first of what it names is due. */
function listNextPages(context: ChannelContext, down: readonly Shown[]): Map<string, NextPage> {
  const nextPages = new Map<string, NextPage>()
  for (const { group, dueMs } of listWaiting(context, down)) {
    isAfter(context, dueMs)
    const next = { names: formatResponders(group[0]?.responders ?? []), at: new Date(dueMs) }
    for (const { incidentId } of group) {
      const { cardId = '' } = context.lines.get(incidentId) ?? {}
      const earliest = nextPages.get(cardId)
      if (!earliest || next.at < earliest.at) nextPages.set(cardId, next)
    }
  }
  return nextPages
}

/**
 * What is up again, and no reply has said so: at once what somebody was on when it came up, and that the checks can be seen; everything
 * else that the card lists once nothing on it is down.
 */
function listUp(context: ChannelContext, card: Post, onCard: readonly Line[]): Line[] {
  const { incidents } = context
  const isAllUp = onCard.every(({ incidentId }) => !incidents.get(incidentId)?.isDown)
  return onCard.filter((line) => {
    const incident = incidents.get(line.incidentId)
    if (!incident) return false
    const isAtOnce = isNoData(incident) || Number(getRiseTime(incident)) >= Number(incident.onIt?.at)
    return (isAllUp || isAtOnce) && isUnsaid(context, card, line)
  })
}

/**
 * Whether it came up after the card was sent, and no reply has said so, or none since somebody took it while it was down. Whoever is on it in a paused channel
 * was told in a DM.
 */
function isUnsaid(context: ChannelContext, card: Post, line: Line): boolean {
  const { incidents, openByCheck, channel } = context
  const incident = incidents.get(line.incidentId)
  const toldAt = card.attemptedAt ?? (channel.isPaused && incident?.onIt ? card.openedAt : undefined)
  if (!incident || incident.isDown || incident.ending === 'unseen' || !toldAt) return false
  if (incident.isInstalling && !incident.closedAt) return false
  const rise = getRiseTime(incident)
  const isBackDown = (openByCheck.get(incident.check.uuid) ?? incident.id) !== incident.id
  const takenAt = incident.onIt?.at
  const isTakenSince = takenAt && line.toldUpAt && takenAt > line.toldUpAt && rise && rise > takenAt
  const isSaid = line.toldUpAt !== undefined && (!line.toldAt || isAnswered(line)) && !isTakenSince
  return !isSaid && !isBackDown && rise !== undefined && rise > toldAt
}

export const formatResponders = (responders: readonly Responder[]): string =>
  responders.map(({ name }) => name).join(' ')

/** Gives every card whose content has changed a new version. The latest one says how many checks aren't listed. */
function writeContents(context: ChannelContext, unlisted: number): void {
  const onCards = Map.groupBy(context.lines.values(), ({ cardId }) => cardId)
  const latest = listCards(context).at(-1)
  for (const before of listCards(context)) {
    const onCard = onCards.get(before.id) ?? []
    const card = context.isUnseen
      ? before
      : { ...before, unlisted: before === latest && unlisted > 0 ? unlisted : undefined }
    const content = hashContent(card, context)
    const closedAt = isOver(context, card, onCard) ? (card.closedAt ?? new Date(context.now)) : undefined
    if (content !== card.content || closedAt?.getTime() !== card.closedAt?.getTime())
      context.posts.set(card.id, { ...card, content, closedAt, version: getVersion(card, content) })
  }
}

const getVersion = (card: Post, content: string): number =>
  card.version + (content !== card.content && card.content !== '' ? 1 : 0)

/** A card that was sent is open until everything on it is over, and its replies were sent. */
const isOver = ({ incidents, posts }: ChannelContext, card: Post, onCard: readonly Line[]): boolean =>
  card.attemptedAt !== undefined &&
  onCard.every(({ incidentId }) => incidents.get(incidentId)?.closedAt !== undefined) &&
  ![...posts.values()].some(({ cardId, closedAt }) => cardId === card.id && !closedAt)

function hashContent(card: Post, context: ChannelContext): string {
  const { channel, hasNoData } = context
  const listed = listOnCard(context, card)
  const isOpen = listed.some(([{ closedAt }]) => !closedAt)
  const shown = listed
    .map(([incident, isOld]) => {
      const { id, check, isDown, isInstalling, downs, ending, onIt, wasOnIt, failure } = incident
      const facts = [id, ...shownFacts(check), isDown, isInstalling, downs.length, ending, failure]
      const silencedUntil = !incident.closedAt && channel.silencedUntil(check)
      return JSON.stringify([...facts, onIt?.by, wasOnIt?.by, silencedUntil, isOld])
    })
    .toSorted()
  return createHash('sha256')
    .update(JSON.stringify([card.nextPage, card.unlisted, isOpen && hasNoData, shown]))
    .digest('base64url')
}
