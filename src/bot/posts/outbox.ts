import { DONE, type WorkEnd } from '@signalman/durable'
import type { Message, PostedMessage } from '@signalman/slack'
import { type Lease, listPending, type PostDeps, type UnwrittenMessage } from './post-once.ts'
import { findMessage, type MessageOutcome, postOrEdit } from './post-or-edit.ts'
import type { Place, PostTarget } from './poster.ts'

/** A message about something that was posted, and for which version of it. */
export interface ShownMessage extends PostedMessage {
  /** Says which message it is, so that nobody gets it twice. */
  readonly key: string
  readonly version: number
  /** The version that it shows, if it was edited since. */
  readonly editedTo?: number
}

/** What the messages are about, with those that were posted. */
interface Subject {
  /** Begins the name of each post, such as `order 4f…`. */
  readonly name: string
  readonly target: Omit<PostTarget, 'channelId'>
  readonly version: number
  readonly shown: readonly ShownMessage[]
  /** What messages that others read by now say, if that only takes away from what they have read. */
  readonly forOthers?: Message | undefined
  /** Stores the messages as they are now. Throws LeaseLost. */
  store(shown: readonly ShownMessage[]): Promise<unknown>
}

interface OutboxMessage extends Place {
  readonly key: string
  /** The version that it shows; the subject's by default. */
  readonly version?: number
  /** Whether it's edited to show later versions. Otherwise, those are further messages. */
  readonly isEdited?: true
  /** Whether it's edited even if it shows this version, because it also shows something else. */
  readonly isStale?: boolean
  readonly content: Message
}

/**
 * The message as it is now, or why it isn't there: `later`, it's sent when the work runs again; `gone`, the first message of its thread
 * was deleted; `closed`, nothing can be posted there; `refused`, Slack doesn't accept it.
 */
export type ShowResult = ShownMessage | 'later' | 'gone' | 'closed' | 'refused'

export type Outbox = ReturnType<typeof openOutbox>

/** The messages about one thing. Each is stored before the next is sent, so that a retry sends only the missing ones. */
export function openOutbox(
  posting: PostDeps,
  leased: Lease,
  { name, target, version: current, forOthers, ...subject }: Subject,
) {
  const retries: WorkEnd[] = []
  let shown: ReadonlyMap<string, ShownMessage> = new Map(subject.shown.map((each) => [each.key, each]))

  async function store(changed: typeof shown): Promise<void> {
    await subject.store([...changed.values()])
    shown = changed
  }

  const put = (message: ShownMessage): Promise<void> => store(new Map(shown).set(message.key, message))

  function forget(key: string): Promise<void> {
    const remaining = new Map(shown)
    remaining.delete(key)
    return store(remaining)
  }

  function toPost(message: Omit<OutboxMessage, 'content'>): UnwrittenMessage {
    const { key, to, channelId = '', threadTs, isEdited, version = current } = message
    const existing = isEdited && shown.get(key)
    return {
      key: `${name} ${key}`,
      target: { ...target, channelId: existing?.channelId ?? channelId, threadTs },
      to,
      existing,
      version,
      record: ({ channelId, ts }, version) => put({ key, channelId, ts, version }),
      ...(isEdited && {
        onEdited: async () => {
          const edited = shown.get(key)
          if (edited) await put({ ...edited, editedTo: version })
        },
      }),
    }
  }

  function classify(outcome: MessageOutcome): Exclude<ShowResult, object> | 'shown' {
    if (outcome.kind === 'shown' || outcome.kind === 'gone') return outcome.kind
    if (outcome.kind === 'pending' || outcome.kind === 'later') {
      retries.push(outcome.end)
      return 'later'
    }
    const { reason, error: err } = outcome
    posting.log.warn(
      { workspace: target.workspaceId, about: name, reason, err },
      'Slack doesn’t accept a message.',
    )
    return outcome.kind === 'closed' ? 'closed' : 'refused'
  }

  return {
    forget,
    put,

    /** Posts the message, or edits it, unless it shows this version already. */
    async show(message: OutboxMessage): Promise<ShowResult> {
      const { key, isEdited, isStale, version = current } = message
      for (;;) {
        const before = shown.get(key)
        if (before && !isStale && (before.editedTo ?? before.version) >= version) return before
        const result = classify(
          await postOrEdit(posting, leased, { ...toPost(message), content: message.content, forOthers }),
        )
        if (result === 'shown') return shown.get(key) ?? 'later'
        // Somebody deleted it, so it's posted again.
        if (result !== 'gone' || !before || !isEdited) return result
        await forget(key)
      }
    },

    /**
     * The keys of the messages that were posted, for which there is a place. Looks first for those whose posting was never confirmed.
     */
    async listKeys(findPlace: (key: string) => Place | undefined): Promise<string[]> {
      for (const pending of await listPending(posting, leased)) {
        const key = pending.slice(name.length + 1)
        const place = findPlace(key)
        const found = place && (await findMessage(posting, leased, toPost({ key, ...place, isEdited: true })))
        if (found) classify(found)
      }
      return [...shown.keys()].filter((key) => findPlace(key) !== undefined)
    },

    /** The work's result: done, or retry until Slack has accepted or refused every message. */
    finish: (): WorkEnd => retries[0] ?? DONE,
  }
}
