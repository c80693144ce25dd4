import { UserError } from '@signalman/runtime'
import { card, commandButton, type Line, type Message } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Grant, Subject } from '../../domain/roles.ts'
import { pluralize } from '../../domain/wording.ts'
import type { AccessDeps } from './access-settings.ts'
import type { RoleAnswers } from './change-role.ts'
import { type GivenRole, giveRole } from './give-role.ts'
import { latestGrantEnd, readEnd, SAME_END } from './rules/grants.ts'
import { grantLine } from './views/access.ts'
import { joinAll, ownRoleEndsLine } from './views/rights.ts'

/** Gives people and user groups a role. Throws UserError if one of them can't have it. */
export async function addRole(
  deps: Pick<AccessDeps, 'grants'>,
  context: CommandContext,
  { subjects, role, end }: RoleAnswers & { subjects: readonly Subject[] },
): Promise<Message> {
  const endsAt = readEnd(end, context.begunAt)
  if (endsAt === null || endsAt === SAME_END)
    throw new UserError('Choose until when they should have the role.')
  const ownEnd = latestGrantEnd(await context.roles(), context.now)
  const given = await giveRole(deps, context, { verb: '/hc access-add', role, subjects }, endsAt)
  return addedView(role, given, { requestedEnd: endsAt, ownEnd })
}

/** Confirms who has the role now, and until when. */
function addedView(
  role: Grant['role'],
  given: readonly GivenRole[],
  { requestedEnd, ownEnd }: { requestedEnd: Date | undefined; ownEnd: Date | undefined },
): Message {
  const rows = given.map(({ subject, endsAt, longerEnd }): Line => {
    const line = grantLine({ grant: { subject, role, endsAt: endsAt ? new Date(endsAt) : undefined } })
    if (longerEnd) return joinAll(line, joinAll(' · shorter than before: until ', [new Date(longerEnd)]))
    // Only a permanent role ignores the end that was asked for.
    return requestedEnd && !endsAt ? joinAll(line, ' · already permanent, so not changed') : line
  })
  const wasShortened = given.some(({ endsAt }) => endsAt === ownEnd?.toISOString())
  return card({
    headline: `Saved: ${pluralize(given.length, 'role')}`,
    notes: [...rows, ...(ownEnd && wasShortened ? [ownRoleEndsLine(ownEnd)] : [])],
    controls: [commandButton('Roles', '/hc access'), commandButton('Audit log', '/hc audit')],
  })
}
