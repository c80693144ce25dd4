import { isOrganization, type Person, type RequestUser, type Workspace } from '@signalman/slack'
import type { People } from './people.ts'

/**
 * What a person is to the workspace that the app is installed in. `unplaced`: they are of its organization, and Slack has named no
 * workspace of it. `unknown`: Slack could not be asked.
 */
export type Standing = 'member' | 'guest' | 'foreign' | 'deactivated' | 'bot' | 'unplaced' | 'unknown'

export interface Actor {
  readonly userId: string
  readonly standing: Standing
  /** False for people of other workspaces of the organization: what everyone in this workspace may is not for them. */
  readonly isOfWorkspace: boolean
  /** Whether Slack counts the person as an admin or owner of the workspace. */
  readonly isSlackAdmin: boolean
  /** The name and the IANA time zone that Slack gives; absent when it does not. */
  readonly name?: string | undefined
  readonly timeZone?: string | undefined
}

/**
 * Finds out who acts, for every kind of request. People of other organizations reach the app through shared channels with
 * the same authorisation as members. The request's own word is the first sign of that; Slack's answer about the person decides,
 * which must not be older than `maxAgeMs`.
 */
export async function actorOf(
  requestUser: RequestUser,
  people: Pick<People, 'personOf'>,
  maxAgeMs?: number,
): Promise<Actor> {
  const { userId, workspaceId, enterpriseId, homeId = workspaceId } = requestUser
  const isOfWorkspace = homeId === workspaceId
  const nobody = { userId, isOfWorkspace, isSlackAdmin: false }
  if (isPlainlyForeign(requestUser)) return { ...nobody, standing: 'foreign' }
  const person = await people.personOf(requestUser, userId, maxAgeMs).catch((error: unknown) => error)
  if (!isPerson(person)) {
    if (isNobodyHere(person)) return { ...nobody, standing: 'foreign' }
    if (isOrganization(workspaceId)) return { ...nobody, standing: 'unplaced' }
    return { ...nobody, standing: isOfWorkspace || homeId === enterpriseId ? 'unknown' : 'foreign' }
  }
  const standing = standingOf(requestUser, person)
  // Slack's flag is about the person's own workspace: an admin of a sister workspace is no admin here.
  const isSlackAdmin = person.isAdmin && standing === 'member' && person.teamId === workspaceId
  const { name, timeZone } = person
  return { userId, standing, isOfWorkspace: isOf(requestUser, person), isSlackAdmin, name, timeZone }
}

/** Where the request itself says that the person is of elsewhere, and the workspace is in no organization that could be theirs too. */
export const isPlainlyForeign = ({ workspaceId, enterpriseId, homeId = workspaceId }: RequestUser): boolean =>
  homeId !== workspaceId &&
  (enterpriseId === undefined || (isOrganization(homeId) && homeId !== enterpriseId))

const isPerson = (found: unknown): found is Person =>
  typeof found === 'object' && found !== null && 'isDeactivated' in found

/** True when Slack says that nobody here has this id. */
const isNobodyHere = (error: unknown): boolean =>
  error instanceof Error && /\b(?:user_not_found|user_not_visible|users_not_found)\b/.test(error.message)

const isOf = ({ workspaceId }: Workspace, { teamIds }: Person): boolean => teamIds.includes(workspaceId)

/** Compares the ids of workspaces and organizations: nothing else that Slack says of a person tells who is of another organization. */
export function standingOf(workspace: Workspace, person: Person): Standing {
  if (person.isDeactivated) return 'deactivated'
  if (person.isBot) return 'bot'
  const { workspaceId, enterpriseId } = workspace
  if (!person.enterpriseId && person.teamIds.length === 0) return 'unknown'
  const isSister = enterpriseId !== undefined && person.enterpriseId === enterpriseId
  if (!isSister && !isOf(workspace, person)) return 'foreign'
  if (isOrganization(workspaceId)) return 'unplaced'
  return person.isGuest ? 'guest' : 'member'
}
