import {
  anewAfter,
  DONE,
  type HeldWork,
  LeaseLost,
  type RecordedSteps,
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

/** A posted message, which has to say what is true of its subject now. */
interface StandingMessage {
  readonly place: PostPlace & { readonly threadTs?: string | undefined }
  /** Whose direct messages it is in; absent for what is in the place's channel. */
  readonly to?: string | undefined
  readonly at: Posted
  readonly drawn: Message
  /** True where a channel that is closed to the app is tried all the same: Slack's answer says why it is closed. */
  readonly isTriedWhereClosed?: boolean | undefined
  /** Stores that it was edited. Absent for what is never edited, such as a line of a thread. */
  edited?: (() => Promise<unknown>) | undefined
}

/** The same, but posted once when it does not stand there yet. */
export interface KeptMessage extends Omit<StandingMessage, 'at'> {
  readonly at?: Posted | undefined
  /** Names it among all that the workspace is told. */
  readonly key: string
  /** Which version of its subject it tells. */
  readonly version: number
  /** Stores that it was posted, and which version it tells: a message that was found may tell an earlier one. */
  record(posted: Posted, version: number): Promise<unknown>
}

/** What became of a message that was to be posted, or edited. */
export type KeptOutcome =
  | { readonly kind: 'stands'; readonly posted: Posted; readonly isPosted: boolean }
  /** It is not known yet whether it stands. */
  | { readonly kind: 'unsure'; readonly unsure: Unsure; readonly end: WorkEnd }
  /** Slack may take it later. */
  | {
      readonly kind: 'later'
      readonly why: 'rate-limited' | 'passing' | 'uninstalled'
      readonly end: WorkEnd
      readonly error: unknown
    }
  /** The message is not there any more, or the one in whose thread it was to be. */
  | { readonly kind: 'gone'; readonly error: unknown }
  /** Slack takes it in no form, or takes nothing in this thread any more. */
  | { readonly kind: 'untellable'; readonly why: 'bad-message' | 'thread-closed'; readonly error: unknown }
  /** Nothing may be told there. There is no error when Slack was not even asked to take it. */
  | { readonly kind: 'closed'; readonly why: ChannelRefusal | 'shared-outside'; readonly error?: unknown }

/** Logs an error, and what it is about. */
export type ReportError = (error: unknown, words: string, about?: object) => void

export interface EditParts {
  poster: Pick<Poster, 'edit'>
  steps: Pick<RecordedSteps, 'isHeld'>
  /** Whether a channel may be told: it may have been shared with others since it was last. */
  mayPost: MayPost
  report: ReportError
}

export interface PostParts extends EditParts {
  poster: Poster
  postOnce: PostOnce
}

type Held = Pick<HeldWork, 'work' | 'owner' | 'signal'>

/** Posts a message once, or edits it where it stands. Throws LeaseLost alone. */
export const keepMessage = (parts: PostParts, held: Held, message: KeptMessage): Promise<KeptOutcome> =>
  message.at ? editMessage(parts, held, { ...message, at: message.at }) : postMessage(parts, held, message)

const postMessage = (parts: PostParts, held: Held, message: KeptMessage): Promise<KeptOutcome> =>
  asOutcome(parts, held, message, async () => {
    const outcome = await inSomeForm(parts, message, (drawn) =>
      parts.postOnce(held, {
        ...soughtOf(parts.poster, message),
        version: message.version,
        send: (options) => send(parts.poster, message, drawn, options),
      }),
    )
    if ('unsureMs' in outcome) return unsureOf(outcome)
    // What stands there was sent by a process that died, or its answer was lost: it may say less.
    if (outcome.isFound && message.edited) return edit(parts, held, message, outcome.posted)
    return { kind: 'stands', posted: outcome.posted, isPosted: true }
  })

/** Edits a message where it stands. Throws LeaseLost alone. */
export const editMessage = (parts: EditParts, held: Held, message: StandingMessage): Promise<KeptOutcome> =>
  asOutcome(parts, held, message, () => edit(parts, held, message, message.at))

/** Looks for a message that may have been posted although no answer said so; undefined when it was not. Throws LeaseLost alone. */
export const findMessage = (
  parts: PostParts & { lostPosts: Pick<LostPosts, 'lookOnly'> },
  held: Held,
  message: Omit<KeptMessage, 'drawn'>,
): Promise<KeptOutcome | undefined> =>
  attempt<KeptOutcome | undefined>(held, async () => {
    await stillHeld(parts, held)
    const outcome = await parts.lostPosts.lookOnly(soughtOf(parts.poster, message))
    if (outcome && 'unsureMs' in outcome) return unsureOf(outcome)
    return outcome && { kind: 'stands', posted: outcome.posted, isPosted: false }
  })

/**
 * Tells a person something once, and then calls `over`. When they cannot be told, logs that and calls `over` too. While Slack may still
 * take the message, waits.
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
  if (outcome.kind === 'stands') return DONE
  if (outcome.kind === 'unsure' || (outcome.kind === 'later' && outcome.why !== 'uninstalled'))
    return outcome.end
  const about = { workspace: word.place.workspaceId, message: word.key }
  parts.report(outcome.error, 'Somebody cannot be told.', about)
  await over()
  return DONE
}

const unsureOf = (unsure: Unsure): KeptOutcome => ({ kind: 'unsure', unsure, end: untilKnown([unsure]) })

/** Does nothing in a channel that may not be told. */
const asOutcome = (
  parts: EditParts,
  held: Held,
  { to, place, at, isTriedWhereClosed }: Omit<StandingMessage, 'at'> & { at?: Posted | undefined },
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
  work().catch((error: unknown) => outcomeOf(held, error))

/** What Slack's answer means to a message that it did not take. */
function outcomeOf({ work }: Held, error: unknown): KeptOutcome {
  if (error instanceof LeaseLost) throw error
  const answer = slackAnswer(error)
  switch (answer.kind) {
    case 'rate-limited':
      return { kind: 'later', why: answer.kind, end: anewAfter(answer.retryMs), error }
    case 'uninstalled':
      return { kind: 'later', why: answer.kind, end: anewAfter(UNINSTALLED_MS), error }
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

/** Asks the database itself: a process that stood still has not heard that it lost the work. */
async function stillHeld({ steps }: EditParts, { signal, work, owner }: Held): Promise<void> {
  signal.throwIfAborted()
  if (!(await steps.isHeld(work.id, owner))) throw new LeaseLost()
}

async function edit(
  parts: EditParts,
  held: Held,
  message: Omit<StandingMessage, 'at'>,
  at: Posted,
): Promise<KeptOutcome> {
  const place = { ...message.place, channelId: at.channelId }
  await inSomeForm(parts, message, async (drawn) => {
    // A process that stood still would put an older state in the place of a newer one.
    const beforeRequest = standstillGuard(held)
    await stillHeld(parts, held)
    await parts.poster.edit(place, at.ts, drawn, { beforeRequest })
  })
  await message.edited?.()
  return { kind: 'stands', posted: at, isPosted: false }
}

/** Writes a message as it is drawn; when Slack does not take that, its text. */
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

/** How a message is looked for in the place where it was sent. */
const soughtOf = (poster: Poster, { key, place, to, record }: Omit<KeptMessage, 'drawn'>): PostToFind => ({
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
