import { canSeePersonalData, isAllowed } from '../access/access.ts'
import type { HandledRequest, Rights } from '../routes/command-context.ts'
import type { FindVerbOfLine } from '../routes/resolve-line.ts'

/**
 * Finds the buttons that a person can't use, so that the answer leaves them out. Resolves with undefined if the roles can't be read.
 * Then all buttons are shown, and pressing one checks the roles again.
 */
export type FindHiddenButtons = (
  rights: Pick<Rights, 'actor' | 'roles'>,
  content: object,
) => Promise<HandledRequest['isHidden']>

/** Guests can't share. */
const SHARES = / --share(?= |$)/

export function createFindHiddenButtons(findVerbOfLine: FindVerbOfLine): FindHiddenButtons {
  return async (rights, content) => {
    // A message that is cached by permissions was already built for the same roles.
    if ('serializedBodies' in content) return undefined
    const actorAndRoles = await Promise.all([rights.actor(), rights.roles()]).catch(() => undefined)
    if (!actorAndRoles) return undefined
    const [actor, roles] = actorAndRoles
    return (line) => {
      const verb = findVerbOfLine(line)
      return (
        verb !== undefined &&
        (!isAllowed(actor, roles, verb) || (SHARES.test(line) && !canSeePersonalData(actor)))
      )
    }
  }
}
