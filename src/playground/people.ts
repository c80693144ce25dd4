import { createId } from './ids.ts'
import type { Channel, Person, Workspace } from './protocol.ts'

const TEAM = 'T0PLAYGRND'
export const APP_ID = 'A0PLAYGRND'
export const BOT_ID = 'B0PLAYGRND'
export const MEMBER = 'U0MEMBER01'
export const ADMIN = 'U0ADMIN001'
export const BOT_USER = 'U0PLAYGBOT'
/** Who Slack itself speaks as. */
export const SLACKBOT = 'USLACKBOT'

function person(id: string, name: string, realName: string, role: Person['role']): Person {
  return { id, teamId: TEAM, name, realName, email: `${name}@example.com`, role, deleted: false }
}

function room(id: string, name: string, topic: string, members: string[]): Channel {
  return { id, teamId: TEAM, name, kind: 'channel', members, topic, archived: false }
}

/** The channel as one person sees it: a direct message is named after the other one in it. */
export function seenBy(channel: Channel, userId: string): Channel {
  if (channel.kind !== 'dm') return channel
  return { ...channel, name: channel.members.find((id) => id !== userId) ?? userId }
}

export type People = ReturnType<typeof createPeople>

/** The workspace as it starts: a member, an admin, the app's bot, two channels, a direct message with the bot each. */
export function createPeople(botName: string) {
  const workspace: Workspace = { id: TEAM, name: 'Playground', domain: 'playground' }
  const people = [
    person(MEMBER, 'member', 'Member', 'member'),
    person(ADMIN, 'admin', 'Admin', 'admin'),
    person(BOT_USER, botName.toLowerCase().replace(/[^a-z0-9._-]+/g, '-'), botName, 'bot'),
  ]
  const actors = people.filter(({ role }) => role !== 'bot').map(({ id }) => id)
  const channels = [
    room('C0GENERAL1', 'general', 'Everyone is here', [...actors, BOT_USER]),
    room('C0OPERATNS', 'operations', 'What is up and what is down', [...actors, BOT_USER]),
    room('C0RANDOM01', 'random', 'The app is not in here', [...actors]),
  ]
  for (const actor of actors) openDirect([actor, BOT_USER])

  function openDirect(members: string[]): Channel {
    const key = [...new Set(members)].sort().join()
    const known = channels.find(({ kind, members: m }) => kind === 'dm' && [...m].sort().join() === key)
    if (known) return known
    const made: Channel = {
      ...room(createId('D'), members[0] ?? '', '', [...new Set(members)]),
      kind: 'dm',
    }
    channels.push(made)
    return made
  }

  return {
    workspace,
    actors,
    all: (): readonly Person[] => people,
    channels: (): readonly Channel[] => channels,
    find: (id: string) => people.find((one) => one.id === id),
    findByEmail: (email: string) => people.find((one) => one.email === email.toLowerCase()),
    channel: (id: string) => channels.find((one) => one.id === id),
    /** By id, `#name` or name, as chat.postMessage accepts them. */
    findChannel: (name: string) =>
      channels.find(
        (one) => one.id === name || (one.kind === 'channel' && one.name === name.replace(/^#/, '')),
      ),
    /** The direct message among exactly these people, made when there is none. */
    openDirect,
  }
}
