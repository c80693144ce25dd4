import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import type { Message, PostedMessage } from '@signalman/slack'
import { MESSAGE_INTERVAL_MS } from '../../../bot/posts/may-post.ts'
import { notifyOwner, type OwnerNoticeDeps } from '../../../bot/posts/notify-owner.ts'
import {
  type EditDeps,
  editMessage,
  type MessageOutcome,
  type MessageToPost,
  ownWords,
  postOrEdit,
} from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { CASE_WORK, type ThreatCases } from '../rows/cases.ts'
import { ERASED_PERSON } from '../rows/forget-cases.ts'
import type { ThreatShares } from '../rows/shares.ts'
import { CASE_MESSAGE_KINDS, CASE_MESSAGES, type CaseMessage } from '../rows/tables.ts'
import { watchOnCard } from '../rules/case-watch.ts'
import type { CardLocation, ThreatCase } from '../rules/threat-case.ts'
import { caseCardView, detachedView, stepsView } from '../views/case-thread.ts'
import { describeWatchOnCard } from '../views/watched.ts'
import { updateQuestion } from './ask.ts'

interface PostCaseDeps extends OwnerNoticeDeps {
  threatCases: ThreatCases
  threatShares: Pick<ThreatShares, 'removeFromChannel' | 'findOutdated' | 'markShown' | 'remove'>
  now: () => Date
}

/**
 * The work kind that posts or updates the messages about a case, one message per run: first its card, then the new steps in its
 * thread, then its question, then the event's cards in other channels. Each message shows the newest state.
 */
export const postCase = (deps: PostCaseDeps): WorkKind => ({
  kind: CASE_WORK.post,
  lane: 'send',
  // Never gives up, because Slack may be unavailable for a day.
  maxAttempts: Number.MAX_SAFE_INTEGER,
  async run(leased) {
    const { workspaceId, key = '' } = leased.work
    const threatCase = await deps.threatCases.get(workspaceId, key)
    if (!threatCase) return DONE
    const dueMessage = findDueMessage(deps, threatCase)
    if (dueMessage) return postMessage(deps, leased, threatCase, dueMessage)
    return (
      (await updateQuestion(deps, leased, threatCase)) ?? (await updateCard(deps, leased, threatCase)) ?? DONE
    )
  },
})

async function postMessage(
  deps: PostCaseDeps,
  leased: LeasedWork,
  threatCase: ThreatCase,
  due: DueMessage,
): Promise<WorkEnd> {
  const { threatCases, reportError } = deps
  const outcome = await postOrEdit(deps, leased, due)
  if ('error' in outcome && outcome.error)
    reportError(outcome.error, logText(outcome), { workspace: threatCase.workspaceId, case: threatCase.id })
  if (outcome.kind === 'shown') return repeatAfter(outcome.isPosted ? MESSAGE_INTERVAL_MS : 0)
  if ('end' in outcome) return outcome.end
  if (outcome.kind === 'closed') return detachCase(deps, leased, threatCase, outcome.reason)
  const { messageTs = '' } = threatCase.card ?? {}
  // Slack refused the card in every form, or its thread was deleted.
  if (due.message === 'card' && !due.existing) return detachCase(deps, leased, threatCase, 'refused')
  if (outcome.kind === 'gone') {
    // Someone deleted this message, or the card that it replies to. Posts the deleted message again.
    await (due.existing
      ? threatCases.markDeleted(threatCase.id, due.message, due.existing.ts)
      : threatCases.markDeleted(threatCase.id, 'card', messageTs))
  } else {
    // Slack refused this message, so it is skipped. Later steps are posted as usual.
    await due.markShown()
  }
  return repeatAfter(0)
}

const logText = (outcome: MessageOutcome): string =>
  outcome.kind === 'rejected' && outcome.reason === 'bad-message'
    ? 'Slack refused a case message even in Signalman’s own words.'
    : 'Slack refused a message about a threat case.'

/**
 * Removes the case's card, so that the next step can choose another channel. Notifies the person who took the last step, or else an
 * admin.
 */
async function detachCase(
  deps: PostCaseDeps,
  leased: LeasedWork,
  threatCase: ThreatCase,
  reason: keyof typeof DETACH_REASONS,
): Promise<WorkEnd> {
  const { threatCases, threatShares } = deps
  async function detach(): Promise<void> {
    const card = threatCase.card ?? { channelId: '' }
    await threatShares.removeFromChannel(threatCase, card.channelId)
    await threatCases.detachCard(threatCase.id, card)
  }
  const by = threatCase.steps.findLast((step) => step.by)?.by
  const isErased = by?.userId === ERASED_PERSON.userId
  return notifyOwner(deps, leased, {
    // The reply to their step promised that it would be posted, so they have to know that it wasn't.
    key: `case ${threatCase.id} detached`,
    target: caseChannel(threatCase),
    ownerId: isErased ? undefined : by?.userId,
    version: threatCase.version,
    content: detachedView(threatCase, DETACH_REASONS[reason]),
    ownWords: refusedView,
    record: detach,
  })
}

/** What a message about a case says if Slack refuses it. */
const refusedView = ownWords(
  `A threat case has news. Slack refused the message about it. To see it, use ${cmd('/threat queue')}.`,
)

/** Renders each message about a case; undefined if there's nothing to post. */
const RENDERERS: Readonly<Record<CaseMessage, (threatCase: ThreatCase, now: Date) => Message | undefined>> = {
  card: (threatCase, now) =>
    caseCardView(threatCase, threatCase.card?.isFull, describeWatchOnCard(threatCase, now)),
  thread: stepsView,
}

/** The next message to send about a case. */
type DueMessage = MessageToPost & {
  message: CaseMessage
  /** Records that the message shows the case as it is now. */
  markShown(): Promise<void>
}

function findDueMessage(deps: PostCaseDeps, threatCase: ThreatCase): DueMessage | undefined {
  const { card } = threatCase
  if (!card) return undefined
  for (const message of CASE_MESSAGE_KINDS) {
    const outdated = findOutdated(deps, threatCase, card, message)
    if (outdated) return outdated
  }
  return undefined
}

/** What to post or edit, so that this message shows the newest step. Undefined if it already does. */
function findOutdated(
  { threatCases, now }: PostCaseDeps,
  threatCase: ThreatCase,
  card: CardLocation,
  message: CaseMessage,
): DueMessage | undefined {
  const { id, version } = threatCase
  const { versionColumn, ts: tsColumn } = CASE_MESSAGES[message]
  const at = now()
  const watch = watchOnCard(threatCase, at)
  const isDue = threatCase[versionColumn] < version || (message === 'card' && threatCase.shownWatch !== watch)
  const content = isDue ? RENDERERS[message](threatCase, at) : undefined
  if (!content) return undefined
  async function markShown(posted?: PostedMessage, upTo = version): Promise<void> {
    await threatCases.markPosted(id, message, upTo, posted)
    if (message === 'card') await threatCases.markWatchShown(id, watch)
  }
  const { channelId, messageTs, threadTs } = card
  const ts = tsColumn && card[tsColumn]
  // If the card itself is a reply, such as to a mention, the steps are posted in the same thread. Otherwise, they reply to the card.
  const thread =
    message === 'card'
      ? { key: `case ${id}`, threadTs }
      : { key: `case ${id} ${message}`, threadTs: threadTs ?? messageTs }
  return {
    message,
    version,
    triesClosedChannel: true,
    key: thread.key,
    target: { ...caseChannel(threatCase), threadTs: thread.threadTs },
    existing: ts === undefined ? undefined : { channelId, ts },
    content,
    ownWords: refusedView,
    record: markShown,
    onEdited: tsColumn && (() => markShown()),
    markShown,
  }
}

const caseChannel = ({ environment, workspaceId, enterpriseId, card }: ThreatCase) => ({
  workspaceId,
  enterpriseId,
  environment,
  channelId: card?.channelId ?? '',
})

const DETACH_REASONS = {
  archived: 'The channel is archived.',
  'not-in-channel': 'Signalman is no longer in the channel.',
  'shared-outside':
    'The channel is shared with another organization, and no admin has allowed threat events in it.',
  refused: 'Slack doesn’t accept messages in the channel.',
} as const

export interface CardDeps extends EditDeps {
  threatShares: Pick<ThreatShares, 'findOutdated' | 'markShown' | 'remove'>
}

/**
 * Updates one outdated card of the event in another channel. Returns undefined if no card is outdated. A card that can no longer be
 * edited is removed from the database and not posted again, because it was only a copy for that channel.
 */
export async function updateCard(
  deps: CardDeps,
  leased: Pick<LeasedWork, 'work' | 'owner' | 'signal'>,
  threatCase: ThreatCase,
): Promise<WorkEnd | undefined> {
  const { threatShares } = deps
  const { workspaceId, enterpriseId, environment, version, card: caseCard } = threatCase
  const sharedCard = await threatShares.findOutdated(threatCase, version, caseCard?.messageTs)
  if (!sharedCard) return undefined
  const { channelId, messageTs: ts, isFull } = sharedCard
  const outcome = await editMessage(deps, leased, {
    target: { workspaceId, enterpriseId, environment, channelId },
    existing: { channelId, ts },
    content: caseCardView(threatCase, isFull),
    ownWords: refusedView,
    onEdited: () => threatShares.markShown(threatCase, sharedCard, version),
  })
  if (outcome.kind === 'later') return outcome.end
  if (outcome.kind !== 'shown') await threatShares.remove(threatCase, sharedCard)
  return repeatAfter(0)
}
