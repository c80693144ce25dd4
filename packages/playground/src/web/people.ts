import type { Channel, Person } from '../protocol.ts'

/** The workspace that a person uses: their own, or for external people the workspace that shares a channel with them. */
export const findWorkspace = ({ guestIn, teamId }: Person): string => guestIn ?? teamId

interface PagePeople {
  me: Person
  people: readonly Person[]
}

/** The people that `me` can message: members of the workspace, and external people who share a channel. */
export function reachablePeople({ me, people }: PagePeople): Person[] {
  return people.filter((person) => findWorkspace(person) === findWorkspace(me))
}

/** The other person in a direct message, or `me` in a direct message with oneself. */
export function findPartner({ me, people }: PagePeople, channel: Channel): Person | undefined {
  const id = channel.members.find((member) => member !== me.id) ?? me.id
  return people.find((person) => person.id === id)
}
