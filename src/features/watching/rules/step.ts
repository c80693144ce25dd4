import { createHash } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '@signalman/runtime'
import { getFallTime, getRiseTime, type Incident, isBlindness } from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { PreparedWatch } from './matching.ts'
import type { PageStep, Responder } from './watch.ts'

/** What goes down in this time after a card was posted joins that card. One message afterwards names what has joined. */
export const JOIN_MS = 5 * MINUTE_MS
/** A check that flaps is said to be down, and to be up again, at most once in this time. */
export const TELL_AGAIN_MS = HOUR_MS

/** One incident in one channel, on the one card that lists it from beginning to end. */
export interface Line {
  readonly channelId: string
  readonly incidentId: string
  readonly cardId: string
  /** When a message that notifies people named it: a new card, or a note. Undefined: the channel has still to be told. */
  readonly toldAt?: Date | undefined
  /** When a reply to the card said that it's up again. */
  readonly toldUpAt?: Date | undefined
  /** Since when it has waited for somebody without a break. Undefined while it doesn't. */
  readonly waitsFrom?: Date | undefined
  /** How often each watch, by its ID, has paged people about it since then. */
  readonly pages: Readonly<Record<string, number>>
}

/**
 * A message. A card is a view of its lines, and is edited. A note is posted once: it names incidents that are down, and may mention
 * people. A reply in the thread of a card names those that are up again. What is said about a change of settings is only text.
 */
export interface Post {
  readonly id: string
  readonly channelId: string
  readonly kind: 'card' | 'note' | 'reply' | 'said'
  readonly openedAt: Date
  /** When its first sending began; undefined while it is certainly not in the channel. */
  readonly attemptedAt?: Date | undefined
  /** Its delivery is pending while Slack shows less than `version`. */
  readonly version: number
  readonly shownVersion: number
  /** What a card should say, as a text to compare with. What is said about a change of settings. */
  readonly content: string
  readonly nextPage?: NextPage | undefined
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
  readonly pageNow?: PageNow | undefined
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
    incidents: new Map(state.incidents.map((incident) => [incident.id, incident])),
    open: state.incidents.filter(({ closedAt }) => !closedAt),
    isUnseen: state.incidents.some((incident) => isBlindness(incident) && incident.isDown),
    seenSinceMs: state.seenSince?.getTime() ?? 0,
    newId,
    wakeAtMs: Number.POSITIVE_INFINITY,
  }
  for (const channel of state.channels) stepChannel(context, channel, state.pageNow)
  for (const card of context.posts.values()) if (card.kind === 'card') replyUp(context, card)
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
  readonly incidents: ReadonlyMap<string, Incident>
  readonly open: readonly Incident[]
  readonly isUnseen: boolean
  readonly seenSinceMs: number
  readonly newId: () => string
  wakeAtMs: number
}

/** An open incident that a watch of the channel matches. */
interface Shown {
  readonly incident: Incident
  readonly line: Line | undefined
  /** The watches that page people about it. */
  readonly paging: readonly Paging[]
  readonly isSilenced: boolean
}

interface Paging {
  readonly watchId: string
  readonly madeAt: Date
  readonly steps: readonly PageStep[]
}

function stepChannel(context: StepContext, channel: ChannelState, pageNow: PageNow | undefined): void {
  const { channelId } = channel
  const shown = listShown(context, channel)
  const down = shown.filter(
    ({ incident, isSilenced }) =>
      incident.isDown && !isSilenced && (!context.isUnseen || isBlindness(incident)),
  )
  showNew(
    context,
    channelId,
    down.filter(({ line }) => !line).map(({ incident }) => incident),
  )
  tell(context, down)
  if (pageNow?.channelId === channelId) pageAtOnce(context, shown, pageNow)
  const unattended = down.filter(({ incident }) => !incident.onIt)
  updateWaiting(context, channelId, context.isUnseen || channel.isPaused ? [] : unattended)
  page(context, channelId, unattended)
}

/** Lists what the channel shows. What nobody watches anymore leaves its card. */
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
    if (isBlindness(incident)) return [{ incident, line, paging: [], isSilenced: false }]
    const paging = confirmed.flatMap(({ watch: { id: watchId, madeAt, page: steps } }) =>
      steps ? [{ watchId, madeAt, steps }] : [],
    )
    return [{ incident, line, paging, isSilenced: channel.isSilenced(incident.check) }]
  })

/** Any watch is about whether the checks can be seen. */
const listMatching = ({ watches }: ChannelState, incident: Incident): readonly PreparedWatch[] =>
  isBlindness(incident) ? watches : watches.filter(({ matches }) => matches(incident.check))

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
      ...{ channelId, incidentId, cardId: card.id, pages: {} },
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
  // Only a card is edited later.
  ...(kind !== 'card' && { closedAt: new Date(context.now) }),
})

const addPost = (context: StepContext, post: Post): void => void context.posts.set(post.id, post)

/** The line as it is by now: a decision changes lines. */
const findLine = (context: StepContext, channelId: string, { incident: { id: incidentId } }: Shown) =>
  context.lines.get(lineKey({ channelId, incidentId }))

/** Tells the channel, in one note, what joined a card, went down again, or lost its person. */
function tell(context: StepContext, down: readonly Shown[]): void {
  const { now, posts, lines } = context
  const news = down.flatMap(({ incident, line }) =>
    line && isNews(context, line, incident) ? [{ ...line, toldAt: new Date(now) }] : [],
  )
  for (const line of news) lines.set(lineKey(line), line)
  // Of what is on a card that wasn't sent yet, the card itself tells.
  postNote(
    context,
    news.filter(({ cardId }) => posts.get(cardId)?.attemptedAt),
  )
}

/** Whether the channel has to be told that an incident is down. Who is on it is told only if a reply has said that it was up again. */
function isNews(context: StepContext, line: Line, incident: Incident): boolean {
  const toldMs = getToldTime(context, line)
  const wasSaidToBeUp = isAnswered(line)
  if (incident.onIt && !wasSaidToBeUp) return false
  if (toldMs === undefined) {
    const { attemptedAt } = context.posts.get(line.cardId) ?? {}
    return isAfter(context, attemptedAt ? attemptedAt.getTime() + JOIN_MS : context.now)
  }
  if (getFallTime(incident).getTime() <= toldMs) return false
  return wasSaidToBeUp || isAfter(context, toldMs + TELL_AGAIN_MS)
}

/** When the channel was told. A card that couldn't be sent at once told it when it was sent. */
function getToldTime({ posts }: StepContext, { toldAt, cardId }: Line): number | undefined {
  return toldAt && Math.max(toldAt.getTime(), posts.get(cardId)?.attemptedAt?.getTime() ?? 0)
}

/** Whether the last thing that the channel heard is that it's up again. */
const isAnswered = ({ toldAt, toldUpAt }: Line): boolean =>
  toldAt !== undefined && toldUpAt !== undefined && toldUpAt >= toldAt

/** Whether a time has come. If not, the decision runs again then. */
function isAfter(context: StepContext, atMs: number): boolean {
  if (atMs > context.now) context.wakeAtMs = Math.min(context.wakeAtMs, atMs)
  return atMs <= context.now
}

/** What was told, is down, and has nobody waits for somebody. Whatever interrupts that begins it again: a mute, a person, a gap. */
function updateWaiting(context: StepContext, channelId: string, unattended: readonly Shown[]): void {
  const { now, lines, seenSinceMs } = context
  const ids = new Set(unattended.map(({ incident }) => incident.id))
  for (const [key, line] of lines) {
    if (line.channelId !== channelId) continue
    const { waitsFrom } = line
    if (!ids.has(line.incidentId) || !line.toldAt) {
      if (waitsFrom) lines.set(key, { ...line, waitsFrom: undefined, pages: {} })
    } else if (!waitsFrom || waitsFrom.getTime() < seenSinceMs)
      lines.set(key, { ...line, waitsFrom: new Date(waitsFrom ? seenSinceMs : now), pages: {} })
  }
}

/** The next page of one watch about one incident. */
interface NextStep extends Paging {
  readonly line: Line
  /** Which page it is, counted from 0. Of several that were missed, as after a restart, it's the last one. */
  readonly index: number
  readonly responders: readonly Responder[]
  readonly dueMs: number
}

/** How long after waiting began a page is due. After its last step, a watch repeats that. */
function getDelay(steps: readonly PageStep[], index: number): number {
  const last = steps.at(-1)?.afterMs ?? Number.POSITIVE_INFINITY
  return steps[index]?.afterMs ?? last * (index - steps.length + 2)
}

/** Nobody waits for anybody before the card that tells it was sent, or before the watch was saved. */
function listNextSteps(context: StepContext, channelId: string, shown: readonly Shown[]): NextStep[] {
  return shown.flatMap((one) => {
    const line = findLine(context, channelId, one)
    if (!line) return []
    const { now } = context
    const sentMs = context.posts.get(line.cardId)?.attemptedAt?.getTime() ?? now
    return one.paging.map((paging): NextStep => {
      const { watchId, madeAt, steps } = paging
      const sinceMs = Math.max(line.waitsFrom?.getTime() ?? now, sentMs, madeAt.getTime())
      let index = line.pages[watchId] ?? 0
      while (sinceMs + getDelay(steps, index + 1) <= now) index += 1
      const responders = steps[Math.min(index, steps.length - 1)]?.responders ?? []
      return { ...paging, line, index, responders, dueMs: sinceMs + getDelay(steps, index) }
    })
  })
}

/** Pages people about what has waited long enough. One note names everything that would page the same people later. */
function page(context: StepContext, channelId: string, unattended: readonly Shown[]): void {
  const list = () => listNextSteps(context, channelId, unattended).filter(({ line }) => line.waitsFrom)
  for (const group of groupByPeople(list()))
    if (group.some(({ dueMs }) => dueMs <= context.now)) postPage(context, group)
  const nextPages = new Map<string, NextPage>()
  for (const { line, responders, dueMs } of list().toSorted((left, right) => left.dueMs - right.dueMs)) {
    isAfter(context, dueMs)
    const next = { names: formatResponders(responders), at: new Date(dueMs) }
    if (!nextPages.has(line.cardId)) nextPages.set(line.cardId, next)
  }
  showNextPages(context, channelId, nextPages)
}

const groupByPeople = (steps: readonly NextStep[]) =>
  Map.groupBy(steps, ({ responders }) => formatResponders(responders)).values()

/** Pages at once because somebody asks for it, even if somebody is on it or it's silenced: these people, or else the next ones. */
function pageAtOnce(context: StepContext, shown: readonly Shown[], pageNow: PageNow): void {
  const { id, channelId, incidentIds, responders, askedBy } = pageNow
  const pressed = shown.filter(({ incident }) => incident.isDown && incidentIds.includes(incident.id))
  const lines = pressed.flatMap((one) => findLine(context, channelId, one) ?? [])
  if (responders) postNote(context, lines, { id, responders, askedBy })
  else
    for (const [index, group] of [...groupByPeople(listNextSteps(context, channelId, pressed))].entries())
      postPage(context, group, { askedBy, ...(index === 0 && { id }) })
}

/** Counts pages, and names in one note everything that pages the same people. */
function postPage(
  context: StepContext,
  group: readonly NextStep[],
  asked: Partial<Pick<Post, 'id' | 'askedBy'>> = {},
): void {
  for (const { line, watchId, index } of group) {
    const current = context.lines.get(lineKey(line)) ?? line
    if (current.waitsFrom)
      context.lines.set(lineKey(line), { ...current, pages: { ...current.pages, [watchId]: index + 1 } })
  }
  const lines = group.map(({ line }) => context.lines.get(lineKey(line)) ?? line)
  postNote(context, lines, { responders: group[0]?.responders, ...asked })
}

/** Names lines in a note. The channel is told about them with it. */
function postNote(
  context: StepContext,
  lines: readonly Line[],
  page: Partial<Pick<Post, 'id' | 'responders' | 'askedBy'>> = {},
): void {
  const [first] = lines
  if (!first) return
  const incidentIds = [...new Set(lines.map(({ incidentId }) => incidentId))]
  addPost(context, { ...createPost(context, first.channelId, 'note'), incidentIds, ...page })
  for (const line of lines)
    if (!line.toldAt) context.lines.set(lineKey(line), { ...line, toldAt: new Date(context.now) })
}

/** Each card shows whom its incidents page next, to the minute. */
function showNextPages(
  { posts }: StepContext,
  channelId: string,
  nextPages: ReadonlyMap<string, NextPage>,
): void {
  for (const post of posts.values()) {
    const next = nextPages.get(post.id)
    if (post.channelId !== channelId || post.kind !== 'card') continue
    const movedMs = Math.abs((next?.at.getTime() ?? 0) - (post.nextPage?.at.getTime() ?? 0))
    if (movedMs >= MINUTE_MS || post.nextPage?.names !== next?.names)
      posts.set(post.id, { ...post, nextPage: next })
  }
}

/**
 * Says in the card's thread what is up again: at once what somebody is on, and that the checks can be seen; everything else once
 * nothing on the card is down.
 */
function replyUp(context: StepContext, card: Post): void {
  const { now, lines, incidents } = context
  const onCard = listOnCard(context, card)
  const isAllUp = onCard.every(({ incidentId }) => !incidents.get(incidentId)?.isDown)
  const up = onCard.filter((line) => {
    const incident = incidents.get(line.incidentId)
    if (!incident || !isOwed(context, card, line)) return false
    if (!isAllUp && !incident.onIt && !isBlindness(incident)) return false
    return isAfter(context, line.toldUpAt ? line.toldUpAt.getTime() + TELL_AGAIN_MS : now)
  })
  if (up.length === 0) return
  for (const line of up) lines.set(lineKey(line), { ...line, toldUpAt: new Date(now) })
  const incidentIds = up.map(({ incidentId }) => incidentId)
  addPost(context, { ...createPost(context, card.channelId, 'reply'), incidentIds, cardId: card.id })
}

const listOnCard = ({ lines }: StepContext, { id }: Post): Line[] =>
  [...lines.values()].filter(({ cardId }) => cardId === id)

/** Whether the channel was told that it's down, and hasn't been told yet that it's up again. */
function isOwed({ incidents, open }: StepContext, { attemptedAt }: Post, line: Line): boolean {
  const incident = incidents.get(line.incidentId)
  if (!incident || incident.isDown || incident.ending === 'unseen' || !attemptedAt || !line.toldAt)
    return false
  const isBackDown = open.some(({ id, check }) => id !== incident.id && check.uuid === incident.check.uuid)
  const rise = getRiseTime(incident)
  return !isAnswered(line) && !isBackDown && rise !== undefined && rise >= attemptedAt
}

export const formatResponders = (responders: readonly Responder[]): string =>
  responders.map(({ name }) => name).join(' ')

/** Gives every card whose content has changed a new version. It stays open until everything on it is over, and was said to be. */
function writeContents(context: StepContext, { channels }: ScopeState): void {
  const silencedIn = new Map(channels.map((channel) => [channel.channelId, channel.isSilenced]))
  for (const post of context.posts.values()) {
    if (post.kind !== 'card') continue
    const onCard = listOnCard(context, post)
    const listed = onCard.flatMap(({ incidentId }) => context.incidents.get(incidentId) ?? [])
    const isSilenced = silencedIn.get(post.channelId) ?? (() => false)
    const content = hashContent(post, listed, isSilenced, context.isUnseen)
    const isOver =
      listed.every(({ closedAt }) => closedAt !== undefined) &&
      !onCard.some((line) => isOwed(context, post, line))
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
