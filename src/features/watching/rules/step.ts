import { createHash } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '@signalman/runtime'
import { getFallTime, type Incident, isBlindness } from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { PreparedWatch } from './matching.ts'
import { getPageDelay } from './page-step.ts'
import type { PageStep, Responder } from './watch.ts'

/** What goes down in this time after a card was posted joins that card. One message afterwards names what has joined. */
export const JOIN_MS = 5 * MINUTE_MS
/** A check that goes down again is news if the channel was told about it at least this long ago. */
export const TELL_AGAIN_MS = HOUR_MS

/** One incident in one channel, on the one card that lists it from beginning to end. */
export interface Line {
  readonly channelId: string
  readonly incidentId: string
  readonly cardId: string
  /** When a message that notifies people named it: a new card, or a note. Undefined: the channel has still to be told. */
  readonly toldAt?: Date | undefined
  /** How often people were paged about it since then. */
  readonly pages: number
}

/** A message. A card is a view of its lines, and is edited. A note is posted once: it names incidents, and may mention people. */
export interface Post {
  readonly id: string
  readonly channelId: string
  readonly kind: 'card' | 'note'
  readonly openedAt: Date
  /** When its first sending began; undefined while it is certainly not in the channel. */
  readonly attemptedAt?: Date | undefined
  /** Its delivery is pending while Slack shows less than `version`. */
  readonly version: number
  readonly shownVersion: number
  /** What a card should say, as a text to compare with. */
  readonly content: string
  readonly nextPage?: NextPage | undefined
  readonly incidentIds?: readonly string[] | undefined
  readonly responders?: readonly Responder[] | undefined
  /** When everything on it was over. */
  readonly closedAt?: Date | undefined
}

export interface NextPage {
  readonly names: string
  readonly at: Date
}

export interface ChannelState {
  readonly channelId: string
  readonly watches: readonly PreparedWatch[]
  /** Slack accepts no messages in it. */
  readonly isPaused: boolean
  readonly isSilenced: (check: CheckFacts) => boolean
}

/** One environment of a workspace: what is true, and what its channels were told. */
export interface ScopeState {
  readonly channels: readonly ChannelState[]
  /** Open incidents, and those that a line refers to. */
  readonly incidents: readonly Incident[]
  readonly lines: readonly Line[]
  /** Oldest first: each channel's latest card, and cards that aren't over. */
  readonly posts: readonly Post[]
  /** Since when the checks are seen without a gap. Nobody waits for anybody before that. */
  readonly seenSince?: Date | undefined
}

/** The rows to save. Deciding again changes nothing, and neither does anything before `wakeAt`. */
export interface Changes {
  readonly lines: readonly Line[]
  readonly deletedLines: readonly Line[]
  readonly posts: readonly (Post & { readonly isNew: boolean })[]
  readonly wakeAt?: Date | undefined
}

const lineKey = ({ channelId, incidentId }: Pick<Line, 'channelId' | 'incidentId'>): string =>
  `${channelId} ${incidentId}`

/** Decides what each channel shows, and who is paged. It's the same whether a poll, a press, or the clock is the cause. */
export function step(state: ScopeState, now: Date, newId: () => string): Changes {
  const before = new Map(state.lines.map((line) => [lineKey(line), line]))
  const context: StepContext = {
    now: now.getTime(),
    lines: new Map(before),
    posts: new Map(state.posts.map((post) => [post.id, post])),
    open: state.incidents.filter(({ closedAt }) => !closedAt),
    isUnseen: state.incidents.some((incident) => isBlindness(incident) && incident.isDown),
    seenSinceMs: state.seenSince?.getTime() ?? 0,
    newId,
    wakeAtMs: Number.POSITIVE_INFINITY,
  }
  for (const channel of state.channels) stepChannel(context, channel)
  writeContents(context, state)
  const { lines, posts, wakeAtMs } = context
  const postsBefore = new Map(state.posts.map((post) => [post.id, post]))
  return {
    lines: [...lines.values()].filter((line) => line !== before.get(lineKey(line))),
    deletedLines: [...before].flatMap(([key, line]) => (lines.has(key) ? [] : [line])),
    posts: [...posts.values()]
      .filter((post) => post !== postsBefore.get(post.id))
      .map((post) => ({ ...post, isNew: !postsBefore.has(post.id) })),
    wakeAt: Number.isFinite(wakeAtMs) ? new Date(wakeAtMs) : undefined,
  }
}

interface StepContext {
  readonly now: number
  readonly lines: Map<string, Line>
  readonly posts: Map<string, Post>
  readonly open: readonly Incident[]
  readonly isUnseen: boolean
  readonly seenSinceMs: number
  readonly newId: () => string
  wakeAtMs: number
}

/** An open incident that a watch of the channel matches, and that isn't silenced there. */
interface Shown {
  readonly incident: Incident
  readonly line: Line | undefined
  readonly pageSteps: readonly PageStep[] | undefined
}

function stepChannel(context: StepContext, channel: ChannelState): void {
  const shown = listShown(context, channel)
  const down = shown.filter(({ incident }) => incident.isDown && (!context.isUnseen || isBlindness(incident)))
  showNew(
    context,
    channel.channelId,
    down.filter(({ line }) => !line).map(({ incident }) => incident),
  )
  const unattended = down.filter(({ incident }) => !incident.onIt)
  tell(context, channel.channelId, unattended)
  page(context, channel, context.isUnseen || channel.isPaused ? [] : unattended)
}

/** Lists what the channel shows. What nobody watches anymore leaves its card. What is silenced is told again afterwards. */
const listShown = (context: StepContext, channel: ChannelState): Shown[] =>
  context.open.flatMap((incident): Shown[] => {
    const key = lineKey({ channelId: channel.channelId, incidentId: incident.id })
    const line = context.lines.get(key)
    const matching = listMatching(channel, incident)
    if (matching.length === 0) context.lines.delete(key)
    const confirmed = matching.filter(
      ({ watch }) => isBlindness(incident) || incident.badPolls >= watch.afterBadPolls,
    )
    if (matching.length === 0 || (!line && confirmed.length === 0)) return []
    if (isBlindness(incident)) return [{ incident, line, pageSteps: undefined }]
    if (!channel.isSilenced(incident.check)) return [{ incident, line, pageSteps: findPageSteps(confirmed) }]
    if (line?.toldAt) context.lines.set(key, { ...line, toldAt: undefined, pages: 0 })
    return []
  })

/** Any watch is about whether the checks can be seen. */
const listMatching = ({ watches }: ChannelState, incident: Incident): readonly PreparedWatch[] =>
  isBlindness(incident) ? watches : watches.filter(({ matches }) => matches(incident.check))

/** The steps of the watch that pages first. */
const findPageSteps = (watches: readonly PreparedWatch[]): readonly PageStep[] | undefined =>
  watches
    .flatMap(({ watch }) => (watch.page ? [watch.page] : []))
    .toSorted((left, right) => getPageDelay(left, 0) - getPageDelay(right, 0))[0]

/** Puts new incidents on the latest card if it's recent or wasn't sent yet, otherwise on a new one. */
function showNew(context: StepContext, channelId: string, fresh: readonly Incident[]): void {
  if (fresh.length === 0) return
  const { now, posts, lines } = context
  const latest = [...posts.values()].findLast((post) => post.kind === 'card' && post.channelId === channelId)
  const isUnsent = latest !== undefined && !latest.attemptedAt
  const isRecent =
    latest?.attemptedAt !== undefined && !latest.closedAt && now < latest.attemptedAt.getTime() + JOIN_MS
  const card = isUnsent || isRecent ? latest : createPost(context, channelId, 'card')
  posts.set(card.id, card)
  for (const { id: incidentId } of fresh)
    lines.set(lineKey({ channelId, incidentId }), {
      ...{ channelId, incidentId, cardId: card.id, pages: 0 },
      toldAt: isRecent ? undefined : new Date(now),
    })
}

const createPost = (context: StepContext, channelId: string, kind: Post['kind']): Post => ({
  id: context.newId(),
  channelId,
  kind,
  openedAt: new Date(context.now),
  version: 1,
  shownVersion: 0,
  content: '',
})

/** Tells the channel, in one note, what joined a card, went down again, lost its person, or isn't silenced anymore. */
function tell(context: StepContext, channelId: string, unattended: readonly Shown[]): void {
  const { now, posts, lines } = context
  const news = unattended.filter(({ incident, line }) => {
    if (!line) return false
    const card = posts.get(line.cardId)
    const toldMs = getToldTime(context, line)
    if (toldMs === undefined)
      return isAfter(context, card?.attemptedAt ? card.attemptedAt.getTime() + JOIN_MS : now)
    return getFallTime(incident).getTime() > toldMs && isAfter(context, toldMs + TELL_AGAIN_MS)
  })
  if (news.length === 0) return
  const toldAt = new Date(now)
  for (const { line } of news) if (line) lines.set(lineKey(line), { ...line, toldAt, pages: 0 })
  // Of what is on a card that wasn't sent yet, the card itself tells.
  const incidentIds = news.flatMap(({ line }) =>
    line && posts.get(line.cardId)?.attemptedAt ? [line.incidentId] : [],
  )
  if (incidentIds.length === 0) return
  const note = { ...createPost(context, channelId, 'note'), incidentIds }
  posts.set(note.id, note)
}

/** When the channel was told. A card that couldn't be sent at once told it when it was sent. */
function getToldTime({ posts }: StepContext, { toldAt, cardId }: Line): number | undefined {
  return toldAt && Math.max(toldAt.getTime(), posts.get(cardId)?.attemptedAt?.getTime() ?? 0)
}

/** Whether a time has come. If not, the decision runs again then. */
function isAfter(context: StepContext, atMs: number): boolean {
  if (atMs > context.now) context.wakeAtMs = Math.min(context.wakeAtMs, atMs)
  return atMs <= context.now
}

interface Waiting {
  readonly line: Line
  readonly pageSteps: readonly PageStep[]
  readonly sinceMs: number
  /** The number of earlier pages, with those that were missed, as after a restart. */
  readonly pages: number
  readonly dueMs: number
}

const groupByResponders = (waiting: readonly Waiting[]): Map<string, Waiting[]> =>
  Map.groupBy(waiting, (one) => formatResponders(findResponders(one)))

/** Whom the next page mentions. */
const findResponders = ({ pageSteps, pages }: Waiting): readonly Responder[] =>
  (pageSteps[pages] ?? pageSteps.at(-1))?.responders ?? []

/** Pages people about what has waited long enough. One note names everything that would page the same people later. */
function page(context: StepContext, { channelId }: ChannelState, unattended: readonly Shown[]): void {
  const waiting = unattended.flatMap((shown) => toWaiting(context, channelId, shown) ?? [])
  const after = [...groupByResponders(waiting).values()].flatMap((group) => {
    if (!isAfter(context, getFirstDue(group))) return group
    postPage(context, channelId, group)
    return group.map(countPage)
  })
  const nextPages = new Map<string, NextPage>()
  for (const [names, group] of groupByResponders(after)) {
    const nextMs = getFirstDue(group)
    isAfter(context, nextMs)
    for (const { line } of group) {
      context.lines.set(lineKey(line), line)
      const next = nextPages.get(line.cardId)
      if (!next || nextMs < next.at.getTime()) nextPages.set(line.cardId, { names, at: new Date(nextMs) })
    }
  }
  showNextPages(context, channelId, nextPages)
}

function toWaiting(
  context: StepContext,
  channelId: string,
  { incident, pageSteps }: Shown,
): Waiting | undefined {
  const line = context.lines.get(lineKey({ channelId, incidentId: incident.id }))
  const toldMs = line && getToldTime(context, line)
  if (!line || toldMs === undefined || !pageSteps) return undefined
  const sinceMs = Math.max(toldMs, getFallTime(incident).getTime(), context.seenSinceMs)
  let { pages } = line
  while (sinceMs + getPageDelay(pageSteps, pages + 1) <= context.now) pages += 1
  return { line, pageSteps, sinceMs, pages, dueMs: sinceMs + getPageDelay(pageSteps, pages) }
}

const getFirstDue = (waiting: readonly Waiting[]): number =>
  waiting.reduce((min, { dueMs }) => Math.min(min, dueMs), Number.POSITIVE_INFINITY)

/** Counts a page. */
function countPage({ line, pageSteps, sinceMs, pages: earlier }: Waiting): Waiting {
  const pages = earlier + 1
  const dueMs = sinceMs + getPageDelay(pageSteps, pages)
  return { line: { ...line, pages }, pageSteps, sinceMs, pages, dueMs }
}

function postPage(context: StepContext, channelId: string, group: readonly Waiting[]): void {
  const incidentIds = group.map(({ line }) => line.incidentId)
  const [first] = group
  const responders = first && findResponders(first)
  const note = { ...createPost(context, channelId, 'note'), incidentIds, responders }
  context.posts.set(note.id, note)
}

/** Each card shows whom its incidents page next. */
function showNextPages(
  { posts }: StepContext,
  channelId: string,
  nextPages: ReadonlyMap<string, NextPage>,
): void {
  for (const post of posts.values()) {
    const next = nextPages.get(post.id)
    if (post.channelId !== channelId || post.kind !== 'card') continue
    if (post.nextPage?.at.getTime() !== next?.at.getTime() || post.nextPage?.names !== next?.names)
      posts.set(post.id, { ...post, nextPage: next })
  }
}

export const formatResponders = (responders: readonly Responder[]): string =>
  responders.map(({ name }) => name).join(' ')

/** Gives every card whose content has changed a new version. */
function writeContents(context: StepContext, { channels, incidents }: ScopeState): void {
  const byId = new Map(incidents.map((incident) => [incident.id, incident]))
  const silencedIn = new Map(channels.map((channel) => [channel.channelId, channel.isSilenced]))
  const byCard = Map.groupBy(context.lines.values(), ({ cardId }) => cardId)
  for (const post of context.posts.values()) {
    if (post.kind !== 'card') continue
    const listed = (byCard.get(post.id) ?? []).flatMap(({ incidentId }) => byId.get(incidentId) ?? [])
    const isSilenced = silencedIn.get(post.channelId) ?? (() => false)
    const content = hashContent(post, listed, isSilenced, context.isUnseen)
    const isOver = listed.every(({ closedAt }) => closedAt !== undefined)
    const closedAt = isOver ? (post.closedAt ?? new Date(context.now)) : undefined
    const isFirst = post.content === ''
    if (content === post.content && closedAt?.getTime() === post.closedAt?.getTime()) continue
    const version = post.version + (content !== post.content && !isFirst ? 1 : 0)
    context.posts.set(post.id, { ...post, content, closedAt, version })
  }
}

function hashContent(
  { nextPage }: Post,
  listed: readonly Incident[],
  isSilenced: (check: CheckFacts) => boolean,
  isUnseen: boolean,
): string {
  const isOpen = listed.some(({ closedAt }) => !closedAt)
  const shown = listed
    .map(({ id, check, isDown, downs, closedAt, ending, onIt }) => [
      ...[id, check.name, check.target, isDown, downs.length, ending, onIt?.by],
      !closedAt && isSilenced(check),
    ])
    .toSorted()
  return createHash('sha256')
    .update(JSON.stringify([nextPage, isOpen && isUnseen, shown]))
    .digest('base64url')
}
