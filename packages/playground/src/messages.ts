import { randomUUID } from 'node:crypto'
import type { OwnChange } from './acts/own-posts.ts'
import type { EventLog } from './events.ts'
import { createTimestamps } from './ids.ts'
import type { RunToken } from './installs.ts'
import { fieldsOf, toJson } from './json.ts'
import { APP_ID, botOf, type People } from './people.ts'
import type { Fields, Message } from './protocol.ts'
import { reactionFields } from './reactions.ts'
import { richBlocks } from './rich-of-message.ts'
import type { Store } from './store.ts'

/** A message, with what only the server needs to know. */
export interface Stored extends Message {
  /** The only reader of an ephemeral message. */
  readerId: string | null
  metadata: Fields | null
  /** The ID that Slack's client gives a message that a person writes; null for the app's. */
  clientId: string | null
  /** The fields of its subtype: the new topic, who invited. */
  facts?: Fields
  /** The run of a step that it was posted in. */
  run?: RunToken
  /** On a thread's parent: who has replied, in order of their first reply, and the ts of the latest reply. */
  replies?: { users: string[]; latest: string }
  /** On a reply: who wrote the parent. */
  parentUser?: string
  /** When it was last edited, and by whom. */
  editedAt: { user: string; ts: string } | null
}

/** A new message; omitted fields are as in a person's plain message. */
export type Draft = Pick<Stored, 'channel' | 'user' | 'text' | 'app'> &
  Partial<Omit<Stored, 'ts' | 'replyCount' | 'edited' | 'deleted' | 'editedAt' | 'clientId' | 'run'>> & {
    run?: RunToken | undefined
  }

export type Change = Partial<Omit<Stored, 'channel' | 'ts' | 'user'>>
export type Messages = ReturnType<typeof createMessages>

/** What the page can know about a message. */
export function shown({
  readerId: _readerId,
  metadata,
  editedAt: _editedAt,
  clientId: _clientId,
  facts: _facts,
  run: _run,
  replies: _replies,
  parentUser: _parentUser,
  ...message
}: Stored): Message {
  const entities = fieldsOf(metadata?.entities)
  return { ...message, ...(entities.length > 0 && { entities }) }
}

/** What distinguishes it from plain text: what it says about the channel, its files, and the name it was posted under. */
function manner({ subtype, facts, files, app, as }: Stored): Fields {
  if (subtype) return { subtype, ...facts }
  return {
    ...(files.length > 0 && !app && { subtype: 'file_share', upload: false, display_as_bot: false }),
    ...(as?.name && { username: as.name }),
    ...((as?.emoji || as?.picture) && {
      icons: { ...(as.emoji && { emoji: as.emoji }), ...(as.picture && { image_48: as.picture }) },
    }),
  }
}

/** Slack names the first five people who replied. */
const REPLY_USERS_AT_MOST = 5

/** The thread that a message is in or has; a parent summarizes its replies. */
function threadFields({ threadTs, parentUser, replies, replyCount }: Stored): Fields {
  return {
    ...(threadTs && { thread_ts: threadTs }),
    ...(parentUser && { parent_user_id: parentUser }),
    ...(replies && {
      ...{ reply_count: replyCount, reply_users_count: replies.users.length, latest_reply: replies.latest },
      reply_users: replies.users.slice(0, REPLY_USERS_AT_MOST),
    }),
  }
}

/** The first message of a thread with an assistant (https://docs.slack.dev/reference/events/message/assistant_app_thread, November 2026). */
export const ASSISTANT = 'assistant_app_thread'

/** The message as in the Web API and payloads. */
export function slackMessage(message: Stored, teamId: string): Fields {
  const isTyped = !message.app && message.subtype === undefined
  const blocks = isTyped ? richBlocks(message) : message.blocks
  const bot = message.app ? { bot_id: botOf(teamId).botId, app_id: APP_ID } : {}
  return toJson({
    type: 'message',
    ...manner(message),
    ...(message.subtype !== 'bot_message' && { user: message.user }),
    ts: message.ts,
    ...bot,
    text: message.text,
    team: teamId,
    ...(message.clientId && { client_msg_id: message.clientId }),
    ...(blocks.length > 0 && { blocks }),
    ...(message.attachments?.length && { attachments: message.attachments }),
    ...(message.files.length > 0 && { files: message.files.map(({ id, name }) => ({ id, name })) }),
    ...threadFields(message),
    ...(message.editedAt && { edited: message.editedAt }),
    ...(message.reactions?.length && { reactions: reactionFields(message.reactions) }),
    ...(message.subtype === ASSISTANT && {
      assistant_app_thread: { title: message.text, title_blocks: [], artifacts: [] },
    }),
    ...(message.pinned && { pinned_to: [message.channel] }),
    ...(message.metadata && { metadata: message.metadata }),
  })
}

/** A channel's messages by their ts, oldest first. */
type Room = Map<string, Stored>

/** `on` is what it replies to: a reply to a reply is in the same thread. */
function made(
  { attachments = [], subtype, facts = {}, run, ...draft }: Draft,
  ts: string,
  on?: Stored,
): Stored {
  return {
    ...{ mrkdwn: true, blocks: [], files: [], warning: null, cause: null, readerId: null, metadata: null },
    ...draft,
    ts,
    ...(attachments.length > 0 && { attachments }),
    ...(subtype && { subtype, facts }),
    ...(run && { run }),
    ephemeral: Boolean(draft.readerId),
    threadTs: on?.threadTs ?? draft.threadTs ?? null,
    ...(on && { parentUser: on.parentUser ?? on.user }),
    ...{ replyCount: 0, edited: false, deleted: false, editedAt: null },
    clientId: draft.app || subtype ? null : randomUUID(),
  }
}

/** Who is told about the app's own permanent messages. */
function ownWatchers() {
  const watchers = new Set<(change: OwnChange) => void>()
  return {
    tellOwn(kind: OwnChange['kind'], message: Stored, before: Stored): void {
      if (!message.app || message.ephemeral) return
      for (const watcher of watchers) watcher({ kind, message, before })
    },
    /** Calls back after each change to one of them. */
    watchOwn: (watcher: (change: OwnChange) => void): void => void watchers.add(watcher),
  }
}

/** The messages of all channels. Each change is stored, and sent to those who can see it. */
export function createMessages(log: EventLog, people: People, store: Store, now: () => Date) {
  const rooms = new Map<string, Room>()
  const { tellOwn, watchOwn } = ownWatchers()
  const stored = store.messages()
  for (const message of stored) roomOf(message.channel).set(message.ts, message)
  const nextTs = createTimestamps(now, stored.at(-1)?.ts)

  function roomOf(channel: string): Room {
    const room = rooms.get(channel) ?? new Map<string, Stored>()
    rooms.set(channel, room)
    return room
  }
  const list = (channel: string): Stored[] => [...(rooms.get(channel)?.values() ?? [])]
  const readers = (message: Stored) =>
    message.readerId ? [message.readerId] : (people.channel(message.channel)?.members ?? [])
  const find = (channel: string, ts: string) => rooms.get(channel)?.get(ts)

  function keep(type: 'message' | 'message-changed', message: Stored): void {
    store.saveMessage(message)
    log.append({ type, message: shown(message) }, readers(message))
  }

  /** Saves a thread's parent whose text hasn't changed. */
  function keepParent(parent: Stored): void {
    store.saveMessage(parent)
    log.append({ type: 'message-changed', message: shown(parent), threadOnly: true }, readers(parent))
  }

  /** The replies to a thread's parent, oldest first. */
  const repliesTo = (parent: Stored): Stored[] =>
    list(parent.channel).filter(
      ({ threadTs, ts, ephemeral }) => threadTs === parent.ts && ts !== parent.ts && !ephemeral,
    )

  function summarize(parent: Stored, added: Stored | undefined): void {
    // The whole channel has to be searched only if a reply was deleted.
    const replies = added ? [added] : repliesTo(parent)
    const before = added ? (parent.replies?.users ?? []) : []
    const users = [...new Set([...before, ...replies.map(({ user }) => user)])]
    const latest = replies.at(-1)?.ts
    parent.replyCount = added ? parent.replyCount + 1 : replies.length
    if (latest === undefined) delete parent.replies
    else parent.replies = { users, latest }
  }

  function countReply({ channel, threadTs, app }: Stored, added?: Stored): void {
    if (threadTs === null) return
    const parent = find(channel, threadTs)
    if (!parent) return
    summarize(parent, added)
    parent.threadTs = threadTs
    // A message from the app ends its "is working" status.
    if (app && parent.assistant) parent.assistant = { ...parent.assistant, status: '' }
    keepParent(parent)
  }

  return {
    nextTs,
    /** Oldest first. */
    list,
    find,
    visibleTo: (user: string, channel: string): Message[] =>
      list(channel)
        .filter(({ readerId }) => readerId === null || readerId === user)
        .map(shown),

    post(draft: Draft): Stored {
      const message = made(draft, nextTs(), find(draft.channel, draft.threadTs ?? ''))
      roomOf(draft.channel).set(message.ts, message)
      keep('message', message)
      if (!message.ephemeral) countReply(message, message)
      tellOwn('posted', message, message)
      return message
    },

    change(message: Stored, change: Change): void {
      const before = { ...message }
      Object.assign(message, change)
      if (change.edited) message.editedAt = { user: message.user, ts: `${nextTs().split('.')[0]}.000000` }
      keep('message-changed', message)
      if (change.edited) tellOwn('changed', message, before)
    },

    /** What the app shows above a thread: its status, title, and prompts. */
    setAssistant(parent: Stored, said: Stored['assistant']): void {
      parent.assistant = { ...parent.assistant, ...said }
      if (parent.subtype === ASSISTANT) parent.text = said?.title ?? parent.text
      keepParent(parent)
    },

    remove(message: Stored): void {
      message.deleted = true
      const { channel, ts } = message
      rooms.get(channel)?.delete(ts)
      store.removeMessage(message)
      log.append({ type: 'message-deleted', channel, ts }, readers(message))
      const isReply = message.threadTs && message.threadTs !== ts && !message.ephemeral
      if (isReply) countReply(message)
      tellOwn('changed', message, message)
    },

    watchOwn,

    /** Deletes all of them; the store has its own way to. */
    clear(): void {
      rooms.clear()
    },
  }
}
