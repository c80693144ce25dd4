import type { Channel, Person } from '../protocol/protocol.ts'

/** The name that others read, in the page and in mentions. */
export const shownName = ({ realName, name }: Pick<Person, 'realName' | 'name'>): string => realName || name

interface PagePeople {
  me: Person
  people: readonly Person[]
}

/** The other person in a direct message, or `me` in a direct message with oneself. */
export function findDmRecipient({ me, people }: PagePeople, channel: Channel): Person | undefined {
  const id = channel.members.find((member) => member !== me.id) ?? me.id
  return people.find((person) => person.id === id)
}
