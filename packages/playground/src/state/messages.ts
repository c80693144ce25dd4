import { randomUUID } from 'node:crypto'
import { createTimestamps } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { toJson } from '../protocol/json.ts'
import type { Message } from '../protocol/protocol.ts'
import type { EventLog } from './event-log.ts'
import { APP_ID, appBotIn, type People } from './people.ts'
import type { StoredMessage } from './stored.ts'

/** A new message. Omitted fields get the defaults of a person's plain message. */
export type Draft = Pick<StoredMessage, 'channel' | 'user' | 'text' | 'app'> &
  Partial<Omit<StoredMessage, 'ts' | 'replyCount' | 'edited' | 'deleted' | 'editedAt' | 'clientId'>>

export type MessageChange = Partial<Omit<StoredMessage, 'channel' | 'ts' | 'user'>>
export type Messages = ReturnType<typeof createMessages>

/** Removes the fields that only the server needs. */
function publicMessage({
  readerId: _readerId,
  metadata: _metadata,
  editedAt: _editedAt,
  clientId: _clientId,
  subtypeDetails: _subtypeDetails,
  replies: _replies,
  parentUser: _parentUser,
  ...message
}: StoredMessage): Message {
  return message
}

/** The message's subtype and its fields. A message without a subtype gets `file_share` if a person shared files in it. */
function subtypeFields({ subtype, subtypeDetails, files, app }: StoredMessage): Fields {
  if (subtype) return { subtype, ...subtypeDetails }
  return files.length > 0 && !app ? { subtype: 'file_share', upload: false, display_as_bot: false } : {}
}

/** Slack lists only the first five people who replied. */
const MAX_REPLY_USERS = 5

/** The thread fields of a message. A parent's fields summarize its replies. */
function threadFields({ threadTs, parentUser, replies, replyCount, subtype }: StoredMessage): Fields {
  const summary = replies ?? (subtype === TOMBSTONE ? { users: [], latest: '0000000000.000000' } : undefined)
  return {
    ...(threadTs && { thread_ts: threadTs }),
    ...(parentUser && { parent_user_id: parentUser }),
    ...(summary && {
      reply_count: replyCount,
      reply_users_count: summary.users.length,
      latest_reply: summary.latest,
      reply_users: summary.users.slice(0, MAX_REPLY_USERS),
    }),
  }
}

/**
 * The subtype of a deleted message that has replies. It stays as the thread's root until its last reply is deleted
 * (recorded in slack-edge/slack-edge#10 and hackclub/toriel#238, November 2026).
 */
export const TOMBSTONE = 'tombstone'

/** Messages about joining and leaving can't have replies (https://docs.slack.dev/reference/methods/conversations.replies, November 2026). */
export const canHaveReplies = ({ subtype = '' }: Pick<StoredMessage, 'subtype'>): boolean =>
  !/^(?:channel|group)_(?:join|leave)$/.test(subtype)

/** Finds the thread that a message starts or belongs to, as `thread_ts` in a call. Returns Slack's error if it can't have replies. */
export function findThread(
  { find }: Pick<Messages, 'find'>,
  channel: string,
  ts: string,
): { threadTs: string } | { error: string } {
  if (!/^\d+\.\d{6}$/.test(ts)) return { error: 'invalid_thread_ts' }
  const parent = find(channel, ts)
  if (!parent || parent.ephemeral) return { error: 'thread_not_found' }
  if (!canHaveReplies(parent)) return { error: 'cannot_reply_to_message' }
  return { threadTs: parent.threadTs ?? ts }
}

/** The message as in the Web API and payloads. */
export function slackMessage(message: StoredMessage, teamId: string): Fields {
  const { blocks } = message
  const bot = message.app ? { bot_id: appBotIn(teamId).botId, app_id: APP_ID } : {}
  return toJson({
    type: 'message',
    ...subtypeFields(message),
    user: message.user,
    ts: message.ts,
    ...bot,
    text: message.text,
    ...(message.subtype !== TOMBSTONE && { team: teamId }),
    ...(message.clientId && { client_msg_id: message.clientId }),
    ...(blocks.length > 0 && { blocks }),
    ...(message.files.length > 0 && { files: message.files.map(({ id, name }) => ({ id, name })) }),
    ...threadFields(message),
    ...(message.editedAt && { edited: message.editedAt }),
    ...(message.metadata && { metadata: message.metadata }),
  })
}

/** A channel's messages by their ts, oldest first. */
type ChannelMessages = Map<string, StoredMessage>

/** Builds a message. If `repliedTo` is itself a reply, the new message joins the same thread. */
function buildMessage(
  { subtype, subtypeDetails = {}, ...draft }: Draft,
  ts: string,
  repliedTo?: StoredMessage,
): StoredMessage {
  return {
    mrkdwn: true,
    blocks: [],
    files: [],
    warning: null,
    cause: null,
    readerId: null,
    metadata: null,
    ...draft,
    ts,
    ...(subtype && { subtype, subtypeDetails }),
    ephemeral: Boolean(draft.readerId),
    threadTs: repliedTo?.threadTs ?? draft.threadTs ?? null,
    ...(repliedTo && { parentUser: repliedTo.parentUser ?? repliedTo.user }),
    replyCount: 0,
    edited: false,
    deleted: false,
    editedAt: null,
    clientId: draft.app || subtype ? null : randomUUID(),
  }
}

/** Calls watchers when the app's messages change, except ephemeral ones, and when a deleted root goes with its last reply. */
function createAppMessageWatchers() {
  const watchers = new Set<(change: AppMessageChange) => void>()
  return {
    notifyWatchers(kind: AppMessageChange['kind'], message: StoredMessage, before: StoredMessage): void {
      const isTombstoneGone = message.deleted && before.subtype === TOMBSTONE
      if (!(before.app || isTombstoneGone) || message.ephemeral) return
      for (const watcher of watchers) watcher({ kind, message, before })
    },
    /** Calls `watcher` after each new, changed, or deleted message of the app. */
    watchAppMessages: (watcher: (change: AppMessageChange) => void): void => void watchers.add(watcher),
  }
}

/** The messages of all channels. Each change is sent to everyone who can see the message. */
export function createMessages(log: EventLog, people: People, now: () => Date) {
  const byChannel = new Map<string, ChannelMessages>()
  const { notifyWatchers, watchAppMessages } = createAppMessageWatchers()
  const nextTs = createTimestamps(now)

  function messagesIn(channel: string): ChannelMessages {
    const messages = byChannel.get(channel) ?? new Map<string, StoredMessage>()
    byChannel.set(channel, messages)
    return messages
  }
  const list = (channel: string): StoredMessage[] => [...(byChannel.get(channel)?.values() ?? [])]
  const findReaders = (message: StoredMessage) =>
    message.readerId ? [message.readerId] : (people.channel(message.channel)?.members ?? [])
  const find = (channel: string, ts: string) => byChannel.get(channel)?.get(ts)

  function save(type: 'message' | 'message-changed', message: StoredMessage): void {
    log.append({ type, message: publicMessage(message) }, findReaders(message))
  }

  /** Saves a thread's parent, of which only the reply summary has changed. */
  function saveParent(parent: StoredMessage): void {
    log.append(
      { type: 'message-changed', message: publicMessage(parent), threadOnly: true },
      findReaders(parent),
    )
  }

  /** The replies to a thread's parent, oldest first. */
  const repliesTo = (parent: StoredMessage): StoredMessage[] =>
    list(parent.channel).filter(
      ({ threadTs, ts, ephemeral }) => threadTs === parent.ts && ts !== parent.ts && !ephemeral,
    )

  /** Updates a parent's reply count, repliers, and latest reply after the reply `added` was posted. Without `added`, one was deleted. */
  function updateReplySummary(parent: StoredMessage, added: StoredMessage | undefined): void {
    // After a deletion, rebuilds the summary from all replies.
    const replies = added ? [added] : repliesTo(parent)
    const usersBefore = added ? (parent.replies?.users ?? []) : []
    const users = [...new Set([...usersBefore, ...replies.map(({ user }) => user)])]
    const latest = replies.at(-1)?.ts
    parent.replyCount = added ? parent.replyCount + 1 : replies.length
    if (latest === undefined) delete parent.replies
    else parent.replies = { users, latest }
  }

  function updateParent({ channel, threadTs }: StoredMessage, added?: StoredMessage): void {
    if (threadTs === null) return
    const parent = find(channel, threadTs)
    if (!parent) return
    updateReplySummary(parent, added)
    parent.threadTs = threadTs
    if (parent.subtype === TOMBSTONE && parent.replyCount === 0) {
      forget(parent, { ...parent })
      return
    }
    saveParent(parent)
  }

  /** Leaves a tombstone in place of a deleted root. */
  function bury(root: StoredMessage): void {
    const before = { ...root }
    Object.assign(root, {
      subtype: TOMBSTONE,
      subtypeDetails: { hidden: true, is_locked: false, subscribed: false },
      user: 'USLACKBOT',
      parentUser: 'USLACKBOT',
      app: false,
      text: 'This message was deleted.',
      blocks: [],
      files: [],
      metadata: null,
      clientId: null,
      editedAt: null,
      edited: false,
    } satisfies Partial<StoredMessage>)
    save('message-changed', root)
    notifyWatchers('changed', root, before)
  }

  function forget(message: StoredMessage, before: StoredMessage): void {
    message.deleted = true
    const { channel, ts } = message
    byChannel.get(channel)?.delete(ts)
    log.append({ type: 'message-deleted', channel, ts }, findReaders(message))
    notifyWatchers('changed', message, before)
    const isReply = message.threadTs && message.threadTs !== ts && !message.ephemeral
    if (isReply) updateParent(message)
  }

  return {
    nextTs,
    /** Oldest first. */
    list,
    find,
    visibleTo: (user: string, channel: string): Message[] =>
      list(channel)
        .filter(({ readerId }) => readerId === null || readerId === user)
        .map(publicMessage),

    post(draft: Draft): StoredMessage {
      const message = buildMessage(draft, nextTs(), find(draft.channel, draft.threadTs ?? ''))
      messagesIn(draft.channel).set(message.ts, message)
      save('message', message)
      if (!message.ephemeral) updateParent(message, message)
      notifyWatchers('posted', message, message)
      return message
    },

    change(message: StoredMessage, change: MessageChange): void {
      const before = { ...message }
      Object.assign(message, change)
      if (change.edited) message.editedAt = { user: message.user, ts: `${nextTs().split('.')[0]}.000000` }
      save('message-changed', message)
      if (change.edited) notifyWatchers('changed', message, before)
    },

    /** Deletes a message. Of a thread's root, a tombstone stays. */
    remove: (message: StoredMessage): void =>
      message.replyCount > 0 ? bury(message) : forget(message, message),

    watchAppMessages,

    clear(): void {
      byChannel.clear()
    },
  }
}

/**
 * A message that the app has posted, changed, or deleted, but not an ephemeral one. `before` is the previous version, or for a new
 * message, the message itself.
 */
export interface AppMessageChange {
  /** Deleting a message counts as `changed`. */
  kind: 'posted' | 'changed'
  message: StoredMessage
  before: StoredMessage
}
