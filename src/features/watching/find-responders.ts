import { UserError } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import { createHandleFinder } from '../../bot/access/actor.ts'
import type { Reachability } from '../../bot/access/reachable.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { requireReachable } from './reachable.ts'
import type { Responder, WatchSettings } from './rules/watch.ts'

type Place = Workspace & { readonly channelId: string }

/**
 * Adds Slack IDs to the typed names. Throws UserError if a name is unknown or Slack can't notify that person in this channel.
 * `unreachable` lists groups that have nobody to notify now, with the reasons.
 */
export async function resolveResponders(
  reachability: Reachability,
  context: Pick<CommandContext, 'slack'>,
  settings: WatchSettings,
  place: Place,
): Promise<{ settings: WatchSettings; unreachable: readonly string[] }> {
  if (!settings.page) return { settings, unreachable: [] }
  const findResponder = await createResponderFinder(context)
  const page = await Promise.all(
    settings.page.map(async ({ afterMs, responders }) => ({
      afterMs,
      responders: await Promise.all(responders.map(findResponder)),
    })),
  )
  const all = page.flatMap(({ responders }) => responders)
  const unique = [...new Map(all.map((responder) => [responder.id, responder])).values()]
  return { settings: { ...settings, page }, unreachable: await requireReachable(reachability, place, unique) }
}

/** Looks up one typed person or group whom Slack can notify in this channel. Throws UserError. */
export async function resolveResponder(
  reachability: Reachability,
  context: Pick<CommandContext, 'slack'>,
  name: string,
  place: Place,
): Promise<Responder> {
  const responder = await (await createResponderFinder(context))({
    name: /^[@<]/.test(name) ? name : `@${name}`,
  })
  const [unreachable] = await requireReachable(reachability, place, [responder])
  if (unreachable) throw new UserError(`Slack can’t notify them here: ${unreachable}.`)
  return responder
}

async function createResponderFinder(context: Pick<CommandContext, 'slack'>) {
  const slack = await context.slack()
  const find = await createHandleFinder(slack)
  return async ({ name }: Responder): Promise<Responder> => {
    const { id, groupHandle } = await find(name)
    if (groupHandle !== undefined) return { name: `@${groupHandle}`, id, isGroup: true }
    // `system` is found, too, which the audit log uses for Signalman itself.
    if (id === 'system') throw new UserError('No one here is named @system.')
    // Who picks a person from Slack's list has typed an ID.
    const person = name === `@${id}` ? await slack.readPerson(id).catch(() => undefined) : undefined
    return { name: person ? `@${person.handle}` : name, id }
  }
}
