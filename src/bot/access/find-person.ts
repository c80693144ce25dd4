import { UserError } from '@signalman/runtime'
import type { Directory, Member } from '@signalman/slack'

const USER_ID = /^[UW][A-Z0-9]{5,}$/
/** Most people of one name that are listed. */
const NAMED = 10

/**
 * The user id that somebody types: an id, or what is typed behind `@` in any case, or a display name. Throws UserError when
 * nobody is called so, or several are.
 */
export async function findPerson({ members }: Pick<Directory, 'members'>, typed: string): Promise<string> {
  const name = typed.replace(/^@/, '')
  if (USER_ID.test(name) || name === 'system') return name
  const wanted = name.toLowerCase()
  const named: Member[] = []
  for await (const member of members()) {
    if (member.handle.toLowerCase() === wanted) return member.userId
    if (member.name.toLowerCase() === wanted && named.length < NAMED) named.push(member)
  }
  const [only] = named
  if (only && named.length === 1) return only.userId
  if (!only)
    throw new UserError(
      `Nobody here is called @${name}. Type the person as Slack completes it, or their user id.`,
    )
  throw new UserError(
    `Several people are called ${name}: ${named.map(({ handle, userId }) => `@${handle} (${userId})`).join(', ')}. Type one of these handles or ids.`,
  )
}
