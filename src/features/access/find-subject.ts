import { UserError } from '@signalman/runtime'
import type { Directory } from '@signalman/slack'
import { createHandleFinder, type Membership } from '../../bot/access/actor.ts'
import type { Rights } from '../../bot/routes/command-context.ts'
import { EVERYONE, type Subject } from '../../domain/roles.ts'

const GROUP_ID = /^S[A-Z0-9]{6,}$/

/** Finds the person or user group for a typed handle or ID. Throws UserError if there is none. */
export async function findSubject(
  slack: Pick<Directory, 'groups' | 'members'>,
  typed: string,
): Promise<Subject> {
  const name = typed.replace(/^@/, '')
  if (name === EVERYONE.kind) return EVERYONE
  if (GROUP_ID.test(name)) return { kind: 'group', id: name }
  const { id, groupHandle } = await (await createHandleFinder(slack))(typed)
  return { kind: groupHandle === undefined ? 'user' : 'group', id }
}

/** Throws UserError if the subject is a person who can't have a role. */
export async function refuseIneligible(context: Rights, { kind, id }: Subject): Promise<void> {
  if (kind !== 'user') return
  const { name = id, membership } = await context.findActor(id)
  if (membership === 'foreign' && name === id)
    throw new UserError(`Slack has no user with the ID ${id} here.`)
  if (membership === 'unknown')
    throw new UserError(`Slack isn’t responding, so Signalman can’t look up ${name}. Try again in a minute.`)
  const reason = INELIGIBLE_REASONS[membership]
  if (reason) throw new UserError(`${name} ${reason}, so they can’t have a role.`)
}

/** Why someone can't have a role. */
export const INELIGIBLE_REASONS: Partial<Record<Membership, string>> = {
  deactivated: 'has a deactivated account',
  bot: 'is an app',
  foreign: 'belongs to another organization',
  guest: 'is a guest, and guests can’t change anything here',
}
