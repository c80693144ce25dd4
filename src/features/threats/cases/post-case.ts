import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { message, section } from '@signalman/slack'
import { MESSAGE_INTERVAL_MS } from '../../../bot/posts/may-post.ts'
import { notifyOwner, type OwnerNoticeDeps } from '../../../bot/posts/notify-owner.ts'
import { openOutbox, type ShownMessage } from '../../../bot/posts/outbox.ts'
import { POST_CASE, type ThreatCases } from '../rows/cases.ts'
import { type CardLocation, isEnded, type ThreatCase } from '../rules/threat-case.ts'
import { caseCardView, notPostedView, stepsView } from '../views/case.ts'

interface PostCaseDeps extends OwnerNoticeDeps {
  threatCases: ThreatCases
}

/** The work kind that brings a case's messages up to date: its card, and then the new steps in its thread, one message per run. */
export const postCase = (deps: PostCaseDeps): WorkKind => ({
  kind: POST_CASE,
  lane: 'send',
  // Never gives up, because Slack may be unavailable for a day.
  maxAttempts: Number.MAX_SAFE_INTEGER,
  async run(leased) {
    const { workspaceId, key = '' } = leased.work
    const threatCase = await deps.threatCases.get(workspaceId, key)
    return threatCase?.card ? post(deps, leased, threatCase, threatCase.card) : DONE
  },
})

async function post(
  deps: PostCaseDeps,
  leased: LeasedWork,
  threatCase: ThreatCase,
  location: CardLocation,
): Promise<WorkEnd> {
  const { threatCases } = deps
  const { id, version, workspaceId, environment } = threatCase
  const { channelId, threadTs } = location
  const outbox = openOutbox(deps, leased, {
    name: `case ${id}`,
    target: { workspaceId, environment },
    ...{ version, shown: listShown(threatCase, location) },
    forOthers: isEnded(threatCase)
      ? message('This threat case is closed.', section('This threat case is closed.'))
      : undefined,
    store: (shown) => threatCases.storeShown(threatCase, shown, leased),
  })
  // The case itself stays as it is, and the next share or step gives it another card.
  async function removeCard(): Promise<WorkEnd> {
    const promised = threatCase.steps.at(-1)?.by
    // Whoever took the last step was told that it's posted.
    if (location.messageTs === undefined && promised) {
      const told = await notifyOwner(deps, leased, {
        key: `case ${id} not posted`,
        target: { workspaceId, environment, channelId: '' },
        ...{ version, ownerId: promised.userId, record: async () => undefined },
        content: notPostedView(threatCase, channelId),
      })
      if (told.state !== 'done') return told
    }
    await threatCases.removeCard(id, location)
    return DONE
  }
  const content = caseCardView(threatCase)
  const card = await outbox.show({ key: 'card', channelId, threadTs, content, isEdited: true })
  if (card === 'later') return outbox.finish()
  const ts = typeof card === 'object' ? card.ts : location.messageTs
  if (card === 'closed' || card === 'gone' || ts === undefined) return removeCard()
  if (ts !== location.messageTs) return repeatAfter(MESSAGE_INTERVAL_MS)

  const due = stepsView(threatCase)
  if (!due) return DONE
  // If the card itself is a reply, such as to a mention, the steps are posted in the same thread.
  const thread = { channelId, threadTs: threadTs ?? ts }
  const steps = await outbox.show({ key: 'steps', ...thread, ...due })
  if (steps === 'later') return outbox.finish()
  if (steps === 'closed') return removeCard()
  // Somebody deleted the card, so it's posted again.
  if (steps === 'gone') await outbox.forget('card')
  // What Slack doesn't accept is left out.
  if (steps === 'refused') await outbox.put({ key: 'steps', channelId, ts: '', version: due.version })
  return repeatAfter(typeof steps === 'object' ? MESSAGE_INTERVAL_MS : 0)
}

/** The messages that were posted. The steps count as one message with many versions. */
const listShown = (
  { shownVersion, postedVersion }: ThreatCase,
  { channelId, messageTs: ts }: CardLocation,
): ShownMessage[] => [
  ...(ts === undefined ? [] : [{ key: 'card', channelId, ts, version: shownVersion }]),
  { key: 'steps', channelId, ts: '', version: postedVersion },
]
