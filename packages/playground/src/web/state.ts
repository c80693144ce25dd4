import type { Message, PlaygroundEvent, Snapshot } from '../protocol/protocol.ts'

/** The content of the page's main area: a channel, or App Home. */
export type Route = { kind: 'channel'; id: string } | { kind: 'home' }

export interface Notice {
  id: number
  text: string
  /** Says why a typed text can't be sent. Gone with the next text that is sent. */
  isUnsent: boolean
}

/** The page's state: the server's data, and what the person has opened. */
export interface PageState {
  snapshot: Snapshot
  route: Route
  thread: { channel: string; ts: string } | null
  /** The ts of the newest message that a person has seen, by person and channel. */
  lastSeen: Record<string, Record<string, string>>
  notices: Notice[]
  /** Text that the page inserts into a channel's message field and then removes from the state. */
  draft: { channel: string; text: string } | null
  /** The name of the host's panel that is open. */
  panel: string | null
}

/** The open channel, thread, and panel of this tab, restored after a reload. */
export type TabState = Pick<PageState, 'route' | 'thread' | 'panel'> & { user: string }

export type PageEvent =
  /** `savedTab` and `opensHostPanel` apply only to the first snapshot. */
  | { type: 'snapshot'; snapshot: Snapshot; savedTab?: TabState | undefined; opensHostPanel?: boolean }
  /** Events from the server, oldest first. */
  | { type: 'server'; events: readonly PlaygroundEvent[] }
  | { type: 'navigate'; route: Route }
  | { type: 'thread'; thread: PageState['thread'] }
  | { type: 'panel'; panel: string | null }
  | { type: 'draft'; draft: PageState['draft'] }
  | { type: 'notice'; text: string }
  | { type: 'dismiss-notice'; id: number }
  | { type: 'unsent'; text: string }
  | { type: 'sending' }

const MAX_NOTICES = 4

/** Compares two ts values numerically. They have 6 decimals, so the longer one is larger. */
function isBefore(left: string, right: string): boolean {
  return left.length === right.length ? left < right : left.length < right.length
}

/** Inserts a message into a list sorted by ts. Replaces the message with the same ts. */
function insertMessage(list: readonly Message[], message: Message): Message[] {
  const last = list.at(-1)
  if (!last || isBefore(last.ts, message.ts)) return [...list, message]
  const otherMessages = list.filter((existing) => existing.ts !== message.ts)
  const index = otherMessages.findLastIndex((existing) => isBefore(existing.ts, message.ts)) + 1
  return otherMessages.toSpliced(index, 0, message)
}

function upsert<T extends { id: string }>(list: readonly T[], item: T): T[] {
  const index = list.findIndex((existing) => existing.id === item.id)
  return index < 0 ? [...list, item] : list.with(index, item)
}

function withMessages(snapshot: Snapshot, channel: string, list: Message[]): Snapshot {
  return { ...snapshot, messages: { ...snapshot.messages, [channel]: list } }
}

function applyToSnapshot({ snapshot }: PageState, event: PlaygroundEvent): Snapshot {
  switch (event.type) {
    case 'message':
    case 'message-changed': {
      const { channel } = event.message
      return withMessages(snapshot, channel, insertMessage(snapshot.messages[channel] ?? [], event.message))
    }
    case 'message-deleted': {
      const list = snapshot.messages[event.channel] ?? []
      return withMessages(
        snapshot,
        event.channel,
        list.filter((message) => message.ts !== event.ts),
      )
    }
    case 'channel':
      return { ...snapshot, channels: upsert(snapshot.channels, event.channel) }
    case 'views':
      return { ...snapshot, views: event.views }
    case 'home':
      return { ...snapshot, home: event.view }
    default:
      return snapshot
  }
}

function newestTs(list: readonly Message[] | undefined): string {
  return list?.at(-1)?.ts ?? '0'
}

/** Marks the open channel as read. The first time that the page shows this person, marks all channels as read. */
function markSeen(state: PageState): PageState {
  const { snapshot, route, lastSeen } = state
  const previouslySeen = lastSeen[snapshot.me.id]
  const seen: Record<string, string> = previouslySeen
    ? { ...previouslySeen }
    : Object.fromEntries(snapshot.channels.map(({ id }) => [id, newestTs(snapshot.messages[id])]))
  if (route.kind === 'channel') seen[route.id] = newestTs(snapshot.messages[route.id])
  if (previouslySeen && Object.keys(seen).every((id) => seen[id] === previouslySeen[id])) return state
  return { ...state, lastSeen: { ...lastSeen, [snapshot.me.id]: seen } }
}

function addNotice(state: PageState, text: string, isUnsent = false): PageState {
  const id = (state.notices.at(-1)?.id ?? 0) + 1
  return { ...state, notices: [...state.notices, { id, text, isUnsent }].slice(-MAX_NOTICES) }
}

function applySnapshot(
  state: PageState | undefined,
  { snapshot, savedTab, opensHostPanel = false }: Extract<PageEvent, { type: 'snapshot' }>,
): PageState {
  const firstVisitPanel = snapshot.panels?.find(({ firstVisitChannel }) => firstVisitChannel !== undefined)
  const panel = opensHostPanel ? (firstVisitPanel?.name ?? null) : null
  const preferredChannel = snapshot.channels.find(({ id }) => id === firstVisitPanel?.firstVisitChannel)
  const firstChannel = preferredChannel ?? snapshot.channels[0]
  const defaultRoute: Route = firstChannel ? { kind: 'channel', id: firstChannel.id } : { kind: 'home' }
  const canSee = (id: string) => snapshot.channels.some((channel) => channel.id === id)
  const previous = state ?? {
    ...(savedTab ?? { route: defaultRoute, thread: null, panel }),
    lastSeen: {},
    notices: [],
  }
  const { route, thread } = previous
  const isSamePerson = (state?.snapshot.me.id ?? savedTab?.user) === snapshot.me.id
  return {
    snapshot,
    route: route.kind === 'home' || canSee(route.id) ? route : defaultRoute,
    thread: isSamePerson && thread && canSee(thread.channel) ? thread : null,
    lastSeen: previous.lastSeen,
    notices: previous.notices,
    draft: null,
    panel: previous.panel,
  }
}

function applyServerEvent(state: PageState, event: PlaygroundEvent): PageState {
  if (event.type === 'notice') return addNotice(state, event.text)
  const snapshot = applyToSnapshot(state, event)
  const next = snapshot === state.snapshot ? state : { ...state, snapshot }
  if (event.type === 'message-deleted' && state.thread?.ts === event.ts) return { ...next, thread: null }
  return next
}

function applyPageEvent(state: PageState, event: Exclude<PageEvent, { type: 'snapshot' }>): PageState {
  switch (event.type) {
    case 'server':
      return event.events.reduce(applyServerEvent, state)
    case 'navigate':
      return { ...state, route: event.route, thread: null }
    case 'thread':
      return { ...state, thread: event.thread }
    case 'panel':
      return { ...state, panel: event.panel }
    case 'draft':
      return { ...state, draft: event.draft }
    case 'notice':
      return addNotice(state, event.text)
    case 'unsent':
      return addNotice(state, event.text, true)
    case 'sending':
      return { ...state, notices: state.notices.filter(({ isUnsent }) => !isUnsent) }
    case 'dismiss-notice':
      return { ...state, notices: state.notices.filter(({ id }) => id !== event.id) }
  }
}

/** The page's reducer. The state is undefined until the first snapshot. */
export function pageReducer(state: PageState | undefined, event: PageEvent): PageState | undefined {
  if (event.type === 'snapshot') return markSeen(applySnapshot(state, event))
  if (!state) return undefined
  const next = applyPageEvent(state, event)
  return next === state ? state : markSeen(next)
}

/** How many messages in a channel the person hasn't seen, not counting their own. */
export function unreadCount({ snapshot, lastSeen }: PageState, channel: string): number {
  const last = lastSeen[snapshot.me.id]?.[channel] ?? '0'
  const list = snapshot.messages[channel] ?? []
  return list.filter((message) => isBefore(last, message.ts) && message.user !== snapshot.me.id).length
}

/** The messages to show in a channel: without thread replies. */
export function channelMessages(messages: readonly Message[]): Message[] {
  return messages.filter(({ threadTs, ts }) => threadTs === null || threadTs === ts)
}

export function threadMessages(messages: readonly Message[], ts: string): Message[] {
  return messages.filter((message) => message.ts === ts || message.threadTs === ts)
}
