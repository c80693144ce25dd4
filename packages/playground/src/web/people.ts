import type { Person } from '../protocol.ts'

/** The workspace that a person uses: their own, or the one whose channel they share. */
export const seatOf = ({ guestIn, teamId }: Person): string => guestIn ?? teamId

/** Those that one meets where one is: nobody of another workspace but who shares a channel. */
export function peopleHere({ me, people }: { me: Person; people: readonly Person[] }): Person[] {
  return people.filter((person) => seatOf(person) === seatOf(me))
}
