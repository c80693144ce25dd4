import type { Channel, Person, UserGroup, Workspace } from '../protocol/protocol.ts'

const PLAYGROUND = 'T0PLAYGRND'
const WORKSHOP = 'T0WORKSHOP'
const FACTORY = 'T0FACTORY1'
/** The workspace of a partner company. The app can't be installed there, but its people are in a shared channel. */
const PARTNER = 'T0PARTNER1'

export const MEMBER = 'U0MEMBER01'
export const ADMIN = 'U0ADMIN001'
export const GUEST = 'U0GUEST001'
const FOREIGNER = 'U0FOREIGN1'
const DEACTIVATED = 'U0LEFT0001'
const OTHER_BOT = 'U0OTHERBOT'

const ORGANIZATION = { id: 'E0EXAMPLE1', name: 'Example Group' }

/** Where the app can be installed: a standalone workspace, and two workspaces of one organization. */
export const WORKSPACES: readonly Omit<Workspace, 'installed'>[] = [
  { id: PLAYGROUND, name: 'Playground', domain: 'playground' },
  { id: WORKSHOP, name: 'Workshop', domain: 'workshop', organization: ORGANIZATION },
  { id: FACTORY, name: 'Factory', domain: 'factory', organization: ORGANIZATION },
]

/** The app's user and bot in each workspace, by workspace ID. */
export const BOTS: Readonly<Record<string, { userId: string; botId: string }>> = {
  [PLAYGROUND]: { userId: 'U0PLAYGBOT', botId: 'B0PLAYGRND' },
  [WORKSHOP]: { userId: 'U0WORKSBOT', botId: 'B0WORKSHOP' },
  [FACTORY]: { userId: 'U0FACTOBOT', botId: 'B0FACTORY1' },
}

function person(
  id: string,
  name: string,
  realName: string,
  role: Person['role'],
  teamId = PLAYGROUND,
): Person {
  return { id, teamId, name, realName, role, deleted: false }
}

/**
 * The first workspace has a person for each role. The organization's two workspaces have a member and an admin each.
 */
export const PEOPLE: readonly Person[] = [
  person(MEMBER, 'member', 'Member', 'member'),
  person(ADMIN, 'admin', 'Admin', 'admin'),
  person(GUEST, 'guest', 'Guest', 'guest'),
  {
    ...person(FOREIGNER, 'partner', 'Partner', 'foreign', PARTNER),
    guestIn: PLAYGROUND,
  },
  { ...person(DEACTIVATED, 'left', 'Left the company', 'member'), deleted: true },
  person(OTHER_BOT, 'deploys', 'Deploys', 'bot'),
  person('U0WSMEMBR1', 'wanda', 'Workshop member', 'member', WORKSHOP),
  person('U0WSADMIN1', 'walter', 'Workshop admin', 'admin', WORKSHOP),
  person('U0FCMEMBR1', 'fiona', 'Factory member', 'member', FACTORY),
  person('U0FCADMIN1', 'felix', 'Factory admin', 'admin', FACTORY),
]

function seedChannel(
  id: string,
  name: string,
  topic: string,
  members: string[],
  teamId = PLAYGROUND,
): Channel {
  const isGeneral = name === 'general'
  return {
    id,
    teamId,
    name,
    kind: 'channel',
    members,
    topic,
    ...(isGeneral && { isGeneral }),
  }
}

/** The initial channels. The app's bot is in all of them except `random`. */
export const CHANNELS: readonly Channel[] = [
  seedChannel('C0GENERAL1', 'general', 'Everyone is here', [
    MEMBER,
    ADMIN,
    'U0PLAYGBOT',
    GUEST,
    DEACTIVATED,
    OTHER_BOT,
  ]),
  seedChannel('C0OPERATNS', 'operations', 'What is up and what is down', [
    MEMBER,
    ADMIN,
    'U0PLAYGBOT',
    GUEST,
  ]),
  seedChannel('C0RANDOM01', 'random', 'The app is not in here', [MEMBER, ADMIN]),
  {
    ...seedChannel('C0PARTNER1', 'partner', 'Shared with another organization', [
      MEMBER,
      ADMIN,
      'U0PLAYGBOT',
      FOREIGNER,
    ]),
    sharedWith: 'Partner Company',
  },
  seedChannel(
    'C0WSGENERL',
    'general',
    'Everyone in the workshop',
    ['U0WSMEMBR1', 'U0WSADMIN1', 'U0WORKSBOT'],
    WORKSHOP,
  ),
  seedChannel(
    'C0FCGENERL',
    'general',
    'Everyone in the factory',
    ['U0FCMEMBR1', 'U0FCADMIN1', 'U0FACTOBOT'],
    FACTORY,
  ),
]

export const USER_GROUPS: readonly UserGroup[] = [
  { id: 'S0ONCALL01', teamId: PLAYGROUND, handle: 'on-call', name: 'On call', users: [MEMBER] },
  { id: 'S0APPROVER', teamId: PLAYGROUND, handle: 'approvers', name: 'Approvers', users: [MEMBER, ADMIN] },
  { id: 'S0WSONCALL', teamId: WORKSHOP, handle: 'workshop', name: 'Workshop crew', users: ['U0WSMEMBR1'] },
]
