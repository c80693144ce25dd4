import { UserError } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import { createHandleFinder } from '../../bot/access/actor.ts'
import { NO_SUCH_GROUP, type Reachability } from '../../bot/access/reachable.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Responder, WatchSettings } from './rules/watch.ts'

type LookUp = Pick<Reachability, 'lookUp'>
type Place = Workspace & { readonly channelId: string }

/**
 * Adds Slack IDs to the names that have none. Throws UserError if a name is unknown or Slack can't notify that person in this channel.
 * `unreachable` lists groups that have nobody to notify now, with the reasons: their members may change before anyone is paged.
 */
export async function resolveResponders(
  reachability: LookUp,
  context: Pick<CommandContext, 'slack'>,
  settings: WatchSettings,
  place: Place,
): Promise<{ settings: WatchSettings; unreachable: readonly string[] }> {
  if (!settings.page) return { settings, unreachable: [] }
  const findResponder = createResponderFinder(context)
  const groups = settings.page.flatMap(({ responders }) =>
    responders.filter(({ id, isGroup }) => id !== undefined && isGroup),
  )
  const before = await reachability.lookUp(place, groups)
  // A group that was made anew has the name, but another ID.
  const gone = before.not.flatMap(({ one, reason }) => (reason === NO_SUCH_GROUP ? one : []))
  const resolve = async (responder: Responder): Promise<Responder> =>
    responder.id === undefined || gone.includes(responder) ? findResponder(responder) : responder
  const page = await Promise.all(
    settings.page.map(async ({ afterMs, responders }) => ({
      afterMs,
      responders: await Promise.all(responders.map(resolve)),
    })),
  )
  const all = page.flatMap(({ responders }) => responders)
  const unique = [...new Map(all.map((responder) => [responder.id, responder])).values()]
  const { not } = await lookUpAll(reachability, place, unique)
  const refused = not.filter(({ one }) => !one.isGroup)
  if (refused.length > 0)
    throw new UserError(
      `Slack can’t notify everyone: ${explainNot(refused)}. Name someone else, or add them to the channel.`,
    )
  return {
    settings: { ...settings, page },
    unreachable: not.map((one) => explainNot([one])),
  }
}

/** Looks up one typed person or group whom Slack can notify in this channel. Throws UserError. */
export async function resolveResponder(
  reachability: LookUp,
  context: Pick<CommandContext, 'slack'>,
  name: string,
  place: Place,
): Promise<Responder> {
  const responder = await createResponderFinder(context)({ name: /^[@<]/.test(name) ? name : `@${name}` })
  const { not } = await lookUpAll(reachability, place, [responder])
  if (not.length > 0) throw new UserError(`Slack can’t notify them here: ${explainNot(not)}.`)
  return responder
}

/** Throws if Slack can't be reached. */
async function lookUpAll({ lookUp }: LookUp, place: Place, responders: readonly Responder[]) {
  const found = await lookUp(place, responders)
  const [failed] = found.unknown
  if (failed) throw failed.error
  return found
}

/** `@ann is deactivated, @on-call has no members` */
export const explainNot = (not: readonly { readonly one: Responder; readonly reason: string }[]): string =>
  not.map(({ one, reason }) => `${one.name} ${reason}`).join(', ')

function createResponderFinder(context: Pick<CommandContext, 'slack'>) {
  // Only what has no ID needs the names of groups.
  let finding: ReturnType<typeof createHandleFinder> | undefined
  return async ({ name }: Responder): Promise<Responder> => {
    const slack = await context.slack()
    finding ??= createHandleFinder(slack)
    const { id, groupHandle } = await (await finding)(name)
    if (groupHandle !== undefined) return { name: `@${groupHandle}`, id, isGroup: true }
    // `system` is found, too, which the audit log uses for Signalman itself.
    if (id === 'system') throw new UserError('No one here is named @system.')
    // Who picks a person from Slack's list has typed an ID.
    const person = name === `@${id}` ? await slack.readPerson(id).catch(() => undefined) : undefined
    return { name: person ? `@${person.handle}` : name, id }
  }
}
