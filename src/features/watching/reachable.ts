import { UserError } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import type { Reachability } from '../../bot/access/reachable.ts'
import type { Responder } from './rules/watch.ts'

type Explain = Pick<Reachability, 'explainPerson' | 'explainGroup'>

/**
 * Throws UserError if one of these people can't be notified in the channel. Returns the groups that have nobody to notify now, with the
 * reasons: their members may change before anyone is paged.
 */
export async function requireReachable(
  reachability: Explain,
  place: Workspace & { readonly channelId: string },
  responders: readonly Responder[],
): Promise<string[]> {
  const found = await Promise.all(
    responders.map(async (responder) => {
      const reason = await explainResponder(reachability, place, responder)
      return reason ? [{ isGroup: responder.isGroup, text: `${responder.name} ${reason}` }] : []
    }),
  )
  const unreachable = found.flat()
  const refused = unreachable.filter(({ isGroup }) => !isGroup)
  if (refused.length > 0)
    throw new UserError(
      `Slack can’t notify everyone: ${refused.map(({ text }) => text).join(', ')}. Name someone else, or add them to the channel.`,
    )
  return unreachable.map(({ text }) => text)
}

/** Why Slack can't notify a responder in the channel; undefined if it can. Throws if Slack can't be reached. */
export const explainResponder = (
  reachability: Explain,
  place: Workspace & { readonly channelId: string },
  { id, name, isGroup }: Responder,
): Promise<string | undefined> =>
  isGroup ? reachability.explainGroup(place, id ?? name) : reachability.explainPerson(place, id ?? name)
