import { createId } from '../protocol/ids.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { PostBody } from '../protocol/posts.ts'
import type { Channel, Person } from '../protocol/protocol.ts'
import { BOTS, CHANNELS, PEOPLE, WORKSPACES } from './seed.ts'

export const APP_ID = 'A0PLAYGRND'
/** The user that posts Slack's own messages. */
export const SLACKBOT = 'USLACKBOT'

/** The app's bot user and bot ID in a workspace. Throws if there is no such workspace. */
export function appBotIn(teamId: string): { userId: string; botId: string } {
  const bot = BOTS[teamId]
  if (!bot) throw new Error(`There is no workspace ${teamId} that the app could be in.`)
  return bot
}

/** The channel as one person sees it. The name of a direct message is the other person's ID. */
export function channelSeenBy(channel: Channel, userId: string): Channel {
  if (channel.kind !== 'dm') return channel
  return { ...channel, name: channel.members.find((id) => id !== userId) ?? userId }
}

/**
 * Whether the person can have a direct message with the app. Bots, deactivated people, and people of other organizations can't.
 */
const hasAppDirectMessage = ({ role, deleted }: Person): boolean =>
  !deleted && role !== 'bot' && role !== 'foreign'

export type People = ReturnType<typeof createPeople>

/** The people in `seed.ts`, and the app's bot in each workspace. `actors` are the IDs of the people that tests can act as. */
function seededPeople(botName: string): { people: Person[]; actors: string[] } {
  const handle = botName.toLowerCase().replace(/[^a-z0-9._-]+/g, '-')
  const bots = Object.entries(BOTS).map(([teamId, { userId }]): Person => {
    return { id: userId, teamId, name: handle, realName: botName, role: 'bot', deleted: false }
  })
  const people: Person[] = [...PEOPLE.map((person) => ({ ...person })), ...bots]
  const botIds = new Set(bots.map(({ id }) => id))
  const actors = people.filter(({ id }) => !botIds.has(id)).map(({ id }) => id)
  return { people, actors }
}

/** The initial channels, and those created later. */
function createChannels(people: readonly Person[]) {
  const channels: Channel[] = CHANNELS.map((channel) => ({ ...channel, members: [...channel.members] }))

  function add(fields: Pick<Channel, 'id' | 'teamId' | 'name' | 'kind' | 'members'>): Channel {
    const channel = { ...fields, topic: '' }
    channels.push(channel)
    return channel
  }

  function openDirectMessage(members: string[]): Channel {
    const key = [...new Set(members)].sort().join()
    const existing = channels.find(
      ({ kind, members: dmMembers }) => kind === 'dm' && [...dmMembers].sort().join() === key,
    )
    if (existing) return existing
    const firstMember = people.find(({ id }) => id === members[0])
    const teamId = firstMember ? activeTeamId(firstMember) : ''
    return add({
      id: createId('D'),
      teamId,
      name: members[0] ?? '',
      kind: 'dm',
      members: [...new Set(members)],
    })
  }

  return {
    channels: (): readonly Channel[] => channels,
    channel: (id: string) => channels.find((candidate) => candidate.id === id),
    /** Finds a channel by ID, `#name`, or name, as in chat.postMessage. Skips channels for which `accepts` returns false. */
    findChannel: (name: string, accepts: (channel: Channel) => boolean) =>
      channels.find(
        (candidate) =>
          (candidate.id === name ||
            (candidate.kind === 'channel' && candidate.name === name.replace(/^#/, ''))) &&
          accepts(candidate),
      ),
    /** Returns the direct message between exactly these people. Creates it if it doesn't exist. */
    openDirectMessage,
    /** Adds a person to a channel, or removes them. */
    setMember(channel: Channel, user: string, isMember: boolean): void {
      const otherMembers = channel.members.filter((id) => id !== user)
      channel.members = isMember ? [...otherMembers, user] : otherMembers
    },
    addChannel: (teamId: string, name: string, members: string[]): Channel =>
      add({ id: createId('C'), teamId, name, kind: 'channel', members }),
  }
}

/** The workspace that the person acts in. */
function getWorkspace(person: Person) {
  const teamId = activeTeamId(person)
  const workspace = WORKSPACES.find(({ id }) => id === teamId)
  if (!workspace) throw new Error(`There is no workspace ${teamId}.`)
  return workspace
}

/** The people and channels of the initial workspaces. Members have a direct message with the app's bot. */
export function createPeople(botName: string) {
  const { people, actors } = seededPeople(botName)
  const channels = createChannels(people)
  const { openDirectMessage } = channels
  for (const { id, teamId } of people.filter(hasAppDirectMessage))
    openDirectMessage([id, appBotIn(teamId).userId])

  let zone = 'Etc/UTC'

  return {
    ...channels,
    /** Sets everyone's time zone. */
    setZone(timeZone: string): void {
      zone = timeZone
    },
    /** Everyone's time zone, as the Web API returns it. */
    timeZone: (): string => zone,
    workspaces: WORKSPACES,
    actors,
    all: (): readonly Person[] => people,
    /** The people that an app in the workspace can see: its members, and people in shared channels. */
    visibleIn: (teamId: string): Person[] => people.filter((candidate) => activeTeamId(candidate) === teamId),
    find: (id: string): Person | undefined => people.find((candidate) => candidate.id === id),
    /** The workspace that the person acts in. */
    getWorkspace,
    /**
     * Adds a person to a workspace, and opens their direct message with the app. If someone already has this handle, returns that person
     * unchanged.
     */
    addPerson(teamId: string, fields: NonNullable<PostBody<'scenario'>['people']>[number]): Person {
      const { name, realName = name, role = 'member' } = fields
      const existing = people.find((person) => person.name === name && person.teamId === teamId)
      if (existing) return existing
      const person: Person = { id: createId('U'), teamId, name, realName, role, deleted: false }
      people.push(person)
      actors.push(person.id)
      openDirectMessage([person.id, appBotIn(teamId).userId])
      return person
    },
    /** Changes a person's profile in place, and returns the person. */
    change: (person: Person, change: Partial<Person>): Person => Object.assign(person, change),
  }
}
