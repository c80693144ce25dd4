// This folder sends what a channel should show: cards, replies, and pages.

import { setTimeout as sleep } from 'node:timers/promises'
import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { createShortCache, type Log, MINUTE_MS } from '@signalman/runtime'
import { actions, commandButton, type Message, message, section } from '@signalman/slack'
import type { LookedUp, Reachability } from '../../../bot/access/reachable.ts'
import { MESSAGE_INTERVAL_MS, retryLater } from '../../../bot/posts/may-post.ts'
import { listPending, type PostDeps, type UnwrittenMessage } from '../../../bot/posts/post-once.ts'
import { findMessage, type MessageOutcome, postOrEdit } from '../../../bot/posts/post-or-edit.ts'
import type { Obstacle } from '../../../bot/routes/command-context.ts'
import { explainNot } from '../find-responders.ts'
import type { FindAddress } from '../message-address.ts'
import type { PendingPost } from '../rows/outbox.ts'
import type { WatchStore } from '../rows/watching.ts'
import { WATCH_WORK } from '../rows/work.ts'
import { formatResponders } from '../rules/page-step.ts'
import type { ShownPost } from '../rules/shown-post.ts'
import { RETRY_PAUSED_EVERY_MS, type Responder } from '../rules/watch.ts'
import { cardView, noteView, saidView, upView } from '../views/cards.ts'

export interface DeliveryDeps {
  readonly watching: Pick<WatchStore, 'outbox' | 'watches' | 'channels'>
  readonly posting: PostDeps
  readonly reachability: Pick<Reachability, 'lookUp'>
  readonly findAddress: FindAddress
  readonly log: Log
  readonly now: () => Date
}

/** How long whom a page mentions is looked up again, and how often. */
const LOOK_UP_FOR_MS = MINUTE_MS
const LOOK_UP_AGAIN_MS = 5000

/**
 * Sends a channel's pending messages one at a time. A message is rendered when it is sent, so several changes within Slack's rate
 * limit result in one edit.
 */
export function createDeliveryWork(given: DeliveryDeps): WorkKind {
  const deps = { ...given, lookUpNext: createNextLookUp(given) }
  const { outbox, channels } = deps.watching
  return {
    kind: WATCH_WORK.deliver,
    lane: 'send',
    async run(leased) {
      const { workspaceId, key: channelId = '' } = leased.work
      const pending = await outbox.findNext(workspaceId, channelId)
      if (!pending) {
        // Nothing is left to send, so the reason for the pause no longer matters.
        await channels.resume(workspaceId, channelId)
        await channels.forgetUnwatched(workspaceId, channelId)
        return DONE
      }
      if ('waitMs' in pending) return repeatAfter(pending.waitMs)
      // It may have been posted: Slack's answer was lost, or the process died.
      if (pending.ts === undefined && pending.post.attemptedAt) {
        const isOpen = (await listPending(deps.posting, leased)).includes(pending.key)
        const found = isOpen && (await findMessage(deps.posting, leased, toUnwritten(deps, pending)))
        if (found) return handleOutcome(deps, leased, pending, found)
        await outbox.markRefused(pending)
      }
      return send(deps, leased, pending)
    },
  }
}

/** Sends a message. A page that nobody in the channel would hear of goes to others. */
async function send(
  deps: DeliveryDeps & { readonly lookUpNext: ReturnType<typeof createNextLookUp> },
  leased: LeasedWork,
  pending: PendingPost,
): Promise<WorkEnd> {
  const { outbox } = deps.watching
  // A card that lists nothing has nothing to say. One that was posted is edited.
  if (pending.post.kind === 'card' && pending.ts === undefined && pending.incidents.length === 0) {
    await outbox.markShown(pending)
    return repeatAfter(0)
  }
  // Slack notifies nobody of an edit, and whoever was ruled out isn't in it.
  const mentions = pending.ts === undefined ? await findMentions(deps, pending) : pending.post.responders
  if (mentions === 'unknown') {
    // Only this page waits.
    await outbox.checkLater(pending, LOOK_UP_AGAIN_MS)
    return repeatAfter(0)
  }
  const { target } = pending
  const cards = await Promise.all(
    pending.cards.map((ts) => deps.findAddress(target, { channelId: target.channelId, ts })),
  )
  const begun = pending.ts === undefined ? await outbox.begin(pending, mentions) : pending
  if (!begun) return repeatAfter(0)
  if (begun.ts === undefined && mentions?.length === 0) {
    await outbox.handOver(begun)
    return repeatAfter(0)
  }
  const sent = { ...begun, nextPaged: await deps.lookUpNext(begun) }
  const content = render(
    deps,
    sent,
    cards.flatMap((url) => url ?? []),
  )
  // Nobody is left to allow posting there, and nobody tries again.
  const forOthers = pending.watches.length === 0 ? render(deps, { ...sent, incidents: [] }, []) : undefined
  const outgoing = { ...toUnwritten(deps, sent), content, forOthers }
  return handleOutcome(deps, leased, begun, await postOrEdit(deps.posting, leased, outgoing))
}

function toUnwritten({ watching: { outbox } }: DeliveryDeps, pending: PendingPost): UnwrittenMessage {
  const { target, key, ts, version } = pending
  return {
    key,
    target,
    existing: ts === undefined ? undefined : { channelId: target.channelId, ts },
    version,
    record: (posted, shownVersion) => outbox.markShown(pending, posted, shownVersion),
    onEdited: () => outbox.markShown(pending),
  }
}

/**
 * Whom a page mentions: those whom Slack can notify in the channel. `unknown` if Slack doesn't say; after a minute of that, whoever wasn't
 * ruled out, because a mention too many harms less than none.
 */
async function findMentions(
  { reachability, log }: DeliveryDeps,
  { target, at, post: { id, openedAt, responders } }: PendingPost,
): Promise<readonly Responder[] | 'unknown' | undefined> {
  if (!responders) return undefined
  const { not, unknown } = await reachability.lookUp(target, responders)
  for (const { error: err } of unknown) log.info({ post: id, err }, 'Couldn’t look up whom a page mentions.')
  if (unknown.length > 0 && at.getTime() - openedAt.getTime() < LOOK_UP_FOR_MS) return 'unknown'
  return responders.filter((responder) => !not.some(({ one }) => one === responder))
}

/** How long what Slack says of people counts for a card, and how long a card waits for it. */
const NEXT_FRESH_MS = 5 * MINUTE_MS
const NEXT_TIMEOUT_MS = 1000
const MAX_NEXT = 1000

/**
 * Looks up whom Slack can notify of the page that a card announces. One card at a time waits for that, so that a storm of cards doesn't:
 * the others name whom the watch pages, and the page itself looks it up in any case.
 */
function createNextLookUp({ watching, reachability, now }: DeliveryDeps) {
  const answers = createShortCache<LookedUp<Responder>>({ freshMs: NEXT_FRESH_MS, maxEntries: MAX_NEXT, now })
  let isWaiting = false
  return async (pending: PendingPost): Promise<ShownPost['nextPaged']> => {
    const { target, watches } = pending
    const { nextPage } = pending.post
    const steps = watches.flatMap(({ page = [] }) => page)
    const responders = steps.find((step) => formatResponders(step.responders) === nextPage?.names)?.responders
    if (!responders || isWaiting) return undefined
    isWaiting = true
    const key = JSON.stringify([target.workspaceId, target.channelId, responders])
    const finding = answers.get(key, () => reachability.lookUp(target, responders)).catch(() => undefined)
    const found = await Promise.race([finding, sleep(NEXT_TIMEOUT_MS, undefined, { ref: false })])
    isWaiting = false
    if (!found) return undefined
    for (const { one } of found.not) await watching.outbox.tellStale(pending, one)
    const not = new Set(found.not.map(({ one }) => one.id ?? one.name))
    const told = responders.filter(({ id, name }) => !not.has(id ?? name))
    return told.length > 0 ? { names: formatResponders(told) } : { nobody: explainNot(found.not) }
  }
}

function render(
  { log }: DeliveryDeps,
  pending: PendingPost & Pick<ShownPost, 'nextPaged'>,
  cards: readonly string[],
): Message {
  const { id, kind, content } = pending.post
  try {
    if (kind === 'card') return cardView(pending)
    if (kind === 'said') return saidView(content)
    if (kind === 'reply') return upView(pending)
    return noteView(pending, cards)
  } catch (err) {
    log.error({ post: id, err }, 'Couldn’t render a message.')
    const text = 'Signalman couldn’t format a message about a watched health check.'
    return message(text, section(text), ...actions(commandButton('What is down', '/hc')))
  }
}

/** Records the outcome of sending a message, and returns when this work runs next. */
async function handleOutcome(
  deps: DeliveryDeps,
  { work }: LeasedWork,
  pending: PendingPost,
  outcome: MessageOutcome,
): Promise<WorkEnd> {
  const { watching, log } = deps
  const { outbox, channels } = watching
  const { workspaceId, channelId } = pending.target
  const logFields = { workspace: workspaceId, channel: channelId, post: pending.post.id }
  switch (outcome.kind) {
    case 'shown':
      if (pending.paused) await channels.resume(workspaceId, channelId)
      return repeatAfter(MESSAGE_INTERVAL_MS)
    case 'pending':
      await outbox.checkLater(pending, outcome.recheckMs)
      return repeatAfter(0)
    case 'later':
      if (outcome.reason !== 'temporary') return outcome.end
      log.info(
        { ...logFields, err: outcome.error },
        'Couldn’t send a message about watched checks. Retrying.',
      )
      // Not `repeatAfter`, which would reset the number of attempts.
      return retryLater(work.attempts, MESSAGE_INTERVAL_MS)
    case 'gone':
      // Of a reply, it's the card that is gone.
      await outbox.markDeleted(pending)
      return repeatAfter(0)
    case 'rejected':
    case 'closed':
      if (outcome.reason === 'thread-closed') {
        await outbox.markShown(pending)
        return repeatAfter(0)
      }
      log.warn({ ...logFields, err: outcome.error }, 'Can’t post in a watched channel.')
      return pauseChannel(deps, pending, outcome.kind === 'closed' ? outcome.reason : 'refused')
  }
}

/** Pauses the channel, and retries it every hour unless it's shared. If the channel no longer has watches, drops the message instead. */
async function pauseChannel(
  { watching }: DeliveryDeps,
  pending: PendingPost,
  reason: Obstacle,
): Promise<WorkEnd> {
  const { workspaceId, channelId } = pending.target
  await watching.outbox.markRefused(pending)
  await watching.channels.pause(workspaceId, channelId, reason, { now: pending.at })
  if ((await watching.watches.list(workspaceId, { channelId })).length > 0)
    return reason === 'shared-outside' ? DONE : repeatAfter(RETRY_PAUSED_EVERY_MS)
  await watching.outbox.markShown(pending)
  return repeatAfter(0)
}
