import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { type Log, runInSlices } from '@signalman/runtime'
import { classifyFailure, type Message, message, section } from '@signalman/slack'
import { MESSAGE_INTERVAL_MS, retryLater } from '../../../bot/posts/may-post.ts'
import {
  type MessageOutcome,
  type MessageToPost,
  ownWords,
  type PostDeps,
  postOrEdit,
} from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { readDigestModel } from '../digests.ts'
import type { WatchRenderer } from '../renderer.ts'
import type { PendingMessage } from '../rows/outbox.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { postKey } from '../rules/card.ts'
import { cardModel, detailsModel } from '../rules/describe-card.ts'
import { findCardSilence } from '../rules/matching.ts'
import { listRunbooks } from '../rules/runbook.ts'
import { withStateAt } from '../rules/silence-windows.ts'
import { getChannelId, getThreadTs, type PauseReason, RETRY_PAUSED_EVERY_MS } from '../rules/watch.ts'
import { refusedCardView } from '../views/refused.ts'

export interface DeliveryDeps {
  readonly watching: Pick<WatchStore, 'outbox' | 'watches' | 'history' | 'silences'>
  readonly posting: PostDeps
  readonly renderer: WatchRenderer
  readonly log: Log
}

/** A card shows the runbooks of this many of its latest outages. */
const RUNBOOK_OUTAGES = 20
/** If cards couldn't be posted for this long, one card replaces them. */
const CATCH_UP_AFTER_MS = 10 * 60_000

/**
 * Sends a channel's pending messages one at a time. A message is rendered when it is sent, so several changes within Slack's rate
 * limit result in one edit.
 */
export function createDeliveryWork(deps: DeliveryDeps): WorkKind {
  const { outbox, watches } = deps.watching
  return {
    kind: WATCH_WORK.deliver,
    lane: 'send',
    // Never gives up, because a card that isn't updated would show a recovered check as down.
    maxAttempts: Number.MAX_SAFE_INTEGER,
    async run(leased) {
      const { workspaceId, key: channelId = '' } = leased.work
      const pendingMessage = await outbox.findNext(workspaceId, channelId)
      if (!pendingMessage) {
        // Nothing is left to send, so the reason for the pause no longer matters.
        await watches.resume(workspaceId, channelId, new Date(), { except: 'shared-outside' })
        return DONE
      }
      if ('waitMs' in pendingMessage) return repeatAfter(pendingMessage.waitMs)
      if (pendingMessage.needsConsent) return DONE
      if (isOverdue(pendingMessage) && (await outbox.postCatchUp(workspaceId, channelId, pendingMessage)))
        return repeatAfter(0)
      const content = await renderMessage(deps, pendingMessage)
      if (!content) {
        await outbox.markUnsendable(pendingMessage)
        return repeatAfter(0)
      }
      const waitMs = await outbox.reserveSlot(pendingMessage)
      if (waitMs > 0) return repeatAfter(waitMs)
      const messageToPost = toMessageToPost(deps, pendingMessage, content)
      return handleOutcome(
        deps,
        leased,
        pendingMessage,
        await postOrEdit(deps.posting, leased, messageToPost),
      )
    },
  }
}

/** Whether the card is so late that one message should replace everything the channel missed. */
const isOverdue = ({ isPaused, ts, contents: { card }, now }: PendingMessage): boolean =>
  ts === undefined && (isPaused || now.getTime() - card.openedAt.getTime() > CATCH_UP_AFTER_MS)

/** Builds the message to send. If the watch posts in a thread, its cards and replies all go in that thread. */
function toMessageToPost(
  { watching: { outbox } }: DeliveryDeps,
  pendingMessage: PendingMessage,
  content: Message,
): MessageToPost {
  const { target, messageKind, ts, editTs, version } = pendingMessage
  const channelId = getChannelId(target.channelId)
  return {
    key: postKey(pendingMessage.contents.card.id, messageKind),
    target: {
      ...target,
      channelId,
      threadTs: getThreadTs(target.channelId) ?? (messageKind === 'details' ? ts : undefined),
    },
    existing: editTs === undefined ? undefined : { channelId, ts: editTs },
    version,
    content,
    ownWords:
      messageKind === 'card'
        ? refusedCardView(pendingMessage.contents, version)
        : ownWords('Slack refused more details about this card.'),
    record: (posted, shownVersion) => outbox.markSent(pendingMessage, posted.ts, shownVersion),
    onEdited: () => outbox.markSent(pendingMessage, editTs, version),
  }
}

/** Records the outcome of sending a message, and returns when this work runs next. */
async function handleOutcome(
  deps: DeliveryDeps,
  leased: LeasedWork,
  pendingMessage: PendingMessage,
  outcome: MessageOutcome,
): Promise<WorkEnd> {
  const { outbox, watches } = deps.watching
  const { workspaceId, channelId } = pendingMessage.target
  if (outcome.kind === 'shown') {
    const acceptedCardId = pendingMessage.editTs === undefined ? pendingMessage.contents.card.id : undefined
    if (pendingMessage.isPaused)
      await watches.resume(workspaceId, channelId, pendingMessage.now, { acceptedCardId })
    const nextMs = await outbox.getNextDelayMs(workspaceId, channelId)
    return nextMs === undefined ? DONE : repeatAfter(nextMs || MESSAGE_INTERVAL_MS)
  }
  if (outcome.kind === 'pending') {
    await outbox.checkLater(pendingMessage, outcome.pending.recheckMs)
    return repeatAfter(0)
  }
  return outcome.kind === 'later'
    ? sendLater(deps, leased, pendingMessage, outcome)
    : handleRefusal(deps, pendingMessage, outcome)
}

type Refusal = Extract<MessageOutcome, { kind: 'gone' | 'rejected' | 'closed' }>

async function handleRefusal(
  deps: DeliveryDeps,
  pendingMessage: PendingMessage,
  refusal: Refusal,
): Promise<WorkEnd> {
  const { log, watching } = deps
  const { workspaceId, channelId } = pendingMessage.target
  const logFields = {
    workspace: workspaceId,
    channel: channelId,
    card: pendingMessage.contents.card.id,
    err: refusal.error,
  }
  const pauseReason = getPauseReason(pendingMessage, refusal)
  if (pauseReason) {
    log.warn(logFields, 'Can’t post in a watched channel.')
    return pauseChannel(deps, pendingMessage, pauseReason)
  }
  if (refusal.kind === 'gone') {
    // A reply that can't be posted means that its card was deleted, so the card is posted again.
    await watching.outbox.markDeleted(
      pendingMessage.editTs === undefined ? { ...pendingMessage, messageKind: 'card' } : pendingMessage,
    )
    return repeatAfter(0)
  }
  await watching.outbox.markUnsendable(pendingMessage)
  return repeatAfter(0)
}

async function sendLater(
  { watching: { outbox }, log }: DeliveryDeps,
  { work }: LeasedWork,
  { target: { workspaceId, channelId }, contents, editTs }: PendingMessage,
  { reason, end, error }: Extract<MessageOutcome, { kind: 'later' }>,
): Promise<WorkEnd> {
  const failure = classifyFailure(error)
  if (failure.kind === 'rate-limited')
    await outbox.pauseMethod(workspaceId, editTs === undefined ? 'post' : 'edit', failure.retryMs)
  if (reason !== 'temporary') return end
  log.info(
    { workspace: workspaceId, channel: channelId, card: contents.card.id, err: error },
    'Couldn’t send a message about watched checks. Retrying.',
  )
  // Not `repeatAfter`, which would reset the number of attempts.
  return retryLater(work.attempts, MESSAGE_INTERVAL_MS)
}

/** Returns why to pause the channel or thread. Undefined if only this message is affected. */
function getPauseReason(
  { target, editTs, messageKind }: PendingMessage,
  refusal: Refusal,
): PauseReason | undefined {
  // The posting code's own `shared-outside` check is off here; see `createWatchingWork`.
  if (refusal.kind === 'closed') return refusal.reason === 'shared-outside' ? 'refused' : refusal.reason
  // Slack refuses even Signalman's own words, so the channel would show nothing, or what was true before.
  if (refusal.kind === 'rejected' && refusal.reason === 'bad-message' && messageKind === 'card')
    return 'refused'
  const isThread = getThreadTs(target.channelId) !== undefined
  const isGone = refusal.kind === 'gone' ? editTs === undefined : refusal.reason === 'thread-closed'
  return isThread && isGone ? 'thread-gone' : undefined
}

/** Pauses the channel and retries it every hour. If the channel no longer has watches, drops its messages instead. */
async function pauseChannel(
  { watching }: DeliveryDeps,
  { target: { workspaceId, channelId }, now }: PendingMessage,
  reason: PauseReason,
): Promise<WorkEnd> {
  await watching.watches.pause(workspaceId, channelId, reason, now)
  const remaining = await watching.watches.list(workspaceId, { channelId })
  if (remaining.length > 0) return repeatAfter(RETRY_PAUSED_EVERY_MS)
  await watching.outbox.dropUnsent(workspaceId, channelId)
  return DONE
}

/** Renders the current content of a message. Undefined if a reply isn't needed. */
async function renderMessage(
  deps: DeliveryDeps,
  { contents, messageKind, silences, watches, now, target }: PendingMessage,
): Promise<Message | undefined> {
  const { renderer, watching, log } = deps
  try {
    if (contents.card.kind === 'digest')
      return renderer.digest(await readDigestModel(watching, target, contents.card))
    if (contents.card.kind === 'maintenance') {
      const window = await watching.silences.findWindow(target.workspaceId, contents.card.maintenanceId ?? '')
      if (!window) throw new Error('The maintenance window of a card no longer exists.')
      return messageKind === 'card'
        ? renderer.maintenance({
            ...contents.card,
            cardId: contents.card.id,
            window: withStateAt(window, now),
          })
        : undefined
    }
    if (messageKind === 'details') {
      // The card is itself a reply in a thread, so it can't have a thread with details.
      if (getThreadTs(target.channelId)) return undefined
      const details = await runInSlices(detailsModel(contents))
      return details && renderer.details(details)
    }
    const silence = await runInSlices(findCardSilence(contents, silences, now))
    const ownWatches = watches.filter(({ environment }) => environment === target.environment)
    const runbooks = listRunbooks(
      contents.outages.slice(-RUNBOOK_OUTAGES).map(({ check }) => check),
      ownWatches,
    )
    return renderer.card(await runInSlices(cardModel(contents, { silence, runbooks })))
  } catch (error) {
    log.error({ card: contents.card.id, err: error }, 'Couldn’t render a card.')
    const text = `Signalman couldn’t format a message about a watched health check. To see its status, use ${cmd('/hc')}.`
    return message(text, section(text))
  }
}
