import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { MESSAGE_INTERVAL_MS } from '../../../bot/posts/may-post.ts'
import { type MessageToPost, type PostDeps, postOrEdit } from '../../../bot/posts/post-or-edit.ts'
import { POST_CASE, type ThreatCases } from '../rows/cases.ts'
import type { CardLocation, ThreatCase } from '../rules/threat-case.ts'
import { caseCardView, stepsView } from '../views/case.ts'

interface PostCaseDeps extends PostDeps {
  threatCases: ThreatCases
}

/** The work kind that brings a case's messages up to date, one per run: first its card, then the new steps in its thread. */
export const postCase = (deps: PostCaseDeps): WorkKind => ({
  kind: POST_CASE,
  lane: 'send',
  // Never gives up, because Slack may be unavailable for a day.
  maxAttempts: Number.MAX_SAFE_INTEGER,
  async run(leased) {
    const { workspaceId, key = '' } = leased.work
    const threatCase = await deps.threatCases.get(workspaceId, key)
    const card = threatCase?.card
    if (!threatCase || !card) return DONE
    const due = findDueCard(deps, threatCase, card) ?? findDueReply(deps, threatCase, card)
    return due ? post(deps, leased, { threatCase, card, due }) : DONE
  },
})

type DueMessage = MessageToPost & { skip(): Promise<void> }

async function post(
  deps: PostCaseDeps,
  leased: LeasedWork,
  { threatCase, card, due }: { threatCase: ThreatCase; card: CardLocation; due: DueMessage },
): Promise<WorkEnd> {
  const { threatCases, reportError } = deps
  const outcome = await postOrEdit(deps, leased, due)
  if (outcome.kind === 'shown') return repeatAfter(outcome.isPosted ? MESSAGE_INTERVAL_MS : 0)
  if ('end' in outcome) return outcome.end
  if ('error' in outcome && outcome.error)
    reportError(outcome.error, 'Slack refused a message about a threat case.', {
      workspace: threatCase.workspaceId,
      case: threatCase.id,
    })
  // The channel or the thread no longer accepts messages. The case itself is unchanged, and the next share gives it a card.
  if (outcome.kind === 'closed' || !card.messageTs) await threatCases.removeCard(threatCase.id, card)
  else if (outcome.kind === 'gone') await threatCases.markDeleted(threatCase.id, card)
  else await due.skip()
  return repeatAfter(0)
}

function findDueCard(
  { threatCases }: PostCaseDeps,
  threatCase: ThreatCase,
  { channelId, messageTs, threadTs }: CardLocation,
): DueMessage | undefined {
  const { id, version, shownVersion } = threatCase
  if (messageTs !== undefined && shownVersion >= version) return undefined
  return {
    version,
    key: `case ${id}`,
    target: { ...target(threatCase, channelId), threadTs },
    existing: messageTs === undefined ? undefined : { channelId, ts: messageTs },
    content: caseCardView(threatCase),
    record: (posted, upTo) => threatCases.markShown(id, upTo, posted),
    onEdited: () => threatCases.markShown(id, version),
    skip: () => threatCases.markShown(id, version),
  }
}

function findDueReply(
  { threatCases }: PostCaseDeps,
  threatCase: ThreatCase,
  { channelId, messageTs, threadTs }: CardLocation,
): DueMessage | undefined {
  const { id, version } = threatCase
  const content = stepsView(threatCase)
  if (!content) return undefined
  return {
    version,
    key: `case ${id} thread`,
    // If the card itself is a reply, such as to a mention, the steps are posted in the same thread.
    target: { ...target(threatCase, channelId), threadTs: threadTs ?? messageTs },
    content,
    record: (_, upTo) => threatCases.markPosted(id, upTo),
    skip: () => threatCases.markPosted(id, version),
  }
}

const target = ({ workspaceId, enterpriseId, environment }: ThreatCase, channelId: string) => ({
  workspaceId,
  enterpriseId,
  environment,
  channelId,
})
