import type { Message, PlaygroundEvent, Post, Snapshot } from '../protocol.ts'

export type Spot = { kind: 'channel'; id: string } | { kind: 'home' }

/** What is next to the conversation; the inspector can be opened at one delivery. */
export type Panel =
  | { kind: 'steps' | 'tools' }
  | { kind: 'host'; name: string }
  | { kind: 'inspector'; at: string | null }
  | { kind: 'entity'; at: Omit<Post<'entity'>, 'user'> }

export interface Notice {
  id: number
  text: string
  /** The delivery that it shows. */
  cause: string | null
}

/** What the page shows: what the server sent, and where the person is. */
export interface PageState {
  snapshot: Snapshot
  spot: Spot
  thread: { channel: string; ts: string } | null
  /** Person → channel → ts of the newest message they have seen. */
  seen: Record<string, Record<string, string>>
  notices: Notice[]
  /** Text to put into the field of a channel, once. */
  draft: { channel: string; text: string } | null
  panel: Panel | null
  /** By channel: the ts from which on all of its messages are loaded; older ones belong to threads that were opened. */
  whole: Record<string, string>
}

/** Where a person was in this tab, so that a reload doesn't move them. */
export type Memory = Pick<PageState, 'spot' | 'thread' | 'panel'> & { user: string }

export type PageEvent =
  /** With what the browser remembers, and whether a panel can be open immediately: both apply only to the first snapshot. */
  | { type: 'snapshot'; snapshot: Snapshot; memory?: Memory | undefined; isNew?: boolean }
  /** Several events that the server sent at once, in order. */
  | { type: 'server'; events: readonly PlaygroundEvent[] }
  | { type: 'go'; spot: Spot }
  | { type: 'thread'; thread: PageState['thread'] }
  /** Goes to a message by its URL. */
  | { type: 'follow'; channel: string; ts: string }
  | { type: 'panel'; panel: Panel | null }
  | { type: 'history'; channel: string; messages: readonly Message[]; more: boolean }
  | { type: 'thread-history'; channel: string; messages: readonly Message[] }
  | { type: 'draft'; draft: PageState['draft'] }
  | { type: 'recording'; isOn: boolean }
  | { type: 'notice'; text: string; cause: string | null }
  | { type: 'notice-read'; id: number }

/** The message that a `chat.getPermalink` URL leads to, if it belongs to this playground. */
export function messageAt(url: string, own: string): { channel: string; ts: string } | undefined {
  const { origin, pathname = '' } = URL.parse(url) ?? {}
  const [, channel = '', seconds, micros] = /^\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})$/.exec(pathname) ?? []
  return seconds === undefined || origin !== own ? undefined : { channel, ts: `${seconds}.${micros}` }
}

const DELIVERIES = 500
const NOTICES = 4

function isBefore(left: string, right: string): boolean {
  return left.length === right.length ? left < right : left.length < right.length
}

/** Inserts a message by its ts, replacing the one with the same ts. */
function placed(list: readonly Message[], message: Message): Message[] {
  const last = list.at(-1)
  if (!last || isBefore(last.ts, message.ts)) return [...list, message]
  const rest = list.filter((one) => one.ts !== message.ts)
  const at = rest.findLastIndex((one) => isBefore(one.ts, message.ts)) + 1
  return rest.toSpliced(at, 0, message)
}

function upsert<T extends { id: string }>(list: readonly T[], item: T): T[] {
  const at = list.findIndex((one) => one.id === item.id)
  return at < 0 ? [...list, item] : list.with(at, item)
}

function withMessages(snapshot: Snapshot, channel: string, list: Message[]): Snapshot {
  return { ...snapshot, messages: { ...snapshot.messages, [channel]: list } }
}

/** Merges messages with those from another answer, by ts, without duplicates. The existing ones are newer. */
function merged(list: readonly Message[], more: readonly Message[]): Message[] {
  const known = new Set(list.map(({ ts }) => ts))
  const all = [...more.filter(({ ts }) => !known.has(ts)), ...list]
  return all.sort((left, right) => (left.ts === right.ts ? 0 : isBefore(left.ts, right.ts) ? -1 : 1))
}

function applied({ snapshot, whole }: PageState, event: PlaygroundEvent): Snapshot {
  switch (event.type) {
    case 'message':
    case 'message-changed': {
      const { channel, ts } = event.message
      const list = snapshot.messages[channel] ?? []
      const isOlder = isBefore(ts, whole[channel] ?? '0') && !list.some((one) => one.ts === ts)
      return isOlder ? snapshot : withMessages(snapshot, channel, placed(list, event.message))
    }
    case 'message-deleted': {
      const list = snapshot.messages[event.channel] ?? []
      return withMessages(
        snapshot,
        event.channel,
        list.filter((one) => one.ts !== event.ts),
      )
    }
    case 'channel':
      return { ...snapshot, channels: upsert(snapshot.channels, event.channel) }
    case 'views':
      return { ...snapshot, views: event.views }
    case 'home':
      return { ...snapshot, home: event.view }
    case 'step':
      return { ...snapshot, steps: upsert(snapshot.steps ?? [], event.run) }
    case 'pane':
      return { ...snapshot, pane: event.pane }
    case 'previews':
      return { ...snapshot, previews: event.previews }
    case 'delivery':
      return { ...snapshot, deliveries: upsert(snapshot.deliveries, event.delivery).slice(-DELIVERIES) }
    default:
      return snapshot
  }
}

function newest(list: readonly Message[] | undefined): string {
  return list?.at(-1)?.ts ?? '0'
}

/** Marks what is on the screen as read; for a new person, everything is read. */
function withSeen(state: PageState): PageState {
  const { snapshot, spot, seen } = state
  const known = seen[snapshot.me.id]
  const mine: Record<string, string> = known
    ? { ...known }
    : Object.fromEntries(snapshot.channels.map(({ id }) => [id, newest(snapshot.messages[id])]))
  if (spot.kind === 'channel') mine[spot.id] = newest(snapshot.messages[spot.id])
  if (known && Object.keys(mine).every((id) => mine[id] === known[id])) return state
  return { ...state, seen: { ...seen, [snapshot.me.id]: mine } }
}

function withNotice(state: PageState, text: string, cause: string | null): PageState {
  const id = (state.notices.at(-1)?.id ?? 0) + 1
  return { ...state, notices: [...state.notices, { id, text, cause }].slice(-NOTICES) }
}

function entered(
  state: PageState | undefined,
  { snapshot, memory, isNew = false }: Extract<PageEvent, { type: 'snapshot' }>,
): PageState {
  const host = snapshot.panels?.find(({ firstAt }) => firstAt !== undefined)
  const panel: Panel | null = host && isNew ? { kind: 'host', name: host.name } : null
  const begin = snapshot.channels.find(({ id }) => id === host?.firstAt)
  const first = begin ?? snapshot.channels[0]
  const fallback: Spot = first ? { kind: 'channel', id: first.id } : { kind: 'home' }
  const isViewing = (id: string) => snapshot.channels.some((channel) => channel.id === id)
  const before = state ?? {
    ...(memory ?? { spot: fallback, thread: null, panel }),
    ...{ seen: {}, notices: [] },
  }
  const { spot, thread } = before
  const wasHere = (state?.snapshot.me.id ?? memory?.user) === snapshot.me.id
  const whole = (snapshot.truncated ?? []).map((id) => [id, snapshot.messages[id]?.[0]?.ts ?? '0'])
  const next: PageState = {
    snapshot,
    spot: spot.kind === 'home' || isViewing(spot.id) ? spot : fallback,
    thread: wasHere && thread && isViewing(thread.channel) ? thread : null,
    seen: before.seen,
    notices: before.notices,
    draft: null,
    panel: before.panel,
    whole: Object.fromEntries(whole),
  }
  const { remark } = snapshot
  const isUnread = remark && !next.notices.some(({ text }) => text === remark)
  return isUnread ? withNotice(next, remark, null) : next
}

function served(state: PageState, event: PlaygroundEvent): PageState {
  if (event.type === 'notice') return withNotice(state, event.text, event.cause)
  if (event.type === 'remark') return withNotice(state, event.text, null)
  const snapshot = applied(state, event)
  const next = snapshot === state.snapshot ? state : { ...state, snapshot }
  if (event.type === 'message-deleted' && state.thread?.ts === event.ts) return { ...next, thread: null }
  return next
}

function withHistory(state: PageState, channel: string, messages: readonly Message[]): PageState {
  const list = merged(state.snapshot.messages[channel] ?? [], messages)
  return { ...state, snapshot: withMessages(state.snapshot, channel, list) }
}

function changed(state: PageState, event: Exclude<PageEvent, { type: 'snapshot' }>): PageState {
  switch (event.type) {
    case 'server':
      return event.events.reduce(served, state)
    case 'go':
      return { ...state, spot: event.spot, thread: null }
    case 'thread':
      return { ...state, thread: event.thread }
    case 'follow': {
      const { channel, ts } = event
      if (!state.snapshot.channels.some(({ id }) => id === channel))
        return withNotice(state, 'That message is in a channel that you do not see.', null)
      return { ...state, spot: { kind: 'channel', id: channel }, thread: { channel, ts } }
    }
    case 'panel':
      return { ...state, panel: event.panel }
    case 'history': {
      const from = event.more ? (event.messages[0]?.ts ?? '0') : '0'
      const next = withHistory(state, event.channel, event.messages)
      return { ...next, whole: { ...state.whole, [event.channel]: from } }
    }
    case 'thread-history':
      return withHistory(state, event.channel, event.messages)
    case 'draft':
      return { ...state, draft: event.draft }
    case 'recording':
      return { ...state, snapshot: { ...state.snapshot, recording: event.isOn } }
    case 'notice':
      return withNotice(state, event.text, event.cause)
    case 'notice-read':
      return { ...state, notices: state.notices.filter(({ id }) => id !== event.id) }
  }
}

/** The whole page as a function of what happened; undefined until the first snapshot. */
export function reduce(state: PageState | undefined, event: PageEvent): PageState | undefined {
  if (event.type === 'snapshot') return withSeen(entered(state, event))
  if (!state) return undefined
  const next = changed(state, event)
  return next === state ? state : withSeen(next)
}

/** How many messages of others this person hasn't seen in a channel. */
export function unreadCount({ snapshot, seen }: PageState, channel: string): number {
  const last = seen[snapshot.me.id]?.[channel] ?? '0'
  const list = snapshot.messages[channel] ?? []
  return list.filter((message) => isBefore(last, message.ts) && message.user !== snapshot.me.id).length
}

/** What the channel itself shows: everything except replies in threads, starting where all of it is loaded. */
export function topLevel(messages: readonly Message[], from = '0'): Message[] {
  return messages.filter(({ threadTs, ts }) => (threadTs === null || threadTs === ts) && !isBefore(ts, from))
}

export function inThread(messages: readonly Message[], ts: string): Message[] {
  return messages.filter((message) => message.ts === ts || message.threadTs === ts)
}
