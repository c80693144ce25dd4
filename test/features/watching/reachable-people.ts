import type { SlackPeople } from '../../../src/features/watching/reachable.ts'

/** A workspace in which everybody can be notified everywhere. */
const EVERYBODY: SlackPeople = {
  personOf: async (name) => ({
    ...{ name, email: undefined, teamId: 'T1', teamIds: ['T1'] },
    ...{ isAdmin: false, isGuest: false, isDeactivated: false, isBot: false },
  }),
  groupMembers: async () => ['U1'],
  isInChannel: async () => true,
}

export const slackOf = async (): Promise<SlackPeople> => EVERYBODY
