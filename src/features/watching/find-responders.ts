import { UserError } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import { findPerson } from '../../bot/access/actor.ts'
import type { Reachability } from '../../bot/access/reachable.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { requireReachable } from './reachable.ts'
import type { Responder, WatchSettings } from './rules/watch.ts'

/**
 * Adds Slack IDs to the typed names. Throws UserError if a name is unknown or Slack can't notify that person in this channel.
 * `unreachable` lists groups that have nobody to notify now, with the reasons.
 */
export async function resolveResponders(
  reachability: Reachability,
  context: Pick<CommandContext, 'slack'>,
  settings: WatchSettings,
  place: Workspace & { readonly channelId: string },
): Promise<{ settings: WatchSettings; unreachable: readonly string[] }> {
  const { page } = settings
  if (!page) return { settings, unreachable: [] }
  const slack = await context.slack()
  // The app may lack the scope for user groups. People can still be paged then.
  const found = await slack.groups().catch(() => undefined)
  const groups = found ?? []
  const findResponder = async ({ name }: Responder): Promise<Responder> => {
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
    return { name, id }
  }
  const steps = await Promise.all(
    page.map(async (step) => ({
      ...step,
      responders: await Promise.all(step.responders.map(findResponder)),
    })),
  )
  const unreachable = await requireReachable(
    reachability,
    place,
    steps.flatMap(({ responders }) => responders),
  )
  return { settings: { ...settings, page: steps }, unreachable }
}
