import { DONE, type HeldWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { inTurns, type Log } from '@signalman/runtime'
import { type Message, message, section, slackAnswer } from '@signalman/slack'
import {
  type KeptMessage,
  type KeptOutcome,
  keepMessage,
  type PostParts,
} from '../../../bot/posts/kept-messages.ts'
import { NEXT_MS, sendAgain } from '../../../bot/posts/may-post.ts'
import { cmd } from '../../../domain/command-names.ts'
import { digestModel } from '../digests.ts'
import type { WatchRenderer } from '../renderer.ts'
import type { Untold } from '../rows/outbox.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { postKey } from '../rules/card.ts'
import { cardModel, detailsModel } from '../rules/describe-card.ts'
import { runbooksFor } from '../rules/runbook.ts'
import { shownAt } from '../rules/silence-windows.ts'
import { silenceOfCard } from '../rules/subjects.ts'
import { channelIn, type PauseReason, TRY_PAUSED_MS, threadIn } from '../rules/watch.ts'

export interface DeliveryParts {
  readonly watching: Pick<WatchStore, 'outbox' | 'watches' | 'history' | 'silences'>
  readonly keeping: PostParts
  readonly renderer: WatchRenderer
  readonly log: Log
}

/** A card names the runbooks of as many of its latest outages. */
const LATEST = 20
/** After that time what was not posted yet is put together. */
const MISSED_MS = 10 * 60_000

/**
 * Sends what a channel is behind with, one message at a time. What is sent is what is true by then: changes that come faster
 * than messages may be sent are one edit.
 */
export function deliverWork(parts: DeliveryParts): WorkKind {
  const { outbox, watches } = parts.watching
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
        await watches.resume(workspaceId, channelId, new Date(), { but: 'shared-outside' })
        return DONE
      }
      if ('waitMs' in next) return repeatAfter(next.waitMs)
      if (next.isHeldBack) return DONE
      if (isMissed(next) && (await outbox.putTogether(workspaceId, channelId, next))) return repeatAfter(0)
      const drawn = await draw(parts, next)
      if (!drawn) {
        await outbox.untellable(next)
        return repeatAfter(0)
      }
      const waitMs = await outbox.turn(next)
      if (waitMs > 0) return repeatAfter(waitMs)
      const kept = keptMessage(parts, next, drawn)
      return endOf(parts, held, next, await keepMessage(parts.keeping, held, kept))
    },
  }
}

/** Whether the channel has been told nothing for so long that it reads the rest in one message. */
const isMissed = ({ isPaused, ts, told: { card }, now }: Untold): boolean =>
  ts === undefined && (isPaused || now.getTime() - card.openedAt.getTime() > MISSED_MS)

/** Where everything is said in a thread, there is no thread of its own. */
function keptMessage({ watching: { outbox } }: DeliveryParts, next: Untold, drawn: Message): KeptMessage {
  const { place, what, ts, editTs, version } = next
  const channelId = channelIn(place.channelId)
  return {
    key: postKey(next.told.card.id, what),
    place: {
      ...place,
      channelId,
      threadTs: threadIn(place.channelId) ?? (what === 'details' ? ts : undefined),
    },
    at: editTs === undefined ? undefined : { channelId, ts: editTs },
    version,
    drawn,
    record: (posted, told) => outbox.sent(next, posted.ts, told),
    edited: () => outbox.sent(next, editTs, version),
  }
}

/** What follows from what became of a message. */
async function endOf(
  parts: DeliveryParts,
  held: HeldWork,
  next: Untold,
  came: KeptOutcome,
): Promise<WorkEnd> {
  const { outbox, watches } = parts.watching
  const { workspaceId, channelId } = next.place
  if (came.kind === 'stands') {
    const cardId = next.editTs === undefined ? next.told.card.id : undefined
    if (next.isPaused) await watches.resume(workspaceId, channelId, next.now, { cardId })
    const leftMs = await outbox.nextInMs(workspaceId, channelId)
    return leftMs === undefined ? DONE : repeatAfter(leftMs || NEXT_MS)
  }
  if (came.kind === 'unsure') {
    await outbox.lookLater(next, came.unsure.unsureMs)
    return repeatAfter(0)
  }
  return came.kind === 'later' ? sendLater(parts, held, next, came) : refused(parts, next, came)
}

type Refusal = Extract<KeptOutcome, { kind: 'gone' | 'untellable' | 'closed' }>

async function refused(parts: DeliveryParts, next: Untold, came: Refusal): Promise<WorkEnd> {
  const { log, watching } = parts
  const { workspaceId, channelId } = next.place
  const line = { workspace: workspaceId, channel: channelId, card: next.told.card.id, err: came.error }
  const why = whyClosed(next, came)
  if (why) {
    log.warn(line, 'A watched channel takes no messages.')
    return pauseChannel(parts, next, why)
  }
  if (came.kind === 'gone') {
    await watching.outbox.lost(next.editTs === undefined ? { ...next, what: 'card' } : next)
    return repeatAfter(0)
  }
  if (came.why === 'bad-message')
    log.error(line, 'Slack refuses the text of a card too; it is not told before there is more to tell.')
  await watching.outbox.untellable(next)
  return repeatAfter(0)
}

async function sendLater(
  { watching: { outbox }, log }: DeliveryParts,
  { work }: HeldWork,
  { place: { workspaceId, channelId }, told, editTs }: Untold,
  { why, end, error }: Extract<KeptOutcome, { kind: 'later' }>,
): Promise<WorkEnd> {
  const answer = slackAnswer(error)
  if (answer.kind === 'rate-limited')
    await outbox.holdBack(workspaceId, editTs === undefined ? 'post' : 'edit', answer.retryMs)
  if (why !== 'passing') return end
  log.info(
    { workspace: workspaceId, channel: channelId, card: told.card.id, err: error },
    'A message about watched checks was not taken; it is tried again.',
  )
  // The wait for the channel's turn would count its attempts from zero.
  return sendAgain(work.attempts, NEXT_MS)
}

/** Why a place takes nothing any more, be it a channel or a thread; undefined where that is about the message alone. */
function whyClosed({ place, editTs }: Untold, came: Refusal): PauseReason | undefined {
  if (came.kind === 'closed') return came.why === 'shared-outside' ? 'refused' : came.why
  const isThread = threadIn(place.channelId) !== undefined
  const isGone = came.kind === 'gone' ? editTs === undefined : came.why === 'thread-closed'
  return isThread && isGone ? 'thread-gone' : undefined
}

/** It is tried again now and then. When nobody watches any longer, nobody wants to hear of it. */
async function pauseChannel(
  { watching }: DeliveryParts,
  { place: { workspaceId, channelId }, now }: Untold,
  why: PauseReason,
): Promise<WorkEnd> {
  await watching.watches.pause(workspaceId, channelId, why, now)
  const left = await watching.watches.list(workspaceId, { channelId })
  if (left.length > 0) return repeatAfter(TRY_PAUSED_MS)
  await watching.outbox.giveUp(workspaceId, channelId)
  return DONE
}

/** Undefined when there is nothing to say in a thread. */
async function draw(
  parts: DeliveryParts,
  { told, what, silences, watches, now, place }: Untold,
): Promise<Message | undefined> {
  const { renderer, watching, log } = parts
  try {
    if (told.card.kind === 'digest') return renderer.digest(await digestModel(watching, place, told.card))
    if (told.card.kind === 'maintenance') {
      const window = await watching.silences.window(place.workspaceId, told.card.maintenanceId ?? '')
      if (!window) throw new Error('The window that a card tells of is gone.')
      return what === 'card'
        ? renderer.maintenance({ ...told.card, cardId: told.card.id, window: shownAt(window, now) })
        : undefined
    }
    if (what === 'details') {
      // In a thread there is no thread of its own.
      if (threadIn(place.channelId)) return undefined
      const details = await inTurns(detailsModel(told))
      return details && renderer.details(details)
    }
    const silence = await inTurns(silenceOfCard(told, silences, now))
    const own = watches.filter(({ environment }) => environment === place.environment)
    const runbooks = runbooksFor(
      told.outages.slice(-LATEST).map(({ check }) => check),
      own,
    )
    return renderer.card(await inTurns(cardModel(told, { silence, runbooks })))
  } catch (error) {
    log.error({ card: told.card.id, err: error }, 'A card could not be drawn.')
    const text = `Signalman couldn’t format a message about a watched health check. To see its status, use ${cmd('/hc')}.`
    return message(text, section(text))
  }
}
