import { UserError } from '@signalman/runtime'
import { findPerson } from '../../bot/access/actor.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { type CalledIn, refuseUnreachable } from './reachable.ts'
import type { Called, EscalationStep } from './rules/escalation-steps.ts'
import type { WatchTerms } from './rules/watch.ts'

/** Terms of a watch whose steps name people by their ids. Throws UserError, also for people whom Slack can't notify there. */
export async function withCalled(
  context: Pick<CommandContext, 'slack'>,
  terms: WatchTerms,
  place: CalledIn,
): Promise<WatchTerms> {
  if (!terms.escalation) return terms
  const escalation = await findCalled(context, terms.escalation)
  await refuseUnreachable(await context.slack(), place, escalation)
  return { ...terms, escalation }
}

/** The steps with the ids of whom they call. Throws UserError for a name that nobody here has. */
async function findCalled(
  context: Pick<CommandContext, 'slack'>,
  steps: readonly EscalationStep[],
): Promise<EscalationStep[]> {
  const slack = await context.slack()
  // A workspace without the scope for user groups can still call people.
  const groups = await slack.groups().catch(() => [])
  const found = async ({ name }: Called): Promise<Called> => {
    const wanted = name.replace(/^@/, '').toLowerCase()
    const group = groups.find(({ id, handle }) => [id, handle].some((one) => one.toLowerCase() === wanted))
    if (group) return { name: `@${group.handle}`, id: group.id, isGroup: true }
    const id = await findPerson(
      slack,
      name,
      groups.map(({ handle }) => handle),
    )
    if (id === 'system') throw new UserError('Nobody here is called @system.')
    return { name, id }
  }
  return Promise.all(
    steps.map(async ({ afterMs, call }) => ({ afterMs, call: await Promise.all(call.map(found)) })),
  )
}
