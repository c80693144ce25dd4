import { createShortCache, UserError } from '@signalman/runtime'
import {
  type Directory,
  isOrganization,
  type Member,
  type Person,
  type RequestUser,
  type SlackClients,
  slackErrorCode,
  TooManyPages,
  type Workspace,
  wasRejected,
} from '@signalman/slack'
import { isTimeZone } from '../../domain/dates/zoned.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { formatList } from '../../domain/wording.ts'

/** How a person relates to the workspace that installed the app. `unknown`: Slack couldn't be reached. */
export type Membership = 'member' | 'guest' | 'foreign' | 'deactivated' | 'bot' | 'unknown'

/** A person in a workspace, as reported by Slack. */
export interface Identity {
  readonly userId: string
  readonly membership: Membership
  /** False for people of other workspaces in the organization: a grant for everyone in this workspace isn't for them. */
  readonly isFromThisWorkspace: boolean
  /** Whether Slack counts the person as an admin or owner of the workspace. */
  readonly isSlackAdmin: boolean
  /** The name and IANA time zone from Slack, if it returns them. */
  readonly name?: string | undefined
  readonly timeZone?: string | undefined
}

export interface Actor extends Identity {
  /** Whether they may see anything here: members, and guests if an admin allows it. */
  readonly canView: boolean
}

/**
 * Identifies the person behind any kind of request. In shared channels, Slack also sends requests of people from other
 * organizations. If the request itself doesn't show that, decides by Slack's answer about the person, which is at most `maxAgeMs`
 * old.
 */
export async function identify(
  requestUser: RequestUser,
  people: Pick<People, 'readPerson'>,
  maxAgeMs?: number,
): Promise<Identity> {
  const { userId, workspaceId, enterpriseId, homeId = workspaceId } = requestUser
  const isFromThisWorkspace = homeId === workspaceId
  const base = { userId, isFromThisWorkspace, isSlackAdmin: false }
  if (isPlainlyForeign(requestUser)) return { ...base, membership: 'foreign' }
  let person: Person
  try {
    person = await people.readPerson(requestUser, userId, maxAgeMs)
  } catch (error) {
    const isFromHere = isFromThisWorkspace || homeId === enterpriseId
    return { ...base, membership: isFromHere && !isUnknownUser(error) ? 'unknown' : 'foreign' }
  }
  const membership = findMembership(requestUser, person)
  // Slack's flag refers to the person's own workspace. An admin of another workspace in the organization isn't an admin here.
  const isSlackAdmin = person.isAdmin && membership === 'member' && person.teamId === workspaceId
  const { name, timeZone } = person
  return {
    userId,
    membership,
    isFromThisWorkspace: isInWorkspace(requestUser, person),
    isSlackAdmin,
    name,
    timeZone,
  }
}

const keepKnownZone = (person: Person): Person =>
  person.timeZone === undefined || isTimeZone(person.timeZone) ? person : { ...person, timeZone: undefined }

/**
 * True if the request itself shows that the person is from another organization: they are from another workspace, and the two
 * workspaces can't be in the same organization.
 */
const isPlainlyForeign = ({ workspaceId, enterpriseId, homeId = workspaceId }: RequestUser): boolean =>
  homeId !== workspaceId &&
  (enterpriseId === undefined || (isOrganization(homeId) && homeId !== enterpriseId))

/** True if Slack says that this ID doesn't exist here. */
const isUnknownUser = (error: unknown): boolean =>
  /^(?:users?_not_found|user_not_visible)$/.test(slackErrorCode(error) ?? '')

const isInWorkspace = ({ workspaceId }: Workspace, { teamIds }: Person): boolean =>
  teamIds.includes(workspaceId)

/** Compares workspace and organization IDs, because nothing else in Slack's answer shows where a person is from. */
function findMembership(workspace: Workspace, person: Person): Membership {
  if (person.isDeactivated) return 'deactivated'
  if (person.isBot) return 'bot'
  const { enterpriseId } = workspace
  if (!person.enterpriseId && person.teamIds.length === 0) return 'unknown'
  const isInSameOrganization = enterpriseId !== undefined && person.enterpriseId === enterpriseId
  if (!isInSameOrganization && !isInWorkspace(workspace, person)) return 'foreign'
  return person.isGuest ? 'guest' : 'member'
}

const CACHE_MS = 60_000
/** Enough for 10,000 workspaces with two people each, at about 400 bytes a person. */
const MAX_PEOPLE = 20_000
const MAX_GROUPS = 5000
/** How many of Slack's own admins are listed. */
const MAX_SLACK_ADMINS = 20

/** What Slack says about people and their user groups, cached for a minute. With `maxAgeMs`, only newer answers are used. */
export type People = ReturnType<typeof createPeople>

export function createPeople(clients: SlackClients, now: () => Date) {
  const persons = createShortCache<Person>({ freshMs: CACHE_MS, maxEntries: MAX_PEOPLE, now })
  const groups = createShortCache<ReadonlySet<string>>({ freshMs: CACHE_MS, maxEntries: MAX_GROUPS, now })
  const guests = createShortCache<ReadonlySet<string>>({ freshMs: CACHE_MS, maxEntries: MAX_GROUPS, now })
  const admins = createShortCache<readonly string[]>({ freshMs: CACHE_MS, maxEntries: MAX_GROUPS, now })
  const listMembers = (
    workspace: Workspace,
    groupId: string,
    maxAgeMs?: number,
  ): Promise<ReadonlySet<string>> =>
    groups.get(
      `${workspace.workspaceId} ${groupId}`,
      async () => new Set(await (await clients.forWorkspace(workspace)).groupMembers(groupId)),
      maxAgeMs,
    )
  return {
    /** The members of a user group. Throws if Slack refuses or can't be reached. */
    listMembers,
    /** Throws if Slack can't be reached. */
    readPerson: (workspace: Workspace, userId: string, maxAgeMs?: number): Promise<Person> =>
      persons.get(
        `${workspace.workspaceId} ${userId}`,
        async () => keepKnownZone(await (await clients.forWorkspace(workspace)).readPerson(userId)),
        maxAgeMs,
      ),
    /** Drops a person from the cache, because Slack reported a change. */
    forget(workspaceId: string, userId: string): void {
      persons.drop(`${workspaceId} ${userId}`)
      guests.drop(workspaceId)
    },
    /** Some of Slack's own admins of a workspace. Throws if Slack can't be reached. */
    listSlackAdmins: (workspace: Workspace): Promise<readonly string[]> =>
      admins.get(workspace.workspaceId, async () =>
        (await clients.forWorkspace(workspace)).admins(MAX_SLACK_ADMINS),
      ),
    /** The guests of a workspace. Throws if Slack can't be reached, or if the workspace is too large to search. */
    listGuests: (workspace: Workspace): Promise<ReadonlySet<string>> =>
      guests.get(workspace.workspaceId, async () => {
        const guestIds = new Set<string>()
        for await (const member of (await clients.forWorkspace(workspace)).members())
          if (member.isGuest && !member.isDeactivated) guestIds.add(member.userId)
        return guestIds
      }),
    /** False for a deleted group. Undefined if Slack can't be reached; then the group's role isn't granted. */
    async isInGroup(
      workspace: Workspace,
      groupId: string,
      userId: string,
      maxAgeMs?: number,
    ): Promise<boolean | undefined> {
      try {
        return (await listMembers(workspace, groupId, maxAgeMs)).has(userId)
      } catch (error) {
        return wasRejected(error) ? false : undefined
      }
    },
  }
}

const USER_ID = /^[UW][A-Z0-9]{5,}$/
/** How many people with the same name an error lists. */
const MAX_LISTED = 10

/** Throws UserError if there are too many people to search. */
async function* searchable(members: AsyncIterable<Member>): AsyncGenerator<Member> {
  try {
    yield* members
  } catch (error) {
    if (!(error instanceof TooManyPages)) throw error
    throw new UserError(
      'This workspace has too many people to search by name. Type the user ID instead. It’s in the person’s profile.',
    )
  }
}

/**
 * Finds the user ID for a typed ID, handle in any case, or display name. Throws UserError if there's no match, with the nearest
 * handle (also from `extraHandles`); if there are several; or if there are too many people to search.
 */
export async function findPerson(
  { members }: Pick<Directory, 'members'>,
  typed: string,
  extraHandles: readonly string[] = [],
): Promise<string> {
  const name = typed.replace(/^@/, '')
  const isId = USER_ID.test(name)
  // A handle may look like an ID without digits. `system` is the actor of what the app does by itself.
  if ((isId && /\d/.test(name)) || name === 'system') return name
  const lowerCaseName = name.toLowerCase()
  const namesakes: Member[] = []
  const handles = extraHandles.map((handle) => handle.toLowerCase())
  for await (const member of searchable(members())) {
    if (member.handle.toLowerCase() === lowerCaseName) return member.userId
    handles.push(member.handle.toLowerCase())
    if (member.name.toLowerCase() === lowerCaseName) namesakes.push(member)
  }
  const [namesake] = namesakes
  if (namesake && namesakes.length === 1) return namesake.userId
  // It looks like an ID without digits, and nobody here has that name.
  if (!namesake && isId) return name
  if (!namesake)
    throw new UserError(`No one here is named @${name}. ${suggestHandle(lowerCaseName, handles)}`)
  const choices = formatList(namesakes, MAX_LISTED, ({ handle, userId }) => `@${handle} (${userId})`)
  throw new UserError(`Several people are named ${name}: ${choices}. Type the handle or user ID of one.`)
}

/**
 * Returns what finds the user group or the person for a typed ID or handle. Groups come first: in Slack, a person and a group can't have
 * the same handle. Throws UserError like `findPerson`.
 */
export async function createHandleFinder(slack: Pick<Directory, 'groups' | 'members'>) {
  // The app may lack the scope for user groups. People can still be found then.
  const found = await slack.groups().catch(() => undefined)
  const groups = found ?? []
  const handles = groups.map(({ handle }) => handle)
  return async (typed: string): Promise<{ id: string; groupHandle?: string }> => {
    const wanted = typed.replace(/^@/, '').toLowerCase()
    const group = groups.find(({ id, handle }) => [id, handle].some((text) => text.toLowerCase() === wanted))
    if (group) return { id: group.id, groupHandle: group.handle }
    const id = await findPerson(slack, typed, handles).catch((error: unknown) => {
      if (found || !(error instanceof UserError)) throw error
      const unread =
        'User groups weren’t searched: Slack didn’t return them, or the app lacks the scope usergroups:read.'
      throw new UserError(`${error.message} ${unread}`, error.suggestions)
    })
    return { id }
  }
}

function suggestHandle(name: string, handles: readonly string[]): string {
  const withPrefix = name.length >= MIN_PREFIX ? handles.find((handle) => handle.startsWith(name)) : undefined
  const nearest = closestWord(name, handles, { lettersPerTypo: 3 }) ?? withPrefix
  return nearest
    ? `Did you mean @${nearest}?`
    : 'Type @ and pick the person from Slack’s list, or type their user ID.'
}

const MIN_PREFIX = 3
