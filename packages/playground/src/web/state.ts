import type { Channel, Delivery, Message, OpenView, PlaygroundEvent, Snapshot } from '../protocol.ts'

export type Spot = { kind: 'channel'; id: string } | { kind: 'home' }

export interface Notice {
  id: number
  text: string
  /** The delivery that it is about. */
  cause: string | null
}

/** What the page shows: what the server said, and where the person is in it. */
export interface PageState {
  snapshot: Snapshot
  spot: Spot
  thread: { channel: string; ts: string } | null
  /** Person → channel → ts of the newest message they have seen. */
  seen: Record<string, Record<string, string>>
  notices: Notice[]
  /** What is to stand in the field of a channel, once. */
  draft: { channel: string; text: string } | null
  /** The inspector is open; a string is the delivery it is opened at. */
  inspecting: boolean | string
}

export type PageEvent =
  | { type: 'snapshot'; snapshot: Snapshot }
  | { type: 'server'; event: PlaygroundEvent }
  | { type: 'go'; spot: Spot }
  | { type: 'thread'; thread: PageState['thread'] }
  | { type: 'inspect'; at: boolean | string }
  | { type: 'draft'; draft: PageState['draft'] }
  | { type: 'notice'; text: string; cause: string | null }
  | { type: 'notice-read'; id: number }

const DELIVERIES = 500
const NOTICES = 4

function before(left: string, right: string): boolean {
  return left.length === right.length ? left < right : left.length < right.length
}

/** Puts a message in its place by ts, replacing the one that has it. */
function placed(list: readonly Message[], message: Message): Message[] {
  const rest = list.filter((one) => one.ts !== message.ts)
  const at = rest.findLastIndex((one) => before(one.ts, message.ts)) + 1
  return rest.toSpliced(at, 0, message)
}

function upsert<T extends { id: string }>(list: readonly T[], item: T): T[] {
  const at = list.findIndex((one) => one.id === item.id)
  return at < 0 ? [...list, item] : list.with(at, item)
}

function withChannel(snapshot: Snapshot, channel: Channel): Snapshot {
  return { ...snapshot, channels: upsert(snapshot.channels, channel) }
}

function withDelivery(snapshot: Snapshot, delivery: Delivery): Snapshot {
  return { ...snapshot, deliveries: upsert(snapshot.deliveries, delivery).slice(-DELIVERIES) }
}

function withMessages(snapshot: Snapshot, channel: string, list: Message[]): Snapshot {
  return { ...snapshot, messages: { ...snapshot.messages, [channel]: list } }
}

function applied(snapshot: Snapshot, event: PlaygroundEvent): Snapshot {
  switch (event.type) {
    case 'message':
    case 'message-changed': {
      const { channel } = event.message
      return withMessages(snapshot, channel, placed(snapshot.messages[channel] ?? [], event.message))
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
      return withChannel(snapshot, event.channel)
    case 'views':
      return { ...snapshot, views: event.views }
    case 'home':
      return { ...snapshot, home: event.view }
    case 'delivery':
      return withDelivery(snapshot, event.delivery)
    default:
      return snapshot
  }
}

function newest(list: readonly Message[] | undefined): string {
  return list?.at(-1)?.ts ?? '0'
}

/** Marks what is on the screen as seen; a person who looks for the first time has seen everything. */
function withSeen(state: PageState): PageState {
  const { snapshot, spot, seen } = state
  const known = seen[snapshot.me.id]
  const mine: Record<string, string> = known
    ? { ...known }
    : Object.fromEntries(snapshot.channels.map(({ id }) => [id, newest(snapshot.messages[id])]))
  if (spot.kind === 'channel') mine[spot.id] = newest(snapshot.messages[spot.id])
  return { ...state, seen: { ...seen, [snapshot.me.id]: mine } }
}

function withNotice(state: PageState, text: string, cause: string | null): PageState {
  const id = (state.notices.at(-1)?.id ?? 0) + 1
  return { ...state, notices: [...state.notices, { id, text, cause }].slice(-NOTICES) }
}

function entered(state: PageState | undefined, snapshot: Snapshot): PageState {
  const first = snapshot.channels[0]
  const fallback: Spot = first ? { kind: 'channel', id: first.id } : { kind: 'home' }
  const spot = state?.spot ?? fallback
  const visible = spot.kind === 'home' || snapshot.channels.some(({ id }) => id === spot.id)
  return {
    snapshot,
    spot: visible ? spot : fallback,
    thread: state?.snapshot.me.id === snapshot.me.id ? state.thread : null,
    seen: state?.seen ?? {},
    notices: state?.notices ?? [],
    draft: null,
    inspecting: state?.inspecting ?? false,
  }
}

function served(state: PageState, event: PlaygroundEvent): PageState {
  if (event.type === 'notice') return withNotice(state, event.text, event.cause)
  const next = { ...state, snapshot: applied(state.snapshot, event) }
  const gone = event.type === 'message-deleted' && state.thread?.ts === event.ts
  return gone ? { ...next, thread: null } : next
}

function changed(state: PageState, event: Exclude<PageEvent, { type: 'snapshot' }>): PageState {
  switch (event.type) {
    case 'server':
      return served(state, event.event)
    case 'go':
      return { ...state, spot: event.spot, thread: null }
    case 'thread':
      return { ...state, thread: event.thread }
    case 'inspect':
      return { ...state, inspecting: event.at }
    case 'draft':
      return { ...state, draft: event.draft }
    case 'notice':
      return withNotice(state, event.text, event.cause)
    case 'notice-read':
      return { ...state, notices: state.notices.filter(({ id }) => id !== event.id) }
  }
}

/** The whole page as a function of what happened; undefined until the first snapshot. */
export function reduce(state: PageState | undefined, event: PageEvent): PageState | undefined {
  if (event.type === 'snapshot') return withSeen(entered(state, event.snapshot))
  return state && withSeen(changed(state, event))
}

/** How many messages of others this person has not seen in a channel. */
export function unreadCount({ snapshot, seen }: PageState, channel: string): number {
  const last = seen[snapshot.me.id]?.[channel] ?? '0'
  const list = snapshot.messages[channel] ?? []
  return list.filter((message) => before(last, message.ts) && message.user !== snapshot.me.id).length
}

/** What the channel itself shows: everything but the replies in threads. */
export function topLevel(messages: readonly Message[]): Message[] {
  return messages.filter(({ threadTs, ts }) => threadTs === null || threadTs === ts)
}

export function inThread(messages: readonly Message[], ts: string): Message[] {
  return messages.filter((message) => message.ts === ts || message.threadTs === ts)
}

export function topView(views: readonly OpenView[]): OpenView | undefined {
  return views.at(-1)
}
