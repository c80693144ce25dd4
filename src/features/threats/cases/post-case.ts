import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { HOUR_MS } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
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
import { CASE_WORK } from '../rows/case-rows.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { ERASED_PERSON } from '../rows/forget-cases.ts'
import type { ThreatShares } from '../rows/shares.ts'
import type { CaseStep } from '../rules/case-steps.ts'
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
    const end =
      (await updateQuestion(deps, leased, threatCase)) ?? (await updateCard(deps, leased, threatCase))
    if (end) return end
    // Whoever is asked may lose the role that answering needs, which nothing reports.
    return threatCase.asked ? repeatAfter(HOUR_MS) : DONE
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
  if (due.isCard && !due.existing) return detachCase(deps, leased, threatCase, 'refused')
  if (outcome.kind === 'gone') {
    // Someone deleted the card. Posts it again.
    await threatCases.markCardDeleted(threatCase.id, messageTs)
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
 * Removes the case's card, so that the next step can choose another channel. Before that, notifies everyone whose step isn't in its
 * thread, one person per run, because the replies to their steps promised it. If there is nobody, notifies the last person who took a
 * step that the card can't be updated. An admin gets the messages of people who have left.
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
  const [unpostedStep, ...others] = listUnpostedSteps(threatCase)
  const step = unpostedStep ?? threatCase.steps.findLast(({ by }) => by)
  const isErased = step?.by?.userId === ERASED_PERSON.userId
  const end = await notifyOwner(deps, leased, {
    key: `case ${threatCase.id} detached ${step?.version ?? 0}`,
    target: caseChannel(threatCase),
    ownerId: isErased ? undefined : step?.by?.userId,
    version: threatCase.version,
    content: detachedView(threatCase, DETACH_REASONS[reason], unpostedStep !== undefined),
    ownWords: refusedView,
    async record() {
      if (unpostedStep) await threatCases.markNotified(threatCase.id, unpostedStep.version)
      if (others.length === 0) await detach()
    },
  })
  // Notifies the next person, or moves a question that was in the card's thread.
  return end === DONE ? repeatAfter(0) : end
}

/** The last step of each person whose steps aren't in the card's thread and who doesn't know it yet, oldest first. */
function listUnpostedSteps({ steps, postedVersion, notifiedVersion = 0 }: ThreatCase): CaseStep[] {
  const since = Math.max(postedVersion, notifiedVersion)
  const byPerson = new Map<string, CaseStep>()
  for (const step of steps) if (step.by && step.version > since) byPerson.set(step.by.userId, step)
  return [...byPerson.values()].toSorted((left, right) => left.version - right.version)
}

/** What a message about a case says if Slack refuses it. */
const refusedView = ownWords(
  `A threat case has news. Slack refused the message about it. To see it, use ${cmd('/threat queue')}.`,
)

/** The next message to send about a case. */
type DueMessage = MessageToPost & {
  isCard: boolean
  /** Records that the message shows the case as it is now. */
  markShown(): Promise<void>
}

const findDueMessage = (deps: PostCaseDeps, threatCase: ThreatCase): DueMessage | undefined =>
  threatCase.card && (findDueCard(deps, threatCase, threatCase.card) ?? findDueReply(deps, threatCase))

/** The card, if it doesn't show the newest step, or something else about the watch. */
function findDueCard(
  deps: PostCaseDeps,
  threatCase: ThreatCase,
  { channelId, messageTs, threadTs, isFull }: CardLocation,
): DueMessage | undefined {
  const { id, version, shownVersion, shownWatch } = threatCase
  const now = deps.now()
  const watch = watchOnCard(threatCase, now)
  if (shownVersion >= version && shownWatch === watch) return undefined
  const markShown = (posted?: PostedMessage, upTo = version): Promise<void> =>
    deps.threatCases.markCardShown(id, upTo, watch, posted)
  return {
    ...common(threatCase),
    isCard: true,
    key: `case ${id}`,
    target: { ...caseChannel(threatCase), threadTs },
    existing: messageTs === undefined ? undefined : { channelId, ts: messageTs },
    content: caseCardView(threatCase, isFull, describeWatchOnCard(threatCase, now)),
    record: markShown,
    onEdited: () => markShown(),
    markShown,
  }
}

/** The steps that aren't in the card's thread yet. */
function findDueReply({ threatCases }: PostCaseDeps, threatCase: ThreatCase): DueMessage | undefined {
  const { id, version, postedVersion, card } = threatCase
  const content = postedVersion < version ? stepsView(threatCase) : undefined
  if (!content) return undefined
  return {
    ...common(threatCase),
    isCard: false,
    key: `case ${id} thread`,
    // If the card itself is a reply, such as to a mention, the steps are posted in the same thread. Otherwise, they reply to the card.
    target: { ...caseChannel(threatCase), threadTs: card?.threadTs ?? card?.messageTs },
    existing: undefined,
    content,
    record: (_posted, upTo) => threatCases.markStepsPosted(id, upTo),
    markShown: () => threatCases.markStepsPosted(id, version),
  }
}

const common = ({ version }: ThreatCase) => ({ version, triesClosedChannel: true, ownWords: refusedView })

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
