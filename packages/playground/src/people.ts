import { createId } from './ids.ts'
import { appIcons, profilePictures } from './pictures.ts'
import type { Channel, Fields, Person, Workspace } from './protocol.ts'
import type { Scenario } from './scenario/scenario.ts'
import { BOTS, CHANNELS, PEOPLE, WORKSPACES } from './seed.ts'
import type { Store } from './store.ts'
import { UTC, zoneFields } from './time-zones.ts'

export const APP_ID = 'A0PLAYGRND'
/** The user that Slack posts as. */
export const SLACKBOT = 'USLACKBOT'

/** The app's own user and bot in a workspace. Throws if there is no such workspace. */
export function botOf(teamId: string): { userId: string; botId: string } {
  const bot = BOTS[teamId]
  if (!bot) throw new Error(`There is no workspace ${teamId} that the app could be in.`)
  return bot
}

/** The channel as one person sees it: a direct message has the name of the other person. */
export function seenBy(channel: Channel, userId: string): Channel {
  if (channel.kind !== 'dm') return channel
  return { ...channel, name: channel.members.find((id) => id !== userId) ?? userId }
}

/** The workspace that a person uses Slack in: their own, or the one whose channel they share. */
export const seatOf = ({ guestIn, teamId }: Person): string => guestIn ?? teamId

/** Slack's word for a kind of conversation, as scopes, events and payloads have it. */
export type Family = 'channel' | 'group' | 'mpim' | 'im'

export function familyOf({ kind, privacy }: Pick<Channel, 'kind' | 'privacy'>): Family {
  if (kind === 'dm') return 'im'
  if (privacy === undefined) return 'channel'
  return privacy === 'group' ? 'mpim' : 'group'
}

/** The members of the workspace, who can have direct messages with its app. */
const isStaff = ({ role, deleted }: Person): boolean => !deleted && role !== 'bot' && role !== 'foreign'

export type People = ReturnType<typeof createPeople>

interface Surroundings {
  now: () => Date
  /** The playground's own address. */
  url: () => string
}

const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000)

type KeptChannels = Pick<Store, 'channels' | 'saveChannel'>

/** Everyone in `seed.ts`, and the app's bot in each workspace. */
function seededPeople(botName: string): { people: Person[]; actors: string[] } {
  const handle = botName.toLowerCase().replace(/[^a-z0-9._-]+/g, '-')
  const bots = Object.entries(BOTS).map(([teamId, { userId }]): Person => {
    const email = `${handle}@${teamId.toLowerCase()}.example`
    return { id: userId, teamId, name: handle, realName: botName, email, role: 'bot', deleted: false }
  })
  const people: Person[] = [...PEOPLE.map((one) => ({ ...one })), ...bots]
  const own = new Set(bots.map(({ id }) => id))
  const actors = people.filter(({ id }) => !own.has(id)).map(({ id }) => id)
  return { people, actors }
}

/** The channels from the store, or the initial ones. Changes are stored. */
function createChannels(store: KeptChannels, people: readonly Person[], now: () => Date) {
  const kept = new Map(store.channels().map((one) => [one.id, one]))
  const founder = (teamId: string) =>
    people.find((one) => one.teamId === teamId && one.role === 'admin')?.id ?? ''
  const made = (teamId: string) => ({
    created: unixSeconds(now()),
    creator: founder(teamId),
    updatedMs: now().getTime(),
  })
  const seeded = CHANNELS.map(
    (one) => kept.get(one.id) ?? { ...one, ...made(one.teamId), members: [...one.members] },
  )
  const channels: Channel[] = [...new Set([...seeded, ...kept.values()])]

  function add(given: Pick<Channel, 'id' | 'teamId' | 'name' | 'kind' | 'members' | 'privacy'>): Channel {
    const creator = given.members[0] ?? ''
    const channel = { ...given, ...made(given.teamId), creator, topic: '', archived: false }
    channels.push(channel)
    store.saveChannel(channel)
    return channel
  }

  function save(channel: Channel): void {
    channel.updatedMs = now().getTime()
    store.saveChannel(channel)
  }

  function openDirect(members: string[]): Channel {
    const key = [...new Set(members)].sort().join()
    const known = channels.find(({ kind, members: m }) => kind === 'dm' && [...m].sort().join() === key)
    if (known) return known
    const first = people.find(({ id }) => id === members[0])
    const teamId = first ? seatOf(first) : ''
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
    channel: (id: string) => channels.find((one) => one.id === id),
    /** Finds a channel by ID, `#name`, or name, as chat.postMessage does, among those that `may` accepts. */
    findChannel: (name: string, may: (channel: Channel) => boolean) =>
      channels.find(
        (one) =>
          (one.id === name || (one.kind === 'channel' && one.name === name.replace(/^#/, ''))) && may(one),
      ),
    /** The direct message of exactly these people, created if there is none. */
    openDirect,
    /** Adds somebody to a channel, or removes them. */
    setMember(channel: Channel, user: string, isIn: boolean): void {
      const others = channel.members.filter((id) => id !== user)
      channel.members = isIn ? [...others, user] : others
      save(channel)
    },
    /** Changes a channel's own fields. */
    changeChannel(channel: Channel, change: Partial<Channel>): void {
      const { name } = channel
      Object.assign(channel, change)
      if (channel.name !== name) channel.previousNames = [name, ...(channel.previousNames ?? [])]
      if (channel.sharedWith === '') delete channel.sharedWith
      save(channel)
    },
    addChannel: (teamId: string, name: string, members: string[], privacy?: Channel['privacy']): Channel =>
      add({
        ...{ id: createId('C'), teamId, name, kind: 'channel', members },
        ...(privacy && { privacy }),
      }),
  }
}

/** The workspace that the person uses Slack in. */
function workspaceOf(person: Person) {
  const seat = seatOf(person)
  const found = WORKSPACES.find(({ id }) => id === seat)
  if (!found) throw new Error(`There is no workspace ${seat}.`)
  return found
}

const organizationOf = (person: Person): Workspace['organization'] =>
  person.role === 'foreign' ? person.organization : workspaceOf(person).organization

/** The initial workspaces, in which everyone has a direct message with the app's bot. */
export function createPeople(botName: string, store: KeptChannels, { now, url }: Surroundings) {
  const startedAt = unixSeconds(now())
  const { people, actors } = seededPeople(botName)
  const channels = createChannels(store, people, now)
  const { openDirect } = channels
  for (const one of people.filter(isStaff)) openDirect([one.id, botOf(one.teamId).userId])
  let usualZone = UTC

  return {
    ...channels,
    /** Sets the time zone of everyone who hasn't chosen one. */
    setUsualZone(timeZone: string): void {
      usualZone = timeZone
    },
    /** A person's time zone, as the Web API has it. */
    zoneOf: ({ tz = usualZone }: Person): Fields => zoneFields(tz, now()),
    /** The image fields of a person's profile. The playground serves the images. */
    picturesOf: ({ id }: Person): Fields => profilePictures(url(), id),
    /** When a person was last changed, in Unix seconds. */
    updatedAt: ({ updatedAt = startedAt }: Person): number => updatedAt,
    /** The app's bot in a workspace, as its messages have it. */
    botProfile(teamId: string): Fields {
      const { botId: id, userId } = botOf(teamId)
      const name = people.find((one) => one.id === userId)?.realName ?? ''
      const icons = appIcons(url(), userId)
      return {
        id,
        app_id: APP_ID,
        name,
        icons,
        deleted: false,
        updated: startedAt,
        team_id: teamId,
      }
    },
    workspaces: WORKSPACES,
    actors,
    all: (): readonly Person[] => people,
    /** The people that an app in the workspace can see: its members, and people in shared channels. */
    of: (teamId: string): Person[] =>
      people.filter((one) => seatOf(one) === teamId || one.teams?.includes(teamId)),
    find: (id: string): Person | undefined => people.find((one) => one.id === id),
    /** The workspace that the person uses Slack in. */
    workspaceOf,
    /** The person's organization. */
    organizationOf,
    /** The person's `team_id` in payloads: their workspace or organization. */
    homeOf: (person: Person): string =>
      (person.isOrgWide ? organizationOf(person)?.id : undefined) ?? person.teamId,
    /** Whether the person shares no channel with the app (Slack's `is_stranger`). */
    isStranger(person: Person): boolean {
      const bot = BOTS[seatOf(person)]?.userId ?? ''
      const isMet = channels
        .channels()
        .some(({ members }) => members.includes(person.id) && members.includes(bot))
      return person.role === 'foreign' && !isMet
    },
    /** Adds a person to a workspace, with a direct message with its app. Does nothing if the handle is taken. */
    addPerson(teamId: string, given: NonNullable<Scenario['people']>[number]): Person {
      const { name, realName = name, email = `${name}@example.com`, role = 'member', tz } = given
      const known = people.find((one) => one.name === name && one.teamId === teamId)
      if (known) return known
      const own = { id: createId('U'), teamId, name, realName, email, role, deleted: false }
      const made: Person = { ...own, ...(tz !== undefined && { tz }) }
      people.push(made)
      actors.push(made.id)
      openDirect([made.id, botOf(teamId).userId])
      return made
    },
    /** Changes a person's profile and returns the new version. */
    change(person: Person, change: Partial<Person>): Person {
      return Object.assign(person, change, { updatedAt: unixSeconds(now()) })
    },
  }
}
