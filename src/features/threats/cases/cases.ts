import type { Settings } from '@signalman/durable'
import type { Message, PostedMessage } from '@signalman/slack'
import type { CommandContext, Messaging, Requester } from '../../../bot/routes/command-context.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { isMember } from '../members-only.ts'
import type { ThreatCases } from '../rows/cases.ts'
import type { ThreatShares } from '../rows/shares.ts'
import { MAX_COUNTED_CASES, type ThreatCase } from '../rules/threat-case.ts'
import { type HomeCases, PAGE_SIZE, type QueueRequest, queueView } from '../views/case-queue.ts'
import { suggestTake } from './announces.ts'

export type Cases = ReturnType<typeof createCases>

/** Finds the cases of threat events, and stores where their cards were posted. */
export function createCases({
  threatCases,
  threatShares,
  settings,
  reportError,
}: {
  threatCases: Pick<ThreatCases, 'find' | 'attachCard'>
  threatShares: Pick<ThreatShares, 'add' | 'findNewest'>
  settings: Pick<Settings, 'get'>
  reportError: (error: unknown, message: string) => void
}) {
  return {
    /** Finds the case of an event. Undefined if there is none, if it can't be read now, or if the person is a guest. */
    async find(
      context: Pick<CommandContext, 'workspaceId' | 'environment' | 'actor'>,
      eventId: string,
    ): Promise<ThreatCase | undefined> {
      if (!(await isMember(context))) return undefined
      const { workspaceId, environment } = context
      try {
        return await threatCases.find({ workspaceId, environment, eventId })
      } catch (error) {
        reportError(error, 'Could not read the case of a threat event.')
        return undefined
      }
    },

    suggestTake: (context: Requester & Messaging, eventId: string) =>
      suggestTake({ threatShares, settings }, context, eventId),

    /**
     * Stores where a card of an event was posted. If the event's case has no card yet, this becomes its card, and its steps are
     * posted in the thread.
     */
    async storeShare(
      { workspaceId, environment, now }: Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>,
      eventIds: readonly string[],
      { channelId, ts, threadTs, isFull }: PostedMessage & { threadTs: string | undefined; isFull: boolean },
    ): Promise<void> {
      const [eventId] = eventIds
      // A message with several events isn't used as the card of any of them.
      if (eventId === undefined || eventIds.length > 1) return
      const event = { workspaceId, environment, eventId }
      const card = { channelId, messageTs: ts, ...(threadTs && { threadTs }), ...(isFull && { isFull }) }
      await threatShares.add(event, card, now)
      await threatCases.attachCard(event, card)
    },
  }
}

const MAX_SHOWN_AT_HOME = 5

/** Shows a page of an environment's cases. */
export async function listCases(
  cases: Pick<ThreatCases, 'list' | 'count'>,
  context: Requester,
  request: QueueRequest,
): Promise<Message> {
  const { workspaceId, userId, now } = context
  const { environment, state, mine } = request
  const filter = { workspaceId, environment, state, ...(mine && { holderId: userId }) }
  const total = await cases.count(filter)
  // There may be more cases than were counted.
  const lastPage =
    total < MAX_COUNTED_CASES ? Math.max(1, Math.ceil(total / PAGE_SIZE)) : Number.POSITIVE_INFINITY
  const page = Math.min(request.page ?? 1, lastPage)
  const shown = await cases.list({ ...filter, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE })
  return queueView({ cases: shown, page, total }, { ...request, page }, now)
}

export async function readHomeCases(
  cases: Pick<ThreatCases, 'list' | 'count'>,
  { workspaceId, userId }: Pick<Requester, 'workspaceId' | 'userId'>,
): Promise<HomeCases> {
  const byEnvironment = await Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const open = { workspaceId, environment }
      const mine = { ...open, holderId: userId }
      const [shown, mineCount, openCount] = await Promise.all([
        cases.list({ ...mine, limit: MAX_SHOWN_AT_HOME }),
        cases.count(mine),
        cases.count(open),
      ])
      return { shown, mine: { environment, count: mineCount }, open: { environment, count: openCount } }
    }),
  )
  return {
    shown: byEnvironment
      .flatMap(({ shown }) => shown)
      .sort(compareInQueue)
      .slice(0, MAX_SHOWN_AT_HOME),
    mine: byEnvironment.map(({ mine }) => mine),
    open: byEnvironment.map(({ open }) => open),
  }
}

/** Most severe first, then oldest, as in the queue of each environment. */
const compareInQueue = (one: QueuedCase, other: QueuedCase): number =>
  one.severity - other.severity || one.openedAt.getTime() - other.openedAt.getTime()

type QueuedCase = Pick<ThreatCase, 'severity' | 'openedAt'>
