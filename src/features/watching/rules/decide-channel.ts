import { createHash } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '@signalman/runtime'
import {
  getFallTime,
  getRiseTime,
  type Incident,
  isNoData,
  wasDownAtFirst,
} from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { PreparedWatch } from './matching.ts'
import type { PageStep, Responder } from './watch.ts'

/** What goes down in this time after a card was posted joins that card. One message afterwards names what has joined. */
export const JOIN_MS = 5 * MINUTE_MS
/** How long after the last message a channel is told that a check went down again: the first time, and later. */
export const TELL_AGAIN_MS = [10 * MINUTE_MS, HOUR_MS] as const
/** How many open incidents a channel lists, so that one decision stays short. */
export const MAX_LISTED = 500

/** When a channel was told of what it has to be told again. */
export const LONG_AGO = new Date(0)

/** One incident in one channel, on the one card that lists it from beginning to end. */
export interface Line {
  readonly channelId: string
  readonly incidentId: string
  readonly cardId: string
  /** It was down before the watch, or before the watch was changed: the channel sees it, and nobody is paged until it's down again. */
  readonly isAlreadyDown: boolean
  /**
   * When a message that notifies people named it: a new card, or a note. Undefined: the channel has still to be told. `LONG_AGO`: it has
   * to be told again, because somebody stepped down.
   */
  readonly toldAt?: Date | undefined
  /** When a reply to the card said that it's up again. */
  readonly toldUpAt?: Date | undefined
  /** By the ID of each watch that pages people: how long it has waited for somebody. Empty while somebody is on it or it's silenced. */
  readonly waits: Readonly<Record<string, Wait>>
}

/** A watch waits for somebody to be on an incident. */
export interface Wait {
  /** Since when it has waited for its next page, in ms since 1970: the latest of when waiting began, the last page, and `isPostponed`. */
  readonly fromMs: number
  /** How many pages it has sent. */
  readonly pages: number
  /** A gap or a relapse has begun the wait for the next page again. Another one doesn't, or one every few minutes would stop paging. */
  readonly isPostponed?: true
}

/**
 * A message. A card is a view of its lines, and is edited. A note is posted once: it names incidents that are down, and may mention
 * people. A reply in the thread of a card names those that are up again. What is said about a change of settings is only text. That the
 * channel is paused is told only its owners.
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
  /**
   * Of a card: what it should say, as a text to compare with. Of a note: how its lines were before it, for `restoreLine`. Of what is
   * said about a change of settings: the text.
   */
  readonly content: string
  readonly nextPage?: NextPage | undefined
  /** Of a channel's latest card: how many more checks are down than the channel lists. */
  readonly unlisted?: number | undefined
  readonly incidentIds?: readonly string[] | undefined
  readonly responders?: readonly Responder[] | undefined
  /** Who pressed **Page now**. */
  readonly askedBy?: string | undefined
  /** The card that it's a reply to. */
  readonly cardId?: string | undefined
  /** When everything on it was over. */
  readonly closedAt?: Date | undefined
}

export interface NextPage {
  readonly names: string
  readonly at: Date
}

/** Somebody asks to page now: these people, or else those whom the watches would page next. */
export interface PageNow {
  /** The ID of its first note. */
  readonly id: string
  readonly channelId: string
  readonly incidentIds: readonly string[]
  readonly responders?: readonly Responder[] | undefined
  readonly askedBy: string
}

/** A channel of one environment: its settings, and what it was told. */
export interface ChannelState {
  readonly channelId: string
  readonly watches: readonly PreparedWatch[]
  /** Slack accepts no messages in it. Pages go to the owners of its watches. */
  readonly isPaused: boolean
  /** Nobody is paged about it, since nobody may read it: it became shared with another organization. */
  readonly isClosed: boolean
  /** Until when a check is silenced. */
  readonly silencedUntil: (check: CheckFacts) => Date | undefined
  readonly lines: readonly Line[]
  /** Oldest first: cards that aren't over, or weren't sent yet. */
  readonly posts: readonly Post[]
  readonly pageNow?: PageNow | undefined
  /** A watch of it was saved just now. */
  readonly isSaving?: boolean | undefined
}

/** What is true in an environment. */
export interface ScopeState {
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
    seenSinceMs: scope.seenSince?.getTime() ?? 0,
    newId,
    wakeAtMs: Number.POSITIVE_INFINITY,
  }
  const shown = listShown(context)
  const down = shown.filter(
    ({ incident, isSilenced }) => incident.isDown && !isSilenced && (!context.isUnseen || isNoData(incident)),
  )
  const asked = shown.filter(({ incident }) => incident.isDown && isAsked(context, incident))
  const unlisted = showNew(context, [...new Set([...asked, ...down])])
  markAlreadyDown(context, shown)
  markTaken(context, shown)
  tell(context, down)
  if (channel.pageNow) pageAtOnce(context, asked, channel.pageNow)
  updateWaits(context, shown)
  page(context, down)
  const onCards = Map.groupBy(context.lines.values(), ({ cardId }) => cardId)
  for (const card of listCards(context)) replyUp(context, card, onCards.get(card.id) ?? [])
  writeContents(context, onCards, unlisted)
  const { lines, posts, wakeAtMs } = context
  return {
    lines: [...lines.values()].filter((line) => line !== before.get(line.incidentId)),
    deletedLines: [...before.values()].filter(({ incidentId }) => !lines.has(incidentId)),
    posts: [...posts.values()]
      .filter((post) => post !== postsBefore.get(post.id))
      .map((post) => ({ ...post, isNew: !postsBefore.has(post.id) })),
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
  readonly seenSinceMs: number
  readonly newId: () => string
  wakeAtMs: number
}

/** An open incident that a watch of the channel matches. */
interface Shown {
  readonly incident: Incident
  /** The watches that page people about it. */
  readonly paging: readonly Paging[]
  readonly isSilenced: boolean
  /** It went down before each watch that matches it. */
  readonly isOld: boolean
}

interface Paging {
  readonly watchId: string
  readonly steps: readonly PageStep[]
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
    const matching = isNoData(incident)
      ? channel.watches
      : channel.watches.filter(({ matches }) => matches(incident.check))
    if (matching.length === 0) lines.delete(incident.id)
    const confirmed = matching.filter(
      ({ watch }) =>
        isNoData(incident) || isAsked(context, incident) || incident.badPolls >= watch.afterBadPolls,
    )
    if (matching.length === 0 || (confirmed.length === 0 && !lines.has(incident.id))) return []
    if (isNoData(incident)) return [{ incident, paging: [], isSilenced: false, isOld: false }]
    const paging = confirmed.flatMap(({ watch: { id: watchId, page: steps } }): Paging[] =>
      steps ? [{ watchId, steps }] : [],
    )
    // A watch from the future is from before the clock was set back.
    const isOld =
      wasDownAtFirst(incident) ||
      matching.every(
        ({ watch: { madeAt } }) => getFallTime(incident) < madeAt && madeAt.getTime() <= context.now,
      )
    return [{ incident, paging, isSilenced: channel.silencedUntil(incident.check) !== undefined, isOld }]
  })
}

/** What was down before a watch was saved, and pages nobody, doesn't begin to. What is up again isn't old if it goes down. */
function markAlreadyDown({ lines, channel: { isSaving } }: ChannelContext, shown: readonly Shown[]): void {
  for (const { incident, isSilenced } of shown) {
    const line = lines.get(incident.id)
    if (!line) continue
    const isUnpaged = line.toldAt && !incident.onIt && !isSilenced && Object.keys(line.waits).length === 0
    const isAlreadyDown = incident.isDown && (line.isAlreadyDown || Boolean(isSaving && isUnpaged))
    if (isAlreadyDown !== line.isAlreadyDown) lines.set(incident.id, { ...line, isAlreadyDown })
  }
}

/**
 * Puts new incidents on the latest card if it wasn't sent yet, or is recent and all of them are news: nothing joins a card about what was
 * down before the watch, or about checks that can't be seen, and these join none. Otherwise puts them on a new card. Returns how many
 * more there are than the channel lists.
 */
function showNew(context: ChannelContext, down: readonly Shown[]): number {
  const { now, posts, lines, channel } = context
  const fresh = down.filter(({ incident }) => !lines.has(incident.id))
  if (fresh.length === 0) return 0
  const { listed, unlisted } = limitListed(context, fresh, down)
  if (listed.length === 0) return unlisted
  const latest = listCards(context).at(-1)
  const isUnsent = latest !== undefined && !latest.attemptedAt
  const isJoined =
    latest?.attemptedAt !== undefined &&
    !latest.closedAt &&
    now < getSentTime(context, latest) + JOIN_MS &&
    isNewlyDown(listed.map(({ incident, isOld }) => [incident, isOld])) &&
    isNewlyDown(listOnCard(context, latest))
  const card = isUnsent || isJoined ? latest : createPost(context, 'card')
  posts.set(card.id, card)
  for (const { incident, isOld } of listed)
    lines.set(incident.id, {
      ...{ channelId: channel.channelId, incidentId: incident.id, cardId: card.id, waits: {} },
      ...{ toldAt: isJoined ? undefined : new Date(now), isAlreadyDown: isOld },
    })
  return unlisted
}

/** Which new incidents the channel lists. If there are too many, what was already down makes way for what goes down. */
function limitListed(context: ChannelContext, fresh: readonly Shown[], down: readonly Shown[]) {
  const { lines, incidents } = context
  // Not seeing the checks is always listed: it explains why nothing else is told. So is what somebody asks to page about.
  const rank = ({ incident, isOld }: Shown): number =>
    isNoData(incident) || isAsked(context, incident) ? 0 : isOld ? 2 : 1
  const old = down.filter(
    ({ incident, isOld }) => isOld && !incident.onIt && lines.get(incident.id)?.isAlreadyDown,
  )
  const count = [...lines.keys()].filter((id) => incidents.get(id)?.isDown).length
  const room = Math.max(0, MAX_LISTED - count)
  const listed = fresh
    .toSorted((left, right) => rank(left) - rank(right))
    .filter((one, index) => rank(one) === 0 || index < room + (rank(one) === 1 ? old.length : 0))
  const dropped = old.slice(0, Math.max(0, listed.length - room))
  for (const { incident } of dropped) lines.delete(incident.id)
  return { listed, unlisted: fresh.length - listed.length + dropped.length }
}

const listOnCard = ({ lines, incidents }: ChannelContext, card: Post): [Incident, boolean][] =>
  [...lines.values()].flatMap(({ cardId, incidentId, isAlreadyDown }) => {
    const incident = cardId === card.id ? incidents.get(incidentId) : undefined
    return incident ? [[incident, isAlreadyDown]] : []
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
  // Only a card is edited later.
  ...(kind !== 'card' && { closedAt: new Date(context.now) }),
})

/** Tells the channel, in one note, what joined a card, went down again, or lost its person. */
function tell(context: ChannelContext, down: readonly Shown[]): void {
  const news = down.flatMap(({ incident }) => {
    const line = context.lines.get(incident.id)
    return line && isNews(context, line, incident) ? [line] : []
  })
  // Of what is on a card that wasn't sent yet, the card itself tells.
  const isOnSentCard = ({ cardId }: Line): boolean => context.posts.get(cardId)?.attemptedAt !== undefined
  for (const line of news) if (!isOnSentCard(line)) markTold(context, line)
  postNote(context, news.filter(isOnSentCard))
}

const markTold = ({ lines, now }: ChannelContext, line: Line): unknown =>
  lines.set(line.incidentId, { ...line, toldAt: new Date(now) })

/** Whether the channel has to be told that an incident is down. Who is on it is told only if a reply has said that it was up again. */
function isNews(context: ChannelContext, line: Line, incident: Incident): boolean {
  if (incident.onIt && !isAnswered(line)) return false
  const toldMs = getToldTime(context, line)
  const card = context.posts.get(line.cardId)
  if (toldMs === undefined)
    return isAfter(context, card?.attemptedAt ? getSentTime(context, card) + JOIN_MS : context.now)
  if (getFallTime(incident).getTime() <= toldMs) return false
  // The card, and the note about what joined it, told of no relapse.
  const firstMs = Math.max(incident.openedAt.getTime(), card?.attemptedAt?.getTime() ?? 0)
  const wasRelapseTold = incident.downs.some(
    ({ from }) => from.getTime() > firstMs && from.getTime() <= toldMs,
  )
  return isAfter(context, toldMs + TELL_AGAIN_MS[wasRelapseTold ? 1 : 0])
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
function markTaken(context: ChannelContext, shown: readonly Shown[]): void {
  for (const { incident } of shown) {
    const line = context.lines.get(incident.id)
    if (line && !line.toldAt && incident.onIt && incident.isDown) markTold(context, line)
  }
}

/**
 * Each watch that pages waits for somebody about what was told, is down, and has nobody. A person and a silence end that. A gap and a
 * relapse begin the wait for the next page again, but only once for each page.
 */
function updateWaits(context: ChannelContext, shown: readonly Shown[]): void {
  const { now, lines, seenSinceMs, isUnseen, channel } = context
  for (const { incident, paging, isSilenced } of shown) {
    const line = lines.get(incident.id)
    if (!line) continue
    const isWaiting = line.toldAt && !incident.onIt && !isSilenced && !channel.isClosed
    if (isWaiting && (isUnseen || !incident.isDown)) continue
    const interruptedMs = Math.max(getFallTime(incident).getTime(), seenSinceMs)
    const toWait = ({ watchId }: Paging): Wait => {
      const { fromMs, pages, isPostponed } = line.waits[watchId] ?? { fromMs: now, pages: 0 }
      // What is in the future is from before the clock was set back.
      if (fromMs > now) return { fromMs: now, pages }
      if (interruptedMs > fromMs && interruptedMs <= now && !isPostponed)
        return { fromMs: interruptedMs, pages, isPostponed: true }
      return line.waits[watchId] ?? { fromMs, pages }
    }
    const waits =
      isWaiting && !line.isAlreadyDown
        ? Object.fromEntries(paging.map((one) => [one.watchId, toWait(one)]))
        : {}
    if (JSON.stringify(waits) !== JSON.stringify(line.waits)) lines.set(incident.id, { ...line, waits })
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

/** Nobody is paged before the card was sent. In a paused channel, the owner was told instead. */
function listNextSteps(context: ChannelContext, shown: readonly Shown[]): NextStep[] {
  const { lines, posts, channel } = context
  return shown.flatMap(({ incident: { id: incidentId }, paging }) => {
    const line = lines.get(incidentId)
    if (!line) return []
    const sentMs = channel.isPaused ? 0 : getSentTime(context, posts.get(line.cardId))
    return paging.map(({ watchId, steps }): NextStep => {
      const wait = line.waits[watchId]
      const { pages = 0 } = wait ?? {}
      return {
        ...{ incidentId, watchId, responders: steps[Math.min(pages, steps.length - 1)]?.responders ?? [] },
        dueMs: wait && Math.max(wait.fromMs, sentMs) + getDelay(steps, pages),
      }
    })
  })
}

/** Pages people about what has waited long enough. One note names everything that would page the same people later. */
function page(context: ChannelContext, down: readonly Shown[]): void {
  if (context.hasNoData) showNextPages(context, new Map())
  if (context.isUnseen) return
  const listGroups = () => {
    const due = listNextSteps(context, down).flatMap(({ dueMs, ...next }) =>
      dueMs === undefined ? [] : [{ ...next, dueMs }],
    )
    return [...groupByPeople(due)].map((group) => ({
      group,
      dueMs: Math.min(...group.map((next) => next.dueMs)),
    }))
  }
  for (const { group, dueMs } of listGroups()) if (dueMs <= context.now) postPage(context, group)
  const nextPages = new Map<string, NextPage>()
  for (const { group, dueMs } of listGroups().toSorted((left, right) => left.dueMs - right.dueMs)) {
    isAfter(context, dueMs)
    for (const { incidentId, responders } of group) {
      const { cardId = '' } = context.lines.get(incidentId) ?? {}
      const next = { names: formatResponders(responders), at: new Date(dueMs) }
      if (!nextPages.has(cardId)) nextPages.set(cardId, next)
    }
  }
  showNextPages(context, nextPages)
}

const groupByPeople = <Step extends NextStep>(steps: readonly Step[]) =>
  Map.groupBy(steps, ({ responders }) => responders.map(({ id, name }) => id ?? name).join()).values()

/** Pages at once because somebody asks for it, even if somebody is on it or it's silenced: these people, or else the next ones. */
function pageAtOnce(context: ChannelContext, asked: readonly Shown[], pageNow: PageNow): void {
  const { id, responders, askedBy } = pageNow
  const lines = asked.flatMap(({ incident }) => context.lines.get(incident.id) ?? [])
  if (responders) postNote(context, lines, { id, responders, askedBy })
  else
    for (const [index, group] of [...groupByPeople(listNextSteps(context, asked))].entries())
      postPage(context, group, { askedBy, ...(index === 0 && { id }) })
}

/** Counts pages, and names in one note everything that pages the same people. */
function postPage(
  context: ChannelContext,
  group: readonly NextStep[],
  asked: Partial<Pick<Post, 'id' | 'askedBy'>> = {},
): void {
  const { lines, now } = context
  const before = [...new Set(group.map(({ incidentId }) => incidentId))].flatMap((id) => lines.get(id) ?? [])
  for (const { incidentId, watchId } of group) {
    const line = lines.get(incidentId)
    const wait = line?.waits[watchId]
    if (line && wait) {
      const waits = { ...line.waits, [watchId]: { fromMs: now, pages: wait.pages + 1 } }
      lines.set(incidentId, { ...line, waits })
    }
  }
  postNote(context, before, { responders: group[0]?.responders, ...asked })
}

/** Names lines in a note, and remembers in it how they were before. The channel is told about them with it. */
function postNote(
  context: ChannelContext,
  before: readonly Line[],
  page: Partial<Pick<Post, 'id' | 'responders' | 'askedBy'>> = {},
): void {
  if (before.length === 0) return
  const note = {
    ...createPost(context, 'note'),
    incidentIds: before.map(({ incidentId }) => incidentId),
    content: JSON.stringify(before.map(({ incidentId, toldAt, waits }) => ({ incidentId, toldAt, waits }))),
    ...page,
  }
  context.posts.set(note.id, note)
  for (const { incidentId, toldAt } of before) {
    const line = context.lines.get(incidentId)
    const incident = context.incidents.get(incidentId)
    const isTold = toldAt && incident && getFallTime(incident) <= toldAt
    // A page about what the channel knows isn't news.
    if (line && !(page.responders && isTold)) markTold(context, line)
  }
}

/**
 * The lines that a message that Slack delayed is still about: not those that a newer one is about, and none if the note that something
 * is down wasn't sent, so that nobody has to hear that it's up again.
 */
export function listNamedLines(
  lines: readonly Line[],
  { kind, openedAt, responders }: Omit<Post, 'channelId'>,
): readonly Line[] {
  const isOf = (date: Date | undefined): boolean => date?.getTime() === openedAt.getTime()
  if (kind === 'note' && responders === undefined) return lines.filter(({ toldAt }) => isOf(toldAt))
  if (kind !== 'reply') return lines
  const said = lines.filter(({ toldUpAt }) => isOf(toldUpAt))
  return said.some(({ toldAt }) => toldAt) ? said : []
}

/**
 * What a line is again if a message that named it was about it no longer when it was sent: as if the message hadn't been decided.
 * Undefined if it stays as it is.
 */
export function restoreLine(
  line: Line,
  { kind, openedAt, content }: Pick<Post, 'kind' | 'openedAt' | 'content'>,
): Line | undefined {
  const isOf = (date: Date | undefined): boolean => date?.getTime() === openedAt.getTime()
  if (kind === 'reply') return isOf(line.toldUpAt) ? { ...line, toldUpAt: undefined } : undefined
  // Cast: `postNote` writes it.
  const all = JSON.parse(content) as (Pick<Line, 'incidentId' | 'waits'> & { toldAt?: string })[]
  const before = all.find(({ incidentId }) => incidentId === line.incidentId)
  if (!before) return undefined
  const waits = Object.entries(line.waits).map(([watchId, wait]) => [
    watchId,
    wait.fromMs === openedAt.getTime() ? (before.waits[watchId] ?? wait) : wait,
  ])
  const toldBefore = before.toldAt === undefined ? undefined : new Date(before.toldAt)
  return { ...line, waits: Object.fromEntries(waits), ...(isOf(line.toldAt) && { toldAt: toldBefore }) }
}

/** Each card shows whom its incidents page next, to the minute. */
function showNextPages(context: ChannelContext, nextPages: ReadonlyMap<string, NextPage>): void {
  for (const post of listCards(context)) {
    const next = nextPages.get(post.id)
    const movedMs = Math.abs((next?.at.getTime() ?? 0) - (post.nextPage?.at.getTime() ?? 0))
    if (movedMs >= MINUTE_MS || post.nextPage?.names !== next?.names)
      context.posts.set(post.id, { ...post, nextPage: next })
  }
}

/**
 * Says in the card's thread what is up again: at once what somebody is on, and that the checks can be seen; everything else once
 * nothing on the card is down. A reply is owed for what the channel was told, and names all that the card listed.
 */
function replyUp(context: ChannelContext, card: Post, onCard: readonly Line[]): void {
  const { now, lines, incidents, posts } = context
  const isAllUp = onCard.every(({ incidentId }) => !incidents.get(incidentId)?.isDown)
  const up = onCard.filter((line) => {
    const incident = incidents.get(line.incidentId)
    return (
      incident !== undefined &&
      isUnsaid(context, card, line) &&
      (isAllUp || incident.onIt !== undefined || isNoData(incident))
    )
  })
  if (!up.some(({ toldAt }) => toldAt)) return
  for (const line of up) lines.set(line.incidentId, { ...line, toldUpAt: new Date(now) })
  const incidentIds = up.map(({ incidentId }) => incidentId)
  const reply = { ...createPost(context, 'reply'), incidentIds, cardId: card.id }
  posts.set(reply.id, reply)
}

/** Whether it came up after the card was sent, and no reply has said so. Whoever is on it in a paused channel was told in a DM. */
function isUnsaid(context: ChannelContext, card: Post, line: Line): boolean {
  const { incidents, openByCheck, channel } = context
  const incident = incidents.get(line.incidentId)
  const toldAt = card.attemptedAt ?? (channel.isPaused && incident?.onIt ? card.openedAt : undefined)
  if (!incident || incident.isDown || incident.ending === 'unseen' || !toldAt) return false
  if (incident.isInstalling && !incident.closedAt) return false
  const rise = getRiseTime(incident)
  const isBackDown = (openByCheck.get(incident.check.uuid) ?? incident.id) !== incident.id
  const isSaid = line.toldUpAt !== undefined && (!line.toldAt || isAnswered(line))
  return !isSaid && !isBackDown && rise !== undefined && rise > toldAt
}

export const formatResponders = (responders: readonly Responder[]): string =>
  responders.map(({ name }) => name).join(' ')

/** Gives every card whose content has changed a new version. The latest one says how many checks aren't listed. */
function writeContents(
  context: ChannelContext,
  onCards: ReadonlyMap<string, readonly Line[]>,
  unlisted: number,
): void {
  const latest = listCards(context).at(-1)
  for (const before of listCards(context)) {
    const onCard = onCards.get(before.id) ?? []
    const card = context.isUnseen
      ? before
      : { ...before, unlisted: before === latest && unlisted > 0 ? unlisted : undefined }
    const content = hashContent(card, onCard, context)
    const closedAt = isOver(context, onCard) ? (card.closedAt ?? new Date(context.now)) : undefined
    if (content !== card.content || closedAt?.getTime() !== card.closedAt?.getTime())
      context.posts.set(card.id, { ...card, content, closedAt, version: getVersion(card, content) })
  }
}

const getVersion = (card: Post, content: string): number =>
  card.version + (content !== card.content && card.content !== '' ? 1 : 0)

/** A card is open until everything on it is over. A reply has said so by then. */
const isOver = ({ incidents }: ChannelContext, onCard: readonly Line[]): boolean =>
  onCard.every(({ incidentId }) => incidents.get(incidentId)?.closedAt !== undefined)

function hashContent(
  { nextPage, unlisted }: Post,
  onCard: readonly Line[],
  { channel, hasNoData, incidents }: ChannelContext,
): string {
  const listed = onCard.flatMap(({ incidentId }) => incidents.get(incidentId) ?? [])
  const old = onCard.flatMap(({ incidentId, isAlreadyDown }) => (isAlreadyDown ? [incidentId] : []))
  const isOpen = listed.some(({ closedAt }) => !closedAt)
  const shown = listed
    .map(({ id, check, isDown, isInstalling, downs, closedAt, ending, onIt, failure }) => [
      ...[id, check.name, check.target, isDown, isInstalling, downs.length, ending, onIt?.by, failure],
      !closedAt && channel.silencedUntil(check),
    ])
    .toSorted()
  return createHash('sha256')
    .update(JSON.stringify([nextPage, unlisted, isOpen && hasNoData, shown, old.toSorted()]))
    .digest('base64url')
}
