import type { Audit, HeldWork } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { keepMessage, type PostParts } from '../../../bot/posts/kept-messages.ts'
import { PostOutcomeUnknown } from '../../../bot/posts/post-once.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { type CasePerson, type CaseStepKind, isOpen } from '../cases/case-steps.ts'
import type { ThreatCase } from '../rows/case-rows.ts'
import type { ThreatCases } from '../rows/cases.ts'
import type { TakedownWatch } from '../rows/takedown-watches.ts'
import type { TakedownNews } from './rules.ts'
import { directView, newsWords } from './views.ts'

export interface NewsParts extends PostParts {
  threatCases: Pick<ThreatCases, 'find' | 'step'>
  audit: Pick<Audit, 'append' | 'search'>
  log: Log
  /** Wakes the work that tells the thread. */
  wake: () => void
}

const VERB = '/threat watch'

/**
 * Tells news as a step of the case (down, or open again) or as a note; the thread is told of it. Told again under the same
 * number, it makes neither a second step nor a second audit row; `sent` writes down that it was. Throws errors that may pass: another run may succeed.
 */
export async function tellNews(
  parts: NewsParts,
  held: HeldWork,
  watch: TakedownWatch,
  news: TakedownNews,
  { number, sent }: { number: number; sent: () => Promise<unknown> },
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
  const began = beganBy(found)
  if (!found.place && began)
    await tellPersonally(parts, held, watch, {
      to: began.userId,
      says,
      number,
      sent,
      asksToLook: kind === 'unreachable',
    })
  return 'told'
}

async function isAudited({ audit }: NewsParts, workspaceId: string, reference: string): Promise<boolean> {
  return (await audit.search({ workspaceId, verb: VERB, reference, limit: 1 })).length > 0
}

function stepFor(found: ThreatCase, { kind }: TakedownNews): CaseStepKind {
  if (isOpen(found)) return kind === 'down' || kind === 'unreachable' || kind === 'up' ? kind : 'note'
  return (kind === 'back' || kind === 'up') && found.state === 'down' ? 'reopen' : 'note'
}

/** Who began the watch: while it goes on, the newest note of a person says so. Of a very long history the note may be gone. */
const beganBy = ({ steps }: ThreatCase): CasePerson | undefined =>
  (steps.findLast(({ kind, by }) => kind === 'note' && by) ?? steps.findLast(({ by }) => by))?.by

/** For a case without a thread. A person who cannot be reached here can read it nowhere else. */
async function tellPersonally(
  parts: NewsParts,
  held: HeldWork,
  watch: TakedownWatch,
  told: { to: string; says: string; asksToLook: boolean; number: number; sent: () => Promise<unknown> },
): Promise<void> {
  const { to, says, asksToLook, number, sent } = told
  const { id, workspaceId, enterpriseId, environment } = watch
  const outcome = await keepMessage(parts, held, {
    key: `takedown ${id} ${number}`,
    place: { workspaceId, enterpriseId, environment, channelId: '' },
    to,
    version: number,
    drawn: directView(watch, says, asksToLook),
    // The watch itself says how much of its news was told, before the mark of this message is gone.
    record: sent,
  })
  if (outcome.kind === 'stands') return
  if (outcome.kind === 'unsure') throw new PostOutcomeUnknown(undefined)
  if (outcome.kind === 'later' && outcome.why !== 'uninstalled') throw outcome.error
  parts.log.warn(
    { watch: id, err: outcome.error },
    'Who began a watch until something is down cannot be told.',
  )
}
