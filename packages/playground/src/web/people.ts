import type { Channel, Person } from '../protocol.ts'

/** The workspace that a person uses: their own, or the one whose channel they share. */
export const findWorkspace = ({ guestIn, teamId }: Person): string => guestIn ?? teamId

interface Those {
  me: Person
  people: readonly Person[]
}

/** The people who can be messaged here: those of this workspace, and those who share a channel. */
export function peopleHere({ me, people }: Those): Person[] {
  return people.filter((person) => findWorkspace(person) === findWorkspace(me))
}

/** The other person of a direct message, or yourself in your own. */
export function findPartner({ me, people }: Those, channel: Channel): Person | undefined {
  const id = channel.members.find((member) => member !== me.id) ?? me.id
  return people.find((one) => one.id === id)
}
