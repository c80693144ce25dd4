import type { Posted } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { isPrivy } from '../privacy/asking.ts'
import type { ThreatCase } from '../rows/case-rows.ts'
import type { ThreatCases } from '../rows/cases.ts'
import type { ThreatShares } from '../rows/shares.ts'

/** What cards show of cases. */
export interface Cases {
  /** The case of an event; undefined for guests, when there is none, or when it cannot be read now. */
  of(
    context: Pick<CommandContext, 'workspaceId' | 'environment' | 'actor'>,
    eventId: string,
  ): Promise<ThreatCase | undefined>
  /** Remembers where the card of an event was posted: the thread of that message is told of the case. */
  shared(
    context: Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>,
    eventIds: readonly string[],
    at: Posted & { threadTs: string | undefined },
  ): Promise<void>
}

export function createCases({
  threatCases,
  threatShares,
  report,
}: {
  threatCases: Pick<ThreatCases, 'find' | 'placed'>
  threatShares: Pick<ThreatShares, 'shared'>
  report: (error: unknown, words: string) => void
}): Cases {
  return {
    async of(context, eventId) {
      if (!(await isPrivy(context))) return undefined
      const { workspaceId, environment } = context
      try {
        return await threatCases.find({ workspaceId, environment, eventId })
      } catch (error) {
        report(error, 'The case of a threat event could not be read.')
        return undefined
      }
    },

    async shared({ workspaceId, environment, now }, eventIds, { channelId, ts, threadTs }) {
      const [eventId] = eventIds
      // A message with several events is not the card of one.
      if (eventId === undefined || eventIds.length > 1) return
      const event = { workspaceId, environment, eventId }
      const place = { channelId, messageTs: ts, ...(threadTs && { threadTs }) }
      await threatShares.shared(event, place, now)
      await threatCases.placed(event, place)
    },
  }
}
