import { seesPersonal } from '../../bot/access/access.ts'
import type { Rights } from '../../bot/routes/command-context.ts'
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
