import type { EventLog } from './events.ts'
import { createTimestamps } from './ids.ts'
import { toJson } from './json.ts'
import { APP_ID, botOf, type People } from './people.ts'
import type { Block, Fields, FileInfo, Message } from './protocol.ts'

const KEPT_PER_CHANNEL = 1000

/** A message, with what only the server needs to know of it. */
export interface Stored extends Message {
  /** The one reader of an ephemeral message. */
  readerId: string | null
  metadata: Fields | null
}

export interface Draft {
  channel: string
  user: string
  text: string
  app: boolean
  mrkdwn?: boolean
  blocks?: Block[]
  attachments?: Fields[]
  files?: FileInfo[]
  threadTs?: string | null
  readerId?: string | null
  cause?: string | null
  metadata?: Fields | null
}

export type Change = Partial<
  Pick<Stored, 'text' | 'blocks' | 'attachments' | 'edited' | 'warning' | 'metadata' | 'cause' | 'mrkdwn'>
>
export type Messages = ReturnType<typeof createMessages>

/** What the page may know of a message. */
export function shown({ readerId: _, metadata: __, ...message }: Stored): Message {
  return message
}

/** The message as the Web API and the payloads write it. */
export function slackMessage(message: Stored, teamId: string): Fields {
  const bot = message.app ? { bot_id: botOf(teamId).botId, app_id: APP_ID } : {}
  return toJson({
    type: 'message',
    ...(message.files.length > 0 && !message.app && { subtype: 'file_share' }),
    user: message.user,
    ts: message.ts,
    ...bot,
    text: message.text,
    team: teamId,
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
    ...(message.attachments && { attachments: message.attachments }),
    ...(message.files.length > 0 && { files: message.files.map(({ id, name }) => ({ id, name })) }),
    ...(message.threadTs && { thread_ts: message.threadTs }),
    ...(message.replyCount > 0 && { reply_count: message.replyCount }),
    ...(message.edited && { edited: { user: message.user, ts: message.ts } }),
    ...(message.metadata && { metadata: message.metadata }),
  })
}

/** The messages of all channels, in memory; each change is told to those who may see it. */
export function createMessages(log: EventLog, people: People, now: () => Date) {
  const byChannel = new Map<string, Stored[]>()
  const nextTs = createTimestamps(now)
  const list = (channel: string) => byChannel.get(channel) ?? []
  const readers = (message: Stored) =>
    message.readerId ? [message.readerId] : (people.channel(message.channel)?.members ?? [])
  const find = (channel: string, ts: string) => list(channel).find((one) => one.ts === ts && !one.deleted)

  function tell(type: 'message' | 'message-changed', message: Stored): void {
    log.append({ type, message: shown(message) }, readers(message))
  }

  function countReply(channel: string, threadTs: string): void {
    const parent = find(channel, threadTs)
    if (!parent) return
    parent.replyCount = list(channel).filter((one) => one.threadTs === threadTs && one.ts !== threadTs).length
    parent.threadTs = threadTs
    tell('message-changed', parent)
  }

  return {
    nextTs,
    list,
    find,
    visibleTo: (user: string, channel: string): Message[] =>
      list(channel)
        .filter(({ readerId, deleted }) => !deleted && (readerId === null || readerId === user))
        .map(shown),

    post(draft: Draft): Stored {
      const message: Stored = {
        channel: draft.channel,
        ts: nextTs(),
        user: draft.user,
        app: draft.app,
        text: draft.text,
        mrkdwn: draft.mrkdwn ?? true,
        blocks: draft.blocks ?? [],
        ...(draft.attachments && draft.attachments.length > 0 && { attachments: draft.attachments }),
        files: draft.files ?? [],
        ephemeral: Boolean(draft.readerId),
        threadTs: draft.threadTs ?? null,
        replyCount: 0,
        edited: false,
        deleted: false,
        warning: null,
        cause: draft.cause ?? null,
        readerId: draft.readerId ?? null,
        metadata: draft.metadata ?? null,
      }
      const messages = list(draft.channel)
      messages.push(message)
      if (messages.length > KEPT_PER_CHANNEL) messages.shift()
      byChannel.set(draft.channel, messages)
      tell('message', message)
      if (message.threadTs && !message.ephemeral) countReply(message.channel, message.threadTs)
      return message
    },

    change(message: Stored, change: Change): void {
      Object.assign(message, change)
      tell('message-changed', message)
    },

    remove(message: Stored): void {
      message.deleted = true
      const { channel, ts } = message
      byChannel.set(
        channel,
        list(channel).filter((one) => one !== message),
      )
      log.append({ type: 'message-deleted', channel, ts }, readers(message))
      if (message.threadTs && message.threadTs !== ts) countReply(channel, message.threadTs)
    },
  }
}
