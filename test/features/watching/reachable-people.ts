import type { SlackPeople } from '../../../src/features/watching/reachable.ts'

/** A workspace in which everyone can be notified in every channel. */
const EVERYONE_REACHABLE: SlackPeople = {
  readPerson: async (name) => ({
    ...{ name, email: undefined, teamId: 'T1', teamIds: ['T1'] },
    ...{ isAdmin: false, isGuest: false, isDeactivated: false, isBot: false },
  }),
  groupMembers: async () => ['U1'],
  isInChannel: async () => true,
}

export const findSlackPeople = async (): Promise<SlackPeople> => EVERYONE_REACHABLE
