import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { CasePerson } from './rules/case-steps.ts'

/** Returns the person who sent the request, with their current display name. */
export async function readPerson(context: Pick<CommandContext, 'userId' | 'actor'>): Promise<CasePerson> {
  const { name = context.userId } = await context.actor()
  return { userId: context.userId, name }
}
