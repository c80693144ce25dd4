import { canSeePersonalData } from '../../bot/access/access.ts'
import type { Rights } from '../../bot/routes/command-context.ts'
import type { LoadedEvent } from './rules/loaded-event.ts'
import type { ShownEvent } from './rules/shown-event.ts'

/** Whether this person may see the page's texts and screenshots, and the cases. */
export const isMember = async (context: Pick<Rights, 'actor'>): Promise<boolean> =>
  canSeePersonalData(await context.actor())

/** The event as this person may see it. */
export const eventForViewer = async (
  context: Pick<Rights, 'actor'>,
  { forMembers, facts }: LoadedEvent,
): Promise<ShownEvent> => ((await isMember(context)) ? forMembers : facts)
