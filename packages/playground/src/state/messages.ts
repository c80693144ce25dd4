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
  Partial<Omit<StoredMessage, 'ts' | 'replyCount' | 'edited' | 'editedAt' | 'clientId'>>

type MessageChange = Partial<Omit<StoredMessage, 'channel' | 'ts' | 'user'>>
export type Messages = ReturnType<typeof createMessages>

/** Removes the fields that only the server needs. */
function publicMessage({
  readerId: _readerId,
  metadata: _metadata,
  editedAt: _editedAt,
  clientId: _clientId,
  ...message
}: StoredMessage): Message {
  return message
}

/** The message's subtype. A message without a subtype gets `file_share` if a person shared files in it. */
function subtypeFields({ subtype, files, app }: StoredMessage): Fields {
  if (subtype) return { subtype }
  return files.length > 0 && !app ? { subtype: 'file_share', upload: false, display_as_bot: false } : {}
}

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
    team: teamId,
    ...(message.clientId && { client_msg_id: message.clientId }),
    ...(blocks.length > 0 && { blocks }),
    ...(message.files.length > 0 && { files: message.files.map(({ id, name }) => ({ id, name })) }),
    ...(message.threadTs && { thread_ts: message.threadTs }),
    ...(message.editedAt && { edited: message.editedAt }),
    ...(message.metadata && { metadata: message.metadata }),
  })
}

/** A channel's messages by their ts, oldest first. */
type ChannelMessages = Map<string, StoredMessage>

/** Builds a message. If `repliedTo` is itself a reply, the new message joins the same thread. */
function buildMessage({ subtype, ...draft }: Draft, ts: string, repliedTo?: StoredMessage): StoredMessage {
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
    ...(subtype && { subtype }),
    ephemeral: Boolean(draft.readerId),
    threadTs: repliedTo?.threadTs ?? draft.threadTs ?? null,
    replyCount: 0,
    edited: false,
    editedAt: null,
    clientId: draft.app || subtype ? null : randomUUID(),
  }
}

/** The messages of all channels. Each change is sent to everyone who can see the message. */
export function createMessages(log: EventLog, people: People, now: () => Date) {
  const byChannel = new Map<string, ChannelMessages>()
  const watchers = new Set<(change: AppMessageChange) => void>()
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

  function countReply({ channel, threadTs }: StoredMessage): void {
    const parent = threadTs === null ? undefined : find(channel, threadTs)
    if (!parent) return
    parent.replyCount += 1
    parent.threadTs = threadTs
    saveParent(parent)
  }

  /** Calls watchers after each new or changed message of the app, except ephemeral ones. */
  function notifyWatchers(
    kind: AppMessageChange['kind'],
    message: StoredMessage,
    before: StoredMessage,
  ): void {
    if (!message.app || message.ephemeral) return
    for (const watcher of watchers) watcher({ kind, message, before })
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
      if (!message.ephemeral) countReply(message)
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

    /** Removes a message that the app deleted, or an ephemeral one that its reader dismissed. */
    remove(message: StoredMessage): void {
      const { channel, ts } = message
      byChannel.get(channel)?.delete(ts)
      log.append({ type: 'message-deleted', channel, ts }, findReaders(message))
    },

    watchAppMessages: (watcher: (change: AppMessageChange) => void): void => void watchers.add(watcher),

    clear(): void {
      byChannel.clear()
    },
  }
}

/**
 * A message that the app has posted or changed, but not an ephemeral one. `before` is the previous version, or for a new
 * message, the message itself.
 */
interface AppMessageChange {
  kind: 'posted' | 'changed'
  message: StoredMessage
  before: StoredMessage
}
