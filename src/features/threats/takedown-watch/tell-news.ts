import type { Poster } from '../../../bot/posts/poster.ts'
import { badgeOf } from '../../../domain/environment.ts'
import type { TakedownNews } from '../../../domain/takedown-watch.ts'
import { isOpen } from '../../../domain/threat-case.ts'
import type { Log } from '../../../log.ts'
import { isPassing, slackAnswer } from '../../../slack/client/slack-answer.ts'
import type { Store, TakedownWatch, ThreatCase, ThreatCases } from '../../../store/store.ts'
import { directView } from './views/outcomes.ts'
import { newsWords } from './views/words.ts'

export interface NewsParts {
  threatCases: Pick<ThreatCases, 'find' | 'step'>
  audit: Pick<Store['audit'], 'append' | 'search'>
  poster: Pick<Poster, 'direct'>
  log: Log
  /** Wakes the work that tells the thread. */
  wake: () => void
}

const VERB = '/threat watch'

/**
 * Tells news as a step of the case (down, or open again) or as a note; the thread is told of it. Told again under the same
 * number, it makes neither a second step nor a second audit row. Throws errors that may pass: another run may succeed.
 */
export async function tellNews(
  parts: NewsParts,
  watch: TakedownWatch,
  news: TakedownNews,
  number: number,
): Promise<'told' | 'no-case'> {
  const { threatCases, wake } = parts
  const { workspaceId, enterpriseId, environment, eventId, id } = watch
  const asked = { workspaceId, environment, eventId }
  const found = await threatCases.find(asked)
  if (!found) return 'no-case'
  const reference = `${id}.${number}`
  const known = found.steps.find((step) => step.reference === reference)
  const kind = known?.kind ?? stepFor(found, news)
  const says = newsWords(news, watch)
  const step = { ...asked, enterpriseId, by: undefined, now: news.at, reference, text: says }
  if (!known) {
    const outcome = await threatCases.step({ ...step, kind })
    // Somebody took another step at the same moment.
    if (outcome.kind === 'refused') await threatCases.step({ ...step, kind: 'note' })
  }
  // A process may have died after the step and before its audit row.
  if (!known || !(await isAudited(parts, workspaceId, reference)))
    await parts.audit.append({
      workspaceId,
      at: new Date(),
      actor: { userId: 'system' },
      verb: VERB,
      object: `threat event ${eventId}${badgeOf(environment)}`,
      ...(!known && { before: { state: found.state } }),
      after: { case: kind, saw: news.kind },
      outcome: 'done',
      reference,
    })
  wake()
  if (!found.place) await tellWhoBegan(parts, watch, says)
  return 'told'
}

async function isAudited({ audit }: NewsParts, workspaceId: string, reference: string): Promise<boolean> {
  return (await audit.search({ workspaceId, verb: VERB, reference, limit: 1 })).length > 0
}

function stepFor(found: ThreatCase, { kind }: TakedownNews): 'down' | 'reopen' | 'note' {
  if (kind === 'down' && isOpen(found)) return 'down'
  return kind === 'back' && found.state === 'down' ? 'reopen' : 'note'
}

/** For a case without a thread. */
async function tellWhoBegan({ poster, log }: NewsParts, watch: TakedownWatch, says: string): Promise<void> {
  const { workspaceId, enterpriseId, environment, by } = watch
  const place = { workspaceId, ...(enterpriseId && { enterpriseId }), environment, channelId: '' }
  await poster.direct(place, by.userId, directView(watch, says)).catch((error: unknown) => {
    // A person who cannot be reached here can read it nowhere else.
    if (isPassing(slackAnswer(error))) throw error
    log.warn({ watch: watch.id, err: error }, 'Who began a watch until something is down cannot be told.')
  })
}
