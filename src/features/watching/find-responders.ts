import { UserError } from '@signalman/runtime'
import { findPerson } from '../../bot/access/actor.ts'
import type { Reachability } from '../../bot/access/reachable.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { type PageOrigin, requireReachable } from './reachable.ts'
import type { EscalationStep, Responder } from './rules/escalation-steps.ts'
import type { WatchSettings } from './rules/watch.ts'

/**
 * Adds Slack IDs to the typed names in the escalation steps. Throws UserError if a name is unknown or Slack can't notify that
 * person in this channel. `unreachable` lists groups that have nobody to notify now, with the reasons.
 */
export async function resolveResponders(
  reachability: Reachability,
  context: Pick<CommandContext, 'slack'>,
  settings: WatchSettings,
  origin: PageOrigin,
): Promise<{ settings: WatchSettings; unreachable: readonly string[] }> {
  if (!settings.escalation) return { settings, unreachable: [] }
  const escalation = await findResponders(context, settings.escalation)
  const unreachable = await requireReachable(reachability, origin, escalation)
  return { settings: { ...settings, escalation }, unreachable }
}

/** Looks up the people and groups of each step. Throws UserError for an unknown name. */
async function findResponders(
  context: Pick<CommandContext, 'slack'>,
  steps: readonly EscalationStep[],
): Promise<EscalationStep[]> {
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
  return Promise.all(
    steps.map(async ({ afterMs, responders }) => ({
      afterMs,
      responders: await Promise.all(responders.map(findResponder)),
    })),
  )
}
