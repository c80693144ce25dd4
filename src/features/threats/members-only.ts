import { UserError } from '@signalman/runtime'
import { seesPersonal } from '../../bot/access/access.ts'
import type { CommandContext, Rights } from '../../bot/routes/command-context.ts'
import type { Reading } from './rules/reading.ts'
import type { ShownEvent } from './rules/shown-event.ts'

/** Whether this person may see texts and pictures of a page, who has a case, and the personal data of a domain's owner. */
export async function isMember(context: Pick<Rights, 'actor'>): Promise<boolean> {
  return seesPersonal(await context.actor())
}

/** As much of an event as this person may see. */
export const shownTo = async (
  context: Pick<Rights, 'actor'>,
  { forMembers, facts }: Reading,
): Promise<ShownEvent> => ((await isMember(context)) ? forMembers : facts)

/** Throws UserError for a guest who asks for texts or pictures of this event, or for its owner; without its ID, for cases. */
export async function refuseGuests(
  context: Pick<CommandContext, 'actor' | 'refused'>,
  verb: string,
  id?: string,
): Promise<void> {
  if (await isMember(context)) return
  await context.refused({ verb, object: id ? `threat event ${id}` : 'cases of threat events' })
  const what = id
    ? 'Guests can’t see texts or pictures of a page, or who owns the domain.'
    : 'Guests can’t see cases of threat events.'
  throw new UserError(`${what} Ask a member of this workspace.`)
}
