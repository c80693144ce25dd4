import { canSeePersonalData } from '../../bot/access/access.ts'
import type { Rights } from '../../bot/routes/command-context.ts'
import type { Reading } from './rules/reading.ts'
import type { ShownEvent } from './rules/shown-event.ts'

/** Whether this person may see a page's texts and screenshots, who has a case, and the domain owner's personal data. */
export async function isMember(context: Pick<Rights, 'actor'>): Promise<boolean> {
  return canSeePersonalData(await context.actor())
}

/** The event as this person may see it. */
export const eventForViewer = async (
  context: Pick<Rights, 'actor'>,
  { forMembers, facts }: Reading,
): Promise<ShownEvent> => ((await isMember(context)) ? forMembers : facts)
