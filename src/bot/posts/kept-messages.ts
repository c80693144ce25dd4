import {
  DONE,
  type HeldWork,
  LeaseLost,
  type RecordedSteps,
  repeatAfter,
  type WorkEnd,
} from '@signalman/durable'
import {
  type ChannelRefusal,
  type Message,
  message as messageOf,
  type Posted,
  type PostOptions,
  section,
  slackAnswer,
} from '@signalman/slack'
import type { Unsure } from './find-lost-post.ts'
import type { LostPosts, PostToFind } from './lost-posts.ts'
import { type MayPost, sendAgain, UNINSTALLED_MS, untilKnown } from './may-post.ts'
import type { PostOnce } from './post-once.ts'
import { type Poster, type PostPlace, standstillGuard } from './poster.ts'

/** A posted message that must show the current state of its subject. */
interface EditedMessage {
  readonly place: PostPlace & { readonly threadTs?: string | undefined }
  /** The person whose DM it is in; absent for messages in the place's channel. */
  readonly to?: string | undefined
  readonly at: Posted
  readonly drawn: Message
  /** True to try a channel that closed itself to the app: Slack's error says why it is closed. */
  readonly isTriedWhereClosed?: boolean | undefined
  /** Stores that it was edited. Absent for messages that are never edited, such as lines of a thread. */
  edited?: (() => Promise<unknown>) | undefined
}

/** The same, but posts it once if it isn't there yet. */
export interface KeptMessage extends Omit<EditedMessage, 'at'> {
  readonly at?: Posted | undefined
  /** Identifies it among all messages of the workspace. */
  readonly key: string
  /** The version of its subject that it shows. */
  readonly version: number
  /** Stores that it was posted, and the version it shows: a message that was found may show an earlier one. */
  record(posted: Posted, version: number): Promise<unknown>
}

/** The outcome of posting or editing a message. */
export type KeptOutcome =
  | { readonly kind: 'shown'; readonly posted: Posted; readonly isPosted: boolean }
  /** Not known yet. */
  | { readonly kind: 'unsure'; readonly unsure: Unsure; readonly end: WorkEnd }
  /** Slack may accept it later. */
  | {
      readonly kind: 'later'
      readonly why: 'rate-limited' | 'passing' | 'uninstalled'
      readonly end: WorkEnd
      readonly error: unknown
    }
  /** The message, or the first message of its thread, is gone. */
  | { readonly kind: 'gone'; readonly error: unknown }
  /** Slack doesn't accept it in any form, or accepts nothing in this thread anymore. */
  | { readonly kind: 'untellable'; readonly why: 'bad-message' | 'thread-closed'; readonly error: unknown }
  /** Posting isn't allowed there. There is no error if Slack wasn't even asked. */
  | { readonly kind: 'closed'; readonly why: ChannelRefusal | 'shared-outside'; readonly error?: unknown }

/** Logs an error, and what it is about. */
export type ReportError = (error: unknown, words: string, about?: object) => void

export interface EditParts {
  poster: Pick<Poster, 'edit'>
  steps: Pick<RecordedSteps, 'hasLease'>
  /** Whether posting in a channel is allowed: it may have become shared since. */
  mayPost: MayPost
  report: ReportError
}

export interface PostParts extends EditParts {
  poster: Poster
  postOnce: PostOnce
}

type Held = Pick<HeldWork, 'work' | 'owner' | 'signal'>

/** Posts a message once, or edits it if it is there. Throws only LeaseLost. */
export const keepMessage = (parts: PostParts, held: Held, message: KeptMessage): Promise<KeptOutcome> =>
  message.at ? editMessage(parts, held, { ...message, at: message.at }) : postMessage(parts, held, message)

const postMessage = (parts: PostParts, held: Held, message: KeptMessage): Promise<KeptOutcome> =>
  asOutcome(parts, held, message, async () => {
    const outcome = await inSomeForm(parts, message, (drawn) =>
      parts.postOnce(held, {
        ...toPostToFind(parts.poster, message),
        version: message.version,
        send: (options) => send(parts.poster, message, drawn, options),
      }),
    )
    if ('unsureMs' in outcome) return toUnsure(outcome)
    // The existing message was sent by a process that died, or its response was lost, so it may be outdated.
    if (outcome.isFound && message.edited) return edit(parts, held, message, outcome.posted)
    return { kind: 'shown', posted: outcome.posted, isPosted: true }
  })

/** Edits a message in place. Throws only LeaseLost. */
export const editMessage = (parts: EditParts, held: Held, message: EditedMessage): Promise<KeptOutcome> =>
  asOutcome(parts, held, message, () => edit(parts, held, message, message.at))

/** Looks for a message that may have been posted without a response; undefined if it wasn't. Throws only LeaseLost. */
export const findMessage = (
  parts: PostParts & { lostPosts: Pick<LostPosts, 'lookOnly'> },
  held: Held,
  message: Omit<KeptMessage, 'drawn'>,
): Promise<KeptOutcome | undefined> =>
  attempt<KeptOutcome | undefined>(held, async () => {
    await stillHeld(parts, held)
    const outcome = await parts.lostPosts.lookOnly(toPostToFind(parts.poster, message))
    if (outcome && 'unsureMs' in outcome) return toUnsure(outcome)
    return outcome && { kind: 'shown', posted: outcome.posted, isPosted: false }
  })

/**
 * Sends a person a message once, then calls `over`. If that is impossible, logs it and calls `over` too. While Slack may
 * still accept it, waits.
 */
export async function tellPerson(
  parts: PostParts,
  held: Held,
  {
    over,
    ...word
  }: Pick<KeptMessage, 'key' | 'place' | 'version' | 'drawn'> & {
    to: string
    over: () => Promise<unknown>
  },
): Promise<WorkEnd> {
  const outcome = await keepMessage(parts, held, { ...word, record: over })
  if (outcome.kind === 'shown') return DONE
  if (outcome.kind === 'unsure' || (outcome.kind === 'later' && outcome.why !== 'uninstalled'))
    return outcome.end
  const about = { workspace: word.place.workspaceId, message: word.key }
  parts.report(outcome.error, 'Somebody cannot be told.', about)
  await over()
  return DONE
}

const toUnsure = (unsure: Unsure): KeptOutcome => ({ kind: 'unsure', unsure, end: untilKnown([unsure]) })

/** Does nothing in a channel where posting isn't allowed. */
const asOutcome = (
  parts: EditParts,
  held: Held,
  { to, place, at, isTriedWhereClosed }: Omit<EditedMessage, 'at'> & { at?: Posted | undefined },
  work: () => Promise<KeptOutcome>,
): Promise<KeptOutcome> =>
  attempt(held, async () => {
    held.signal.throwIfAborted()
    const may = to === undefined ? await parts.mayPost(place, (at ?? place).channelId) : 'yes'
    if (may === 'yes' || (may === 'closed' && isTriedWhereClosed)) return work()
    await stillHeld(parts, held)
    return { kind: 'closed', why: may === 'shared' ? 'shared-outside' : 'refused' }
  })

const attempt = <Outcome>(held: Held, work: () => Promise<Outcome>): Promise<Outcome | KeptOutcome> =>
  work().catch((error: unknown) => toKeptOutcome(held, error))

/** What Slack's error means for a rejected message. */
function toKeptOutcome({ work }: Held, error: unknown): KeptOutcome {
  if (error instanceof LeaseLost) throw error
  const answer = slackAnswer(error)
  switch (answer.kind) {
    case 'rate-limited':
      return { kind: 'later', why: answer.kind, end: repeatAfter(answer.retryMs), error }
    case 'uninstalled':
      return { kind: 'later', why: answer.kind, end: repeatAfter(UNINSTALLED_MS), error }
    case 'passing':
      return { kind: 'later', why: answer.kind, end: sendAgain(work.attempts), error }
    case 'message-gone':
      return { kind: 'gone', error }
    case 'bad-message':
    case 'thread-closed':
      return { kind: 'untellable', why: answer.kind, error }
    case 'channel-dead':
      return { kind: 'closed', why: answer.why, error }
  }
}

/** Asks the database: a suspended process hasn't noticed that it lost the lease. */
async function stillHeld({ steps }: EditParts, { signal, work, owner }: Held): Promise<void> {
  signal.throwIfAborted()
  if (!(await steps.hasLease(work.id, owner))) throw new LeaseLost()
}

async function edit(
  parts: EditParts,
  held: Held,
  message: Omit<EditedMessage, 'at'>,
  at: Posted,
): Promise<KeptOutcome> {
  const place = { ...message.place, channelId: at.channelId }
  await inSomeForm(parts, message, async (drawn) => {
    // A suspended process would overwrite a newer state with an older one.
    const beforeRequest = standstillGuard(held)
    await stillHeld(parts, held)
    await parts.poster.edit(place, at.ts, drawn, { beforeRequest })
  })
  await message.edited?.()
  return { kind: 'shown', posted: at, isPosted: false }
}

/** Sends a message, or only its text if Slack rejects the blocks. */
async function inSomeForm<T>(
  { report }: EditParts,
  { drawn, place }: Pick<KeptMessage, 'drawn' | 'place'>,
  write: (drawn: Message) => Promise<T>,
): Promise<T> {
  try {
    return await write(drawn)
  } catch (error) {
    if (slackAnswer(error).kind !== 'bad-message') throw error
    report(error, 'Slack refuses a message as it is drawn; its text is sent instead.', {
      workspace: place.workspaceId,
    })
    return write(messageOf(drawn.text, section(drawn.text)))
  }
}

async function send(
  poster: Poster,
  { place, to }: KeptMessage,
  drawn: Message,
  options: PostOptions,
): Promise<Posted> {
  if (to !== undefined) return poster.direct(place, to, drawn, options)
  const { channelId, threadTs } = place
  const ts = threadTs
    ? await poster.reply(place, threadTs, drawn, options)
    : await poster.post(place, drawn, options)
  return { channelId, ts }
}

/** How to look for a message where it was sent. */
const toPostToFind = (
  poster: Poster,
  { key, place, to, record }: Omit<KeptMessage, 'drawn'>,
): PostToFind => ({
  workspaceId: place.workspaceId,
  key,
  async find(sent) {
    if (to !== undefined) return poster.findDirect(place, to, sent)
    const { channelId, threadTs } = place
    const ts = await poster.find(place, { ...sent, threadTs })
    return ts === undefined ? undefined : { channelId, ts }
  },
  record,
})
