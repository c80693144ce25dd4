import type { Message, Posted } from '@signalman/slack'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { isMember } from '../members-only.ts'
import type { ThreatCases } from '../rows/cases.ts'
import type { ThreatShares } from '../rows/shares.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { type HomeCases, PAGE_SIZE, type QueueAsked, queueView } from '../views/case-queue.ts'

export type Cases = ReturnType<typeof createCases>

/** Adds cases to the cards of threat events. */
export function createCases({
  threatCases,
  threatShares,
  report,
}: {
  threatCases: Pick<ThreatCases, 'find' | 'placed'>
  threatShares: Pick<ThreatShares, 'shared'>
  report: (error: unknown, words: string) => void
}) {
  return {
    /** The case of an event; undefined for guests, if there is none, or if it can't be read now. */
    async of(
      context: Pick<CommandContext, 'workspaceId' | 'environment' | 'actor'>,
      eventId: string,
    ): Promise<ThreatCase | undefined> {
      if (!(await isMember(context))) return undefined
      const { workspaceId, environment } = context
      try {
        return await threatCases.find({ workspaceId, environment, eventId })
      } catch (error) {
        report(error, 'Could not read the case of a threat event.')
        return undefined
      }
    },

    /** Stores where the card of an event was posted. The case is posted in that message's thread. */
    async shared(
      { workspaceId, environment, now }: Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>,
      eventIds: readonly string[],
      { channelId, ts, threadTs, isFull }: Posted & { threadTs: string | undefined; isFull: boolean },
    ): Promise<void> {
      const [eventId] = eventIds
      // A message with several events isn't the card of any one of them.
      if (eventId === undefined || eventIds.length > 1) return
      const event = { workspaceId, environment, eventId }
      const place = { channelId, messageTs: ts, ...(threadTs && { threadTs }), ...(isFull && { isFull }) }
      await threatShares.shared(event, place, now)
      await threatCases.placed(event, place)
    },
  }
}

/** The count stops here. Pages beyond it are still shown. */
const MOST_COUNTED = 1000
const SHOWN_AT_HOME = 5
/** One page of the cases of an environment. */
export async function listCases(
  cases: Pick<ThreatCases, 'list' | 'count'>,
  context: Requester,
  asked: QueueAsked,
): Promise<Message> {
  const { workspaceId, userId, now } = context
  const { environment, state, mine } = asked
  const filter = { workspaceId, environment, state, ...(mine && { holderId: userId }) }
  const total = await cases.count(filter, MOST_COUNTED)
  // There may be more cases than were counted.
  const last = total < MOST_COUNTED ? Math.max(1, Math.ceil(total / PAGE_SIZE)) : Number.POSITIVE_INFINITY
  const page = Math.min(asked.page ?? 1, last)
  const found = await cases.list({ ...filter, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE })
  return queueView({ cases: found, page, total, most: MOST_COUNTED }, { ...asked, page }, now)
}

export async function readHomeCases(
  cases: Pick<ThreatCases, 'list' | 'count'>,
  { workspaceId, userId }: Pick<Requester, 'workspaceId' | 'userId'>,
): Promise<HomeCases> {
  const found = await Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const where = { workspaceId, environment }
      const [mine, count] = await Promise.all([
        cases.list({ ...where, holderId: userId, limit: SHOWN_AT_HOME }),
        cases.count(where, MOST_COUNTED),
      ])
      return { environment, mine, count }
    }),
  )
  return {
    mine: found.flatMap(({ mine }) => mine).slice(0, SHOWN_AT_HOME),
    open: found.map(({ environment, count }) => ({ environment, count })),
    most: MOST_COUNTED,
  }
}
