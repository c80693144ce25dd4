import { section } from '../../blocks/layout.ts'
import { type Message, message } from '../../blocks/message.ts'
import type { PostTimes } from '../../bot/posts/post-fate.ts'
import type { Poster } from '../../bot/posts/poster.ts'
import { isRefusal, slackAnswer } from '../../bot/posts/slack-answer.ts'
import { standstillGuard } from '../../bot/posts/standstill-guard.ts'
import { cardModel } from '../../domain/watching/describe-card.ts'
import { detailsModel } from '../../domain/watching/describe-details.ts'
import { muteOf } from '../../domain/watching/subjects.ts'
import type { Log } from '../../log.ts'
import { type RecordedSteps, WATCH_WORK, type WatchStore, type WorkEnd } from '../../store/store.ts'
import { inTurns } from '../../turns.ts'
import { fullJitterMs } from '../../work/backoff.ts'
import type { WorkKind } from '../../work/engine.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import { digestModel } from '../digests/digest-model.ts'
import type { WatchRenderer } from '../renderer.ts'
import { markOf, settleLostPost } from './lost-post.ts'

export interface DeliveryParts {
  readonly watching: Pick<WatchStore, 'outbox' | 'watches' | 'history'>
  readonly steps: Pick<RecordedSteps, 'isHeld'>
  readonly poster: Poster
  readonly renderer: WatchRenderer
  readonly log: Log
  readonly times?: Partial<PostTimes> | undefined
}

type Untold = Exclude<Awaited<ReturnType<WatchStore['outbox']['next']>>, undefined | { waitMs: number }>

const DONE: WorkEnd = { state: 'done' }
const later = (dueInMs: number): WorkEnd => ({ state: 'waiting', dueInMs, isAnew: true })
const NEXT_MS = 1050
const UNINSTALLED_MS = 600_000
/** Of what may pass: within a second, then two, and so on, each time after the channel's turn, which counts no attempts. */
const RETRY = { baseMs: 1000, mostMs: 300_000 - NEXT_MS }

/**
 * Sends what a channel is behind with, one message at a time. What is sent is what is true by then: changes that come faster
 * than messages may be sent are one edit.
 */
export function deliverWork(parts: DeliveryParts): WorkKind {
  const { outbox } = parts.watching
  return {
    kind: WATCH_WORK.deliver,
    lane: 'tell',
    // However long Slack is away: a card that is given up says "down" of what has recovered.
    mostAttempts: Number.MAX_SAFE_INTEGER,
    async run(held) {
      const { workspaceId, key: channelId = '' } = held.work
      const next = await outbox.next(workspaceId, channelId)
      if (!next) return DONE
      if ('waitMs' in next) return later(next.waitMs)
      const { attemptedAt } = next
      if (attemptedAt) return settleLostPost(parts, { ...next, attemptedAt })
      const drawn = await draw(parts, next)
      if (!drawn) {
        await outbox.sent(next, '')
        return later(0)
      }
      // Whoever looks for it counts from the turn, in which its mark is written.
      const beforeRequest = standstillGuard(held, parts.times?.standstillMs)
      const waitMs = await outbox.turn(next)
      if (waitMs > 0) return later(waitMs)
      held.signal.throwIfAborted()
      // Asked of the database itself: a process that stood still has heard of nothing.
      if (!(await parts.steps.isHeld(held.work.id, held.owner))) throw new LeaseLost()
      return send(parts, { held, beforeRequest }, next, drawn)
    },
  }
}

/** One delivery: the work that it is done for, and what is called directly before each of its requests. */
interface Sending {
  readonly held: HeldWork
  readonly beforeRequest: () => void
}

async function send(parts: DeliveryParts, sending: Sending, next: Untold, drawn: Message): Promise<WorkEnd> {
  const { outbox } = parts.watching
  const { workspaceId, channelId } = next.place
  try {
    const ts = await sendOne(parts.poster, sending, next, drawn)
    await insist(() => outbox.sent(next, ts))
  } catch (error) {
    return refused(parts, sending, next, error)
  }
  const left = await outbox.next(workspaceId, channelId)
  if (!left) return DONE
  return later('waitMs' in left ? left.waitMs : NEXT_MS)
}

function sendOne(poster: Poster, { beforeRequest }: Sending, next: Untold, drawn: Message): Promise<string> {
  const { place, what, ts, editTs } = next
  if (editTs !== undefined) return poster.edit(place, editTs, drawn, { beforeRequest })
  const options = { mark: markOf(next), beforeRequest }
  return what === 'details' && ts !== undefined
    ? poster.reply(place, ts, drawn, options)
    : poster.post(place, drawn, options)
}

/** What cannot be written down now would be posted again: it is worth a few seconds. */
async function insist(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write()
    } catch (error) {
      if (attempt === 5) throw error
      await new Promise((resolve) => setTimeout(resolve, attempt * 300))
    }
  }
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
  const line = { workspace: workspaceId, channel: channelId, card: next.told.card.id, err: error }
  const method = next.editTs === undefined ? 'post' : 'edit'
  switch (answer.kind) {
    case 'rate-limited':
      if (method === 'post') await watching.outbox.notSent(next)
      await watching.outbox.holdBack(workspaceId, method, answer.retryMs)
      return later(answer.retryMs)
    case 'message-gone':
      await watching.outbox.lost(method === 'edit' ? next : { ...next, what: 'card' })
      return later(0)
    case 'channel-dead':
      log.warn(line, 'A watched channel takes no messages.')
      if (method === 'post') await watching.outbox.notSent(next)
      await pauseChannel(parts, next, answer.why)
      return DONE
    case 'bad-message':
      log.error(line, 'Slack refuses a card as it is drawn; its text is sent instead.')
      return sendPlainly(parts, sending, next, error)
    case 'uninstalled':
      if (method === 'post') await watching.outbox.notSent(next)
      return later(UNINSTALLED_MS)
    default:
      log.info(line, 'A message about watched checks was not taken; it is tried again.')
      // Of a token that does not work it is certain.
      if (method === 'post' && isRefusal(error)) await watching.outbox.notSent(next)
      return { state: 'waiting', dueInMs: NEXT_MS + fullJitterMs(sending.held.work.attempts, RETRY) }
  }
}

/** When nobody watches any longer, nobody wants to hear of it. */
async function pauseChannel(
  { watching }: DeliveryParts,
  { place: { workspaceId, channelId }, now }: Untold,
  why: Parameters<WatchStore['watches']['pause']>[2],
): Promise<void> {
  await watching.watches.pause(workspaceId, channelId, why, now)
  const left = await watching.watches.list(workspaceId, { channelId })
  if (left.length === 0) await watching.outbox.giveUp(workspaceId, channelId)
}

async function sendPlainly(
  parts: DeliveryParts,
  sending: Sending,
  next: Untold,
  cause: unknown,
): Promise<WorkEnd> {
  const { text } = (await draw(parts, next)) ?? { text: '' }
  try {
    const ts = await sendOne(parts.poster, sending, next, plainly(text))
    await insist(() => parts.watching.outbox.sent(next, ts))
    return later(NEXT_MS)
  } catch (error) {
    throw error instanceof LeaseLost ? error : cause
  }
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
    if (what === 'details') {
      const details = await inTurns(detailsModel(told))
      return details && renderer.details(details)
    }
    const last = told.outages.at(-1)
    const mute = last && muteOf(mutes, last.check, now)
    return renderer.card(await inTurns(cardModel(told, mute ? { muted: { until: mute.until } } : {})))
  } catch (error) {
    log.error({ card: told.card.id, err: error }, 'A card could not be drawn.')
    return plainly(
      'Signalman has news about a watched health check and could not draw it: /hc shows how it is.',
    )
  }
}
