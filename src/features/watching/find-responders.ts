import { UserError } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import { findPerson } from '../../bot/access/actor.ts'
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
  // The app may lack the scope for user groups. People can still be paged then.
  const found = await slack.groups().catch(() => undefined)
  const groups = found ?? []
  return async ({ name }: Responder): Promise<Responder> => {
    const wanted = name.replace(/^@/, '').toLowerCase()
    const group = groups.find(({ id, handle }) => [id, handle].some((text) => text.toLowerCase() === wanted))
    if (group) return { name: `@${group.handle}`, id: group.id, isGroup: true }
    const id = await findPerson(
      slack,
      name,
      groups.map(({ handle }) => handle),
    ).catch((error: unknown) => {
      if (found || !(error instanceof UserError)) throw error
      const unread =
        'User groups weren’t searched: Slack didn’t return them, or the app lacks the scope usergroups:read.'
      throw new UserError(`${error.message} ${unread}`, error.suggestions)
    })
    // `findPerson` also accepts `system`, which the audit log uses for Signalman itself.
    if (id === 'system') throw new UserError('No one here is named @system.')
    // Who picks a person from Slack's list has typed an ID.
    const person = name === `@${id}` ? await slack.readPerson(id).catch(() => undefined) : undefined
    return { name: person ? `@${person.handle}` : name, id }
  }
}
