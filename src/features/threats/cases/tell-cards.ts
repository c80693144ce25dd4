import type { Poster } from '../../../bot/posts/poster.ts'
import { sendAgain } from '../../../bot/posts/send-again.ts'
import { standstillGuard } from '../../../bot/posts/standstill-guard.ts'
import type { MayPost } from '../../../bot/replies/sharing.ts'
import { slackAnswer } from '../../../slack/client/slack-answer.ts'
import type { RecordedSteps, ThreatCase, ThreatShares, WorkEnd } from '../../../store/store.ts'
import { type HeldWork, LeaseLost } from '../../../work/held-work.ts'
import { anewAfter } from '../../../work/work-ends.ts'
import { caseCardView } from './views/thread.ts'

export interface CardParts {
  threatShares: Pick<ThreatShares, 'behind' | 'shown' | 'gone'>
  steps: Pick<RecordedSteps, 'isHeld'>
  poster: Pick<Poster, 'edit'>
  mayPost: MayPost
}

/**
 * Brings one more card of the case's event up to date, in another channel than the one that is told of it; undefined where none is
 * behind. A card that takes no edits any more is let go of: nobody there was promised anything.
 */
export async function tellCard(
  { threatShares, steps, poster, mayPost }: CardParts,
  held: Pick<HeldWork, 'work' | 'owner' | 'signal'>,
  found: ThreatCase,
): Promise<WorkEnd | undefined> {
  const { workspaceId, enterpriseId, environment, version, place } = found
  const card = await threatShares.behind(found, version, place?.messageTs)
  if (!card) return undefined
  const { channelId, messageTs } = card
  const to = { workspaceId, ...(enterpriseId && { enterpriseId }), environment, channelId }
  try {
    if ((await mayPost(found, channelId)) !== 'yes') {
      await threatShares.gone(found, card)
      return anewAfter(0)
    }
    // A process that stood still would put an older state in the place of a newer one.
    const beforeRequest = standstillGuard(held)
    if (!(await steps.isHeld(held.work.id, held.owner))) throw new LeaseLost()
    await poster.edit(to, messageTs, caseCardView(found), { beforeRequest })
    await threatShares.shown(found, card, version)
    return anewAfter(0)
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    const answer = slackAnswer(error)
    if (answer.kind === 'rate-limited') return anewAfter(answer.retryMs)
    if (answer.kind === 'passing' || answer.kind === 'uninstalled') return sendAgain(held.work.attempts)
    await threatShares.gone(found, card)
    return anewAfter(0)
  }
}
