import { createContext } from 'react'
import type { Channel, Person, Shortcut, UserGroup, Workspace } from '../protocol/protocol.ts'
import type { MenuDirectory } from '../rules/values/menu-choices.ts'
import { useRequiredContext } from './page.ts'
import { findDmRecipient, shownName } from './people.ts'

/** The people, channels, groups, and workspaces, for pickers and for the names in mentions. */
export interface Directory {
  me: Person
  people: Person[]
  /** The channels that `me` is in. */
  channels: Channel[]
  /** The channels that `me` can join. */
  joinable: readonly Channel[]
  userGroups: readonly UserGroup[]
  shortcuts: readonly Shortcut[]
  workspaces: readonly Workspace[]
}

export const DirectoryContext = createContext<Directory | undefined>(undefined)

export function useDirectory(): Directory {
  return useRequiredContext(DirectoryContext)
}

/** What menus can offer. */
export function useMenuDirectory(): MenuDirectory {
  const { me, channels, joinable } = useDirectory()
  return { me, channels: [...channels, ...joinable] }
}

export function personName({ people }: Directory, id: string): string | undefined {
  const person = people.find((candidate) => candidate.id === id)
  return person && shownName(person)
}

/** The handle of a group, without `@`. */
export function groupName({ userGroups }: Directory, id: string): string | undefined {
  return userGroups.find((group) => group.id === id)?.handle
}

/** `#general`, or the other person's name for a direct message. */
export function channelName(directory: Directory, id: string): string | undefined {
  const channel = directory.channels.find((candidate) => candidate.id === id)
  if (!channel) return undefined
  if (channel.kind !== 'dm') return `#${channel.name}`
  const recipient = findDmRecipient(directory, channel)
  return recipient && shownName(recipient)
}
