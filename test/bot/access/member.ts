import type { Person } from '../../../packages/slack/src/client/directory.ts'

/** A member of a workspace, without other roles. */
export const createMember = (teamId: string): Person => ({
  name: 'Ann',
  handle: 'ann',
  teamId,
  teamIds: [teamId],
  enterpriseId: undefined,
  isAdmin: false,
  isGuest: false,
  isDeactivated: false,
  isBot: false,
})
