import {
  anewAfter,
  DONE,
  type HeldWork,
  LeaseLost,
  type RecordedSteps,
  type WorkEnd,
  type WorkKind,
} from '@signalman/durable'
import { inTurns, type Log } from '@signalman/runtime'
import { didNotHappen, type Message, message, section, slackAnswer } from '@signalman/slack'
import { findLostPost, type PostTimes, type SentMark } from '../../../bot/posts/find-lost-post.ts'
import { type AttemptAge, createAttemptAges, writeOutcome } from '../../../bot/posts/lost-posts.ts'
import { NEXT_MS, sendAgain, UNINSTALLED_MS } from '../../../bot/posts/may-post.ts'
import { type Poster, standstillGuard } from '../../../bot/posts/poster.ts'
import { digestModel } from '../digests.ts'
import type { WatchRenderer } from '../renderer.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { cardModel, detailsModel } from '../rules/describe-card.ts'
import { muteOfCard } from '../rules/subjects.ts'
import { TRY_PAUSED_MS, threadIn } from '../rules/watch.ts'

export interface DeliveryParts {
  readonly watching: Pick<WatchStore, 'outbox' | 'watches' | 'history' | 'maintenance' | 'calls'>
  readonly steps: Pick<RecordedSteps, 'isHeld'>
  readonly poster: Poster
  readonly renderer: WatchRenderer
  readonly log: Log
  readonly times?: Partial<PostTimes> | undefined
}

/** After that time what was not posted yet is put together. */
const MISSED_MS = 10 * 60_000

type Untold = Exclude<Awaited<ReturnType<WatchStore['outbox']['next']>>, undefined | { waitMs: number }>

/**
 * Sends what a channel is behind with, one message at a time. What is sent is what is true by then: changes that come faster
 * than messages may be sent are one edit.
 */
export function deliverWork(parts: DeliveryParts): WorkKind {
  const { outbox } = parts.watching
  const ageOf = createAttemptAges()
  return {
    kind: WATCH_WORK.deliver,
    lane: 'tell',
    // However long Slack is away: a card that is given up says "down" of what has recovered.
    mostAttempts: Number.MAX_SAFE_INTEGER,
    async run(held) {
      const { workspaceId, key: channelId = '' } = held.work
      const next = await outbox.next(workspaceId, channelId)
      if (!next) {
        // What was refused there is of no interest any more.
        await parts.watching.watches.resume(workspaceId, channelId, new Date())
        return DONE
      }
      if ('waitMs' in next) return anewAfter(next.waitMs)
      if (isMissed(next) && (await outbox.merge(workspaceId, channelId))) return anewAfter(0)
      const { attemptedAt } = next
      if (attemptedAt) return settleLostPost(parts, { ...next, attemptedAt }, ageOf)
      const drawn = await draw(parts, next)
      if (!drawn) {
        await outbox.sent(next, '')
        return anewAfter(0)
      }
      // Whoever looks for it counts from the turn, in which its mark is written.
      const beforeRequest = standstillGuard(held, parts.times?.standstillMs)
      const waitMs = await outbox.turn(next)
      if (waitMs > 0) return anewAfter(waitMs)
      held.signal.throwIfAborted()
      // Asked of the database itself: a process that stood still has heard of nothing.
      if (!(await parts.steps.isHeld(held.work.id, held.owner))) throw new LeaseLost()
      return send(parts, { held, beforeRequest, drawn, isPlain: false }, next)
    },
  }
}

/** Whether the channel has been told nothing for so long that it reads the rest in one message. */
const isMissed = ({ isPaused, ts, told: { card }, now }: Untold): boolean =>
  ts === undefined && (isPaused || now.getTime() - card.openedAt.getTime() > MISSED_MS)

/** One delivery, and the work that it is done for. */
interface Sending {
  readonly held: HeldWork
  /** Called directly before each of its requests. */
  readonly beforeRequest: () => void
  readonly drawn: Message
  /** True when nothing but its text is sent. */
  readonly isPlain: boolean
}

async function send(parts: DeliveryParts, sending: Sending, next: Untold): Promise<WorkEnd> {
  const { outbox } = parts.watching
  const { workspaceId, channelId } = next.place
  try {
    const ts = await sendOne(parts.poster, sending, next)
    await writeOutcome(() => outbox.sent(next, ts))
    if (next.isPaused) await parts.watching.watches.resume(workspaceId, channelId, next.now)
  } catch (error) {
    return refused(parts, sending, next, error)
  }
  const left = await outbox.next(workspaceId, channelId)
  if (!left) return DONE
  return anewAfter('waitMs' in left ? left.waitMs : NEXT_MS)
}

function sendOne(poster: Poster, { beforeRequest, drawn }: Sending, next: Untold): Promise<string> {
  const { place, what, ts, editTs } = next
  if (editTs !== undefined) return poster.edit(place, editTs, drawn, { beforeRequest })
  const options = { mark: markOf(next), beforeRequest }
  return what === 'details' && ts !== undefined
    ? poster.reply(place, ts, drawn, options)
    : poster.post(place, drawn, options)
}

async function refused(
  parts: DeliveryParts,
  sending: Sending,
  next: Untold,
  error: unknown,
): Promise<WorkEnd> {
  // Its mark stays: another process may have begun to post it meanwhile.
  if (error instanceof LeaseLost) throw error
  const { watching, log } = parts
  const { workspaceId, channelId } = next.place
  const answer = slackAnswer(error)
  if (answer.kind === 'bad-message') return sendPlainly(parts, sending, next, error)
  const line = { workspace: workspaceId, channel: channelId, card: next.told.card.id, err: error }
  const method = next.editTs === undefined ? 'post' : 'edit'
  // Slack said no: it was not posted.
  if (method === 'post' && didNotHappen(error)) await watching.outbox.notSent(next)
  switch (answer.kind) {
    case 'rate-limited':
      await watching.outbox.holdBack(workspaceId, method, answer.retryMs)
      return anewAfter(answer.retryMs)
    case 'message-gone':
      if (method === 'post' && threadIn(channelId)) return pauseChannel(parts, next, 'thread-gone')
      await watching.outbox.lost(method === 'edit' ? next : { ...next, what: 'card' })
      return anewAfter(0)
    case 'thread-closed':
      if (threadIn(channelId)) return pauseChannel(parts, next, 'thread-gone')
      await watching.outbox.untellable(next)
      return anewAfter(0)
    case 'channel-dead':
      log.warn(line, 'A watched channel takes no messages.')
      return pauseChannel(parts, next, answer.why)
    case 'uninstalled':
      return anewAfter(UNINSTALLED_MS)
    default:
      log.info(line, 'A message about watched checks was not taken; it is tried again.')
      // The wait for the channel's turn would count its attempts from zero.
      return sendAgain(sending.held.work.attempts, NEXT_MS)
  }
}

/** Its text, in the place of what Slack did not take; where Slack takes that no more than the other, nothing. */
async function sendPlainly(
  parts: DeliveryParts,
  sending: Sending,
  next: Untold,
  err: unknown,
): Promise<WorkEnd> {
  const { watching, log } = parts
  const line = { workspace: next.place.workspaceId, card: next.told.card.id, err }
  if (sending.isPlain) {
    log.error(line, 'Slack refuses the text of a card too; it is not told before there is more to tell.')
    await watching.outbox.untellable(next)
    return anewAfter(0)
  }
  log.error(line, 'Slack refuses a card as it is drawn; its text is sent instead.')
  return send(parts, { ...sending, drawn: plainly(sending.drawn.text), isPlain: true }, next)
}

/** It is tried again now and then. When nobody watches any longer, nobody wants to hear of it. */
async function pauseChannel(
  { watching }: DeliveryParts,
  { place: { workspaceId, channelId }, now }: Untold,
  why: Parameters<WatchStore['watches']['pause']>[2],
): Promise<WorkEnd> {
  await watching.watches.pause(workspaceId, channelId, why, now)
  const left = await watching.watches.list(workspaceId, { channelId })
  if (left.length > 0) return anewAfter(TRY_PAUSED_MS)
  await watching.outbox.giveUp(workspaceId, channelId)
  return DONE
}

const plainly = (text: string): Message => message(text, section(text))

/** Undefined when there is nothing to say in a thread. */
async function draw(
  parts: DeliveryParts,
  { told, what, mutes, now, place }: Untold,
): Promise<Message | undefined> {
  const { renderer, watching, log } = parts
  try {
    if (told.card.kind === 'digest') return renderer.digest(await digestModel(watching, place, told.card))
    if (told.card.kind === 'maintenance') {
      const window = await watching.maintenance.window(place.workspaceId, told.card.maintenanceId ?? '')
      if (!window) throw new Error('The window that a card tells of is gone.')
      return what === 'card'
        ? renderer.maintenance({ ...told.card, cardId: told.card.id, window })
        : undefined
    }
    if (what === 'details') {
      // In a thread there is no thread of its own.
      if (threadIn(place.channelId)) return undefined
      const details = await inTurns(detailsModel(told))
      return details && renderer.details(details)
    }
    const mute = await inTurns(muteOfCard(told, mutes, now))
    const alone = await watching.calls.find(place.workspaceId, told.card.id)
    const call = alone?.isQuiet ? undefined : alone?.next
    return renderer.card(await inTurns(cardModel(told, { muted: mute, call })))
  } catch (error) {
    log.error({ card: told.card.id, err: error }, 'A card could not be drawn.')
    return plainly(
      'Signalman has news about a watched health check and could not draw it: /hc shows how it is.',
    )
  }
}

type LostUntold = Untold & { attemptedAt: Date }

/** What a message is known by in Slack: the id of its card, which tells nothing; the reply in its thread has one of its own. */
const markOf = ({ told: { card }, what }: Pick<Untold, 'told' | 'what'>): string =>
  what === 'card' ? card.id : `${card.id}.thread`

const again = (isAnew: boolean): WorkEnd => ({ state: 'waiting', dueInMs: 0, isAnew })

/**
 * Finds out what became of a post whose process died, or whose answer was lost. If it is in the channel, it is edited from now
 * on; if it is not, and too late to come, it is posted again. Without the scope to look, it is posted again at once.
 */
export async function settleLostPost(
  { watching: { outbox }, poster, log, times }: DeliveryParts,
  next: LostUntold,
  ageOf: AttemptAge,
): Promise<WorkEnd> {
  const line = { workspace: next.place.workspaceId, channel: next.place.channelId, card: next.told.card.id }
  const onCannotLook = (err: unknown): void =>
    log.info({ ...line, err }, 'Whether a card was posted cannot be found out; it is posted again.')
  try {
    const sent = sentMarkOf(next)
    const lost = await findLostPost(
      () => poster.find(next.place, sent),
      ageOf({ ...next, mark: sent.mark }),
      {
        times,
        onCannotLook,
      },
    )
    if (lost === 'not-posted') await outbox.notSent(next)
    else if ('posted' in lost) await outbox.found(next, lost.posted)
    else {
      await outbox.lookLater(next, lost.unsureMs)
      return again(lost.isTooEarly)
    }
  } catch (error) {
    if (slackAnswer(error).kind !== 'message-gone') throw error
    await outbox.lost({ ...next, what: 'card' })
  }
  return again(true)
}

const sentMarkOf = (next: LostUntold): SentMark => ({
  mark: markOf(next),
  sentAt: next.attemptedAt,
  lookedAt: next.now,
  ...(next.what === 'details' && { threadTs: next.ts }),
})
