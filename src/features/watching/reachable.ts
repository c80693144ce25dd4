import { UserError } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import type { NotificationPlace, Reachability } from '../../bot/access/reachable.ts'
import type { EscalationStep, Responder } from './rules/escalation-steps.ts'
import { responderId } from './rules/paging/responders.ts'

/** A channel that people are paged in. */
export interface PageOrigin extends Workspace {
  readonly channelId: string
  /** The owners of the watches that page there. */
  readonly ownerIds: readonly string[]
}

type Explain = Pick<Reachability, 'explainPerson' | 'explainGroup'>

/** A responder whom Slack can't notify, with the reason: `@ann is deactivated`. */
export interface UnreachableResponder {
  readonly responder: Responder
  readonly text: string
}

/** Lists the responders of these steps whom Slack can't notify in the channel. Throws if Slack can't be reached. */
export async function findUnreachable(
  reachability: Explain,
  origin: PageOrigin,
  steps: readonly EscalationStep[],
): Promise<UnreachableResponder[]> {
  const named = steps.flatMap(({ responders }) => responders)
  const responders = new Map(named.map((responder) => [responderId(responder), responder]))
  const unreachable: UnreachableResponder[] = []
  for (const responder of responders.values()) {
    const reason = await explainResponder(reachability, origin, responder)
    if (reason) unreachable.push({ responder, text: `${responder.name} ${reason}` })
  }
  return unreachable
}

/**
 * Throws UserError if the steps name a person whom Slack can't notify. Returns the groups that have nobody to
 * notify now: their members may change before anyone is paged.
 */
export async function requireReachable(
  reachability: Explain,
  origin: PageOrigin,
  steps: readonly EscalationStep[],
): Promise<string[]> {
  const unreachable = await findUnreachable(reachability, origin, steps)
  const refused = unreachable.filter(({ responder }) => !responder.isGroup)
  if (refused.length > 0)
    throw new UserError(
      `--escalate can’t page everyone: ${refused.map(({ text }) => text).join(', ')}. Name someone else, or add them to the channel.`,
    )
  return unreachable.map(({ text }) => text)
}

/** Why Slack can't notify a responder in the channel; undefined if it can. Throws if Slack can't be reached. */
export function explainResponder(
  reachability: Explain,
  origin: PageOrigin,
  responder: Responder,
): Promise<string | undefined> {
  const [place, id] = [toPlace(origin), responderId(responder)]
  return responder.isGroup ? reachability.explainGroup(place, id) : reachability.explainPerson(place, id)
}

/** Where people are notified. */
export const toPlace = (origin: PageOrigin): NotificationPlace => ({
  workspaceId: origin.workspaceId,
  enterpriseId: origin.enterpriseId,
  channelId: origin.channelId,
})
