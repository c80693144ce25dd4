import { UserError } from '@signalman/runtime'
import { isDirect } from '@signalman/slack'
import { canSeePersonalData, isAllowed } from '../access/access.ts'
import type { HandledRequest, Rights } from '../routes/command-context.ts'
import { findVerbOfLine } from '../routes/lines.ts'
import type { Verbs } from '../routes/read-line.ts'

/**
 * Finds the buttons that a person can't use, so that the answer leaves them out. Resolves with undefined if the roles can't be read.
 * Then all buttons are shown, and pressing one checks the roles again.
 */
export type FindHiddenButtons = (
  context: Pick<Rights, 'actor' | 'roles'> & Pick<HandledRequest, 'channelId'>,
) => Promise<HandledRequest['isHidden']>

/**
 * Matches a line that shares its answer. Guests can't, and nobody can where there is no channel, such as in a direct message or in a
 * window opened from Home.
 */
const SHARES = / --share(?= |$)/

export function createFindHiddenButtons(routes: Verbs): FindHiddenButtons {
  return async (context) => {
    const roles = await context.roles().catch(() => undefined)
    if (!roles) return undefined
    const { actor, channelId } = context
    const canShare = channelId !== undefined && !isDirect(channelId) && canSeePersonalData(actor)
    return (line) => {
      const verb = findVerbOfLine(routes, line)
      return verb !== undefined && (!isAllowed(actor, roles, verb) || (SHARES.test(line) && !canShare))
    }
  }
}

/** What the button was for was deleted, or its value comes from an earlier version of the app. */
export class ButtonTooOld extends UserError {
  override readonly name = 'ButtonTooOld'
  constructor({ unknown, next }: { unknown?: string; next?: string }) {
    const reason = unknown === undefined ? '.' : `, and Signalman no longer knows ${unknown}.`
    super(`This button is too old${reason}${next === undefined ? '' : ` ${next}`}`)
  }
}
