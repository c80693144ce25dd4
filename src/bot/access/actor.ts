import type { Person } from '../../slack/client/person.ts'
import type { RequestUser } from '../../slack/receive/origin.ts'
import type { People } from './people.ts'

/** What a person is to the workspace that the app is installed in. `unknown`: Slack could not be asked. */
export type Standing = 'member' | 'guest' | 'foreign' | 'deactivated' | 'bot' | 'unknown'

export interface Actor {
  readonly userId: string
  readonly standing: Standing
  /** Whether Slack counts the person as an admin or owner of the workspace. */
  readonly isSlackAdmin: boolean
  /** The name and the IANA time zone that Slack gives; absent when it does not. */
  readonly name?: string | undefined
  readonly timeZone?: string | undefined
}

/**
 * Finds out who acts, for every kind of request. People of other organizations reach the app through shared channels with
 * the same authorisation as members. The payload's team is the first sign of that; Slack's answer about the person decides,
 * which must not be older than `maxAgeMs`.
 */
export async function actorOf(
  requestUser: RequestUser,
  people: Pick<People, 'personOf'>,
  maxAgeMs?: number,
): Promise<Actor> {
  const { userId } = requestUser
  const isVisitor = isElsewhere(requestUser, requestUser.userTeamId, undefined)
  if (isPlainlyForeign(requestUser)) return { userId, standing: 'foreign', isSlackAdmin: false }
  const person = await people.personOf(requestUser, userId, maxAgeMs).catch((error: unknown) => error)
  if (!isPerson(person))
    return {
      userId,
      standing: isVisitor || isNobodyHere(person) ? 'foreign' : 'unknown',
      isSlackAdmin: false,
    }
  const standing = standingOf(requestUser, person)
  const { name, timeZone } = person
  return { userId, standing, isSlackAdmin: isAdminHere(requestUser, person, standing), name, timeZone }
}

/** Slack's flag is about the person's own workspace: an admin of a sister workspace is no admin here. */
const isAdminHere = (
  { workspaceId }: RequestUser,
  { isAdmin, teamId }: Person,
  standing: Standing,
): boolean => isAdmin && standing === 'member' && (teamId ?? workspaceId) === workspaceId

/** What the request itself says. In an organization the team may be a sister workspace: then only Slack can tell. */
export const isPlainlyForeign = (requestUser: RequestUser): boolean =>
  !requestUser.enterpriseId && isElsewhere(requestUser, requestUser.userTeamId, undefined)

const isPerson = (found: unknown): found is Person =>
  typeof found === 'object' && found !== null && 'isDeactivated' in found

/** True when Slack says that nobody here has this id. */
const isNobodyHere = (error: unknown): boolean =>
  error instanceof Error && /\b(?:user_not_found|user_not_visible|users_not_found)\b/.test(error.message)

function standingOf(requestUser: RequestUser, person: Person): Standing {
  if (person.isDeactivated) return 'deactivated'
  if (person.isBot) return 'bot'
  if (person.isStranger || isElsewhere(requestUser, person.teamId, person.enterpriseId)) return 'foreign'
  // Where the payload names no workspace, theirs was taken for the one that the app is in.
  const { enterpriseId } = requestUser
  if (enterpriseId && person.enterpriseId && person.enterpriseId !== enterpriseId) return 'foreign'
  return person.isGuest ? 'guest' : 'member'
}

/** True for a person of another workspace that is not in the same organization (Enterprise Grid). */
function isElsewhere(
  requestUser: RequestUser,
  teamId: string | undefined,
  enterpriseId?: string | undefined,
): boolean {
  if (!teamId || teamId === requestUser.workspaceId || teamId === requestUser.enterpriseId) return false
  return !requestUser.enterpriseId || enterpriseId !== requestUser.enterpriseId
}
