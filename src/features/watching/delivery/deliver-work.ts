import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { type Log, runInSlices } from '@signalman/runtime'
import { classifyFailure, type Message, message, section } from '@signalman/slack'
import { MESSAGE_INTERVAL_MS, retryLater } from '../../../bot/posts/may-post.ts'
import {
  findMessage,
  type MessageOutcome,
  type MessageToPost,
  type PostDeps,
  postOrEdit,
} from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import type { WatchRenderer } from '../renderer.ts'
import type { PendingMessage } from '../rows/outbox.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { cardModel } from '../rules/describe-card.ts'
import { findCardSilence } from '../rules/matching.ts'
import { listRunbooks } from '../rules/runbook.ts'
import { withStateAt } from '../rules/silence-windows.ts'
import { type PauseReason, RETRY_PAUSED_EVERY_MS } from '../rules/watch.ts'
import { refusedCardView } from '../views/refused.ts'

export interface DeliveryDeps {
  readonly watching: Pick<WatchStore, 'outbox' | 'watches' | 'history' | 'silences'>
  readonly posting: PostDeps
  readonly renderer: WatchRenderer
  readonly log: Log
}

/** A card shows the runbooks of this many of its latest incidents. */
const RUNBOOK_INCIDENTS = 20

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
      // One message with everything that is down tests whether the channel accepts messages again.
      if (await isRetry(deps, workspaceId, channelId)) await outbox.retry(workspaceId, channelId)
      const pendingMessage = await outbox.findNext(workspaceId, channelId)
      if (!pendingMessage) {
        // Nothing is left to send, so the reason for the pause no longer matters.
        await watches.resume(workspaceId, channelId, { except: 'shared-outside' })
        return DONE
      }
      if ('waitMs' in pendingMessage) return repeatAfter(pendingMessage.waitMs)
      if (pendingMessage.needsConsent) return DONE
      if (pendingMessage.isUnsettled) return lookUp(deps, leased, pendingMessage)
      const content = await renderMessage(deps, pendingMessage)
      const waitMs = await outbox.reserveSlot(pendingMessage)
      if (waitMs > 0) return repeatAfter(waitMs)
      const messageToPost = { ...toMessageToPost(deps, pendingMessage), content }
      if (pendingMessage.ts === undefined) await outbox.markAttempted(pendingMessage)
      return handleOutcome(
        deps,
        leased,
        pendingMessage,
        await postOrEdit(deps.posting, leased, messageToPost),
      )
    },
  }
}

/** Whether the channel is paused, and not only because consent is missing. */
async function isRetry({ watching }: DeliveryDeps, workspaceId: string, channelId: string): Promise<boolean> {
  const paused = (await watching.watches.list(workspaceId, { channelId })).flatMap(
    (watch) => watch.paused ?? [],
  )
  return paused.length > 0 && paused.every(({ reason }) => reason !== 'shared-outside')
}

/** Looks for a message that may have been posted, before anything newer is decided. */
async function lookUp(
  deps: DeliveryDeps,
  leased: LeasedWork,
  pendingMessage: PendingMessage,
): Promise<WorkEnd> {
  const outcome = await findMessage(deps.posting, leased, toMessageToPost(deps, pendingMessage))
  if (outcome) return handleOutcome(deps, leased, pendingMessage, outcome)
  await deps.watching.outbox.decideAgain(pendingMessage)
  return repeatAfter(0)
}

/** How to send the message. */
function toMessageToPost(
  { watching: { outbox } }: DeliveryDeps,
  pendingMessage: PendingMessage,
): Omit<MessageToPost, 'content'> {
  const { target, key, ts, version, directUserId } = pendingMessage
  const { channelId } = target
  return {
    key,
    target,
    existing: ts === undefined ? undefined : { channelId, ts },
    to: ts === undefined ? directUserId : undefined,
    version,
    ownWords: refusedCardView(pendingMessage.contents, version),
    record: (posted, shownVersion) => outbox.markSent(pendingMessage, posted, shownVersion),
    onEdited: () => outbox.markSent(pendingMessage, undefined, version),
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
    if (pendingMessage.isPaused)
      await watches.resume(workspaceId, channelId, {
        isTold: pendingMessage.ts === undefined && pendingMessage.contents.card.kind === 'card',
      })
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
  const pauseReason = getPauseReason(refusal)
  if (pauseReason) {
    log.warn(logFields, 'Can’t post in a watched channel.')
    return pauseChannel(deps, pendingMessage, pauseReason)
  }
  if (refusal.kind === 'gone') {
    await watching.outbox.markDeleted(pendingMessage)
    return repeatAfter(0)
  }
  await watching.outbox.markUnsendable(pendingMessage)
  return repeatAfter(0)
}

async function sendLater(
  { watching: { outbox }, log }: DeliveryDeps,
  { work }: LeasedWork,
  { target: { workspaceId, channelId }, contents, ts }: PendingMessage,
  { reason, end, error }: Extract<MessageOutcome, { kind: 'later' }>,
): Promise<WorkEnd> {
  const failure = classifyFailure(error)
  if (failure.kind === 'rate-limited')
    await outbox.pauseMethod(workspaceId, ts === undefined ? 'post' : 'edit', failure.retryMs)
  if (reason !== 'temporary') return end
  log.info(
    { workspace: workspaceId, channel: channelId, card: contents.card.id, err: error },
    'Couldn’t send a message about watched checks. Retrying.',
  )
  // Not `repeatAfter`, which would reset the number of attempts.
  return retryLater(work.attempts, MESSAGE_INTERVAL_MS)
}

/** Returns why to pause the channel or thread. Undefined if only this message is affected. */
function getPauseReason(refusal: Refusal): PauseReason | undefined {
  // The posting code's own `shared-outside` check is off here; see `createWatchingWork`.
  if (refusal.kind === 'closed') return refusal.reason === 'shared-outside' ? 'refused' : refusal.reason
  // Slack refuses even Signalman's own words, so the channel would show nothing, or what was true before.
  if (refusal.kind === 'rejected' && refusal.reason === 'bad-message') return 'refused'
  return undefined
}

/** Pauses the channel and retries it every hour. If the channel no longer has watches, drops its messages instead. */
async function pauseChannel(
  { watching }: DeliveryDeps,
  pendingMessage: PendingMessage,
  reason: PauseReason,
): Promise<WorkEnd> {
  const { target, moment } = pendingMessage
  const { workspaceId, channelId } = target
  await watching.outbox.markRefused(pendingMessage)
  await watching.watches.pause(workspaceId, channelId, reason, moment.at)
  const remaining = await watching.watches.list(workspaceId, { channelId })
  if (remaining.length > 0) return repeatAfter(RETRY_PAUSED_EVERY_MS)
  await watching.outbox.dropUnsent(workspaceId, channelId)
  return DONE
}

/** Renders the current content of a message. */
async function renderMessage(
  deps: DeliveryDeps,
  { contents, silences, watches, moment, target }: PendingMessage,
): Promise<Message> {
  const { renderer, watching, log } = deps
  const { card } = contents
  try {
    if (card.kind === 'maintenance') {
      const window = await watching.silences.findWindow(target.workspaceId, card.maintenanceId ?? '')
      if (!window) throw new Error('The maintenance window of a card no longer exists.')
      return renderer.maintenance({ ...card, cardId: card.id, window: withStateAt(window, moment.at) })
    }
    const silence = await runInSlices(findCardSilence(contents, silences, moment.at))
    const runbooks = listRunbooks(
      contents.incidents.slice(-RUNBOOK_INCIDENTS).map(({ check }) => check),
      watches.filter(({ environment }) => environment === target.environment),
    )
    return renderer.card(await runInSlices(cardModel(contents, { now: moment, silence, runbooks })))
  } catch (error) {
    log.error({ card: card.id, err: error }, 'Couldn’t render a card.')
    const text = `Signalman couldn’t format a message about a watched health check. To see its status, use ${cmd('/hc')}.`
    return message(text, section(text))
  }
}
