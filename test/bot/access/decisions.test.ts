import { describe, expect, it } from 'vitest'
import type { Person } from '../../../packages/slack/src/client/directory.ts'
import { openStore } from '../../../src/app/store.ts'
import { createAccess, isAllowed } from '../../../src/bot/access/access.ts'
import { createPeople } from '../../../src/bot/access/actor.ts'
import { createFindHolders } from '../../../src/bot/access/holders.ts'
import { EVERYONE, type Grant, type GrantableRole, type Subject } from '../../../src/domain/roles.ts'

const HOME = 'T0HOME'
const ANN = 'U0ANN'
const NOON = new Date('2026-11-20T12:00:00Z')
const GROUP: Subject = { kind: 'group', id: 'S0ADMINS' }
const caller = { workspaceId: HOME, userId: ANN, homeId: HOME, reference: 'r' }
const READ_REQUIREMENT = { needs: 'viewer', verb: '/hc list' } as const

const ann: Person = {
  name: 'Ann',
  teamId: HOME,
  teamIds: [HOME],
  enterpriseId: undefined,
  isAdmin: false,
  isGuest: false,
  isDeactivated: false,
  isBot: false,
}

/**
 * Starts access control with a fake Slack. `ann` is Ann's profile, and `isInGroup` whether she's in every user group. If one is
 * undefined, Slack doesn't answer.
 */
async function startAccess(slack: {
  ann?: Person
  isInGroup?: boolean | undefined
  isRemoved?: boolean
  installer?: string
  grants?: readonly Grant[]
  guestsCanView?: boolean
}) {
  const store = await openStore({ url: 'sqlite::memory:' })
  const authorized: string[] = []
  const refused: string[] = []
  const installerReads: string[] = []
  const access = createAccess({
    people: {
      async readPerson() {
        if (!slack.ann) throw new Error('Slack is down.')
        return slack.ann
      },
      isInGroup: async () => slack.isInGroup,
      listGuests: async () => new Set<string>(),
      forget: () => undefined,
    },
    grants: { ...store.grants, ...(slack.grants && { find: async () => [...(slack.grants ?? [])] }) },
    cached: store.cached,
    guestsCanView: slack.guestsCanView ?? false,
    refusalLog: { write: async ({ verb }) => void refused.push(verb) },
    tenancy: {
      findInstaller: async (_workspaceId, { usesCache = false } = {}) => {
        installerReads.push(usesCache ? 'cached' : 'current')
        return slack.installer
      },
      findOrganization: async ({ enterpriseId }) => enterpriseId,
      async throwUnlessInstalled() {
        if (slack.isRemoved) throw new Error('Signalman was removed here.')
      },
      recordOrganization: async ({ workspaceId }) => void authorized.push(workspaceId),
    },
    now: () => NOON,
  })
  const grant = (role: GrantableRole, subject: Subject) =>
    store.grants.add(HOME, role, subject, 'U0ADMIN', NOON)
  return {
    access,
    authorized,
    refused,
    installerReads,
    grant,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

describe('a person who sends a request', () => {
  it('is always refused after the app is uninstalled', async () => {
    await using world = await startAccess({ ann, isRemoved: true })
    await expect(world.access.authorize(caller, READ_REQUIREMENT)).rejects.toThrow(
      'Signalman was removed here.',
    )
    expect(world.authorized).toEqual([])
  })

  it('is authorized if Slack says that they are a member of this workspace', async () => {
    await using world = await startAccess({ ann })
    await world.access.authorize(caller, READ_REQUIREMENT)
    expect(world.authorized).toEqual([HOME])
  })

  it('can’t read anything while Slack can’t identify them', async () => {
    await using world = await startAccess({})
    await expect(world.access.authorize(caller, READ_REQUIREMENT)).rejects.toThrow('can’t check who you are')
    expect(world.authorized).toEqual([])
  })

  it('can read while Slack can’t identify them if guests may read, but isn’t recorded as a member', async () => {
    await using world = await startAccess({ guestsCanView: true })
    expect(await world.access.authorize(caller, READ_REQUIREMENT)).toMatchObject({ membership: 'unknown' })
    expect(world.authorized).toEqual([])
  })
})

describe('the installer', () => {
  const REQUIREMENT = { needs: 'admin', verb: '/hc access' } as const

  it('has all roles', async () => {
    await using world = await startAccess({ ann, installer: ANN })
    expect(await world.access.authorize(caller, REQUIREMENT)).toMatchObject({ userId: ANN })
  })

  it('doesn’t give anyone else a role by installing the app', async () => {
    await using world = await startAccess({ ann, installer: 'U0INSTALLER' })
    await expect(world.access.authorize(caller, REQUIREMENT)).rejects.toThrow('This needs the admin role')
  })

  it('is looked up again for each decision, but not to name whom to ask', async () => {
    await using world = await startAccess({ ann, installer: 'U0INSTALLER' })
    await expect(world.access.authorize(caller, REQUIREMENT)).rejects.toMatchObject({
      admins: ['U0INSTALLER'],
    })
    expect(world.installerReads).toEqual(['current', 'cached'])
  })
})

describe('a role granted to everyone', () => {
  const colleague: Person = { ...ann, teamId: 'T0SISTER', teamIds: ['T0SISTER'], enterpriseId: 'E0GROUP' }
  const REQUIREMENT = { needs: 'operator', verb: '/hc create' } as const

  it('applies to everyone in this workspace', async () => {
    await using world = await startAccess({ ann })
    await world.grant('operator', EVERYONE)
    expect(await world.access.authorize(caller, REQUIREMENT)).toMatchObject({ userId: ANN })
  })

  it('doesn’t apply to people from another workspace in the organization', async () => {
    await using world = await startAccess({ ann: colleague })
    await world.grant('operator', EVERYONE)
    const fromSisterWorkspace = { ...caller, enterpriseId: 'E0GROUP', homeId: 'T0SISTER' }
    await expect(world.access.authorize(fromSisterWorkspace, REQUIREMENT)).rejects.toThrow(
      'This needs the operator role',
    )
    expect(world.refused).toEqual(['/hc create'])
  })

  it('doesn’t add anyone to the people Signalman notifies', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    await store.grants.add(HOME, 'approver', EVERYONE, 'U0ADMIN', NOON)
    const findHolders = createFindHolders({
      clients: {
        forWorkspace: () => Promise.reject(new Error('This test never calls Slack.')),
        forget: () => undefined,
      },
      grants: store.grants,
      tenancy: { findInstaller: async () => 'U0INSTALLER' },
    })
    expect(await findHolders({ workspaceId: HOME }, 'approver')).toEqual(['U0INSTALLER'])
  })
})

it.each(['operator first', 'admin first'])(
  'names the grant of the role itself if an admin grant lasts as long: %s',
  async (order) => {
    const subject: Subject = { kind: 'user', id: ANN }
    const operator: Grant = {
      ...{ workspaceId: HOME, role: 'operator', subject },
      ...{ grantedBy: 'U0ADMIN', grantedAt: NOON },
    }
    const grants = [operator, { ...operator, role: 'admin' } as const]
    await using world = await startAccess({
      ann,
      grants: order === 'operator first' ? grants : grants.toReversed(),
    })
    const actor = await world.access.findActor(caller)
    const roles = await world.access.findRoles(caller, actor)
    expect(roles.get('operator')).toEqual({ kind: 'given', grant: operator })
    expect(roles.get('approver')).toEqual({ kind: 'admin' })
  },
)

describe('checking another person’s role', () => {
  it('fails while Slack can’t identify the person', async () => {
    await using world = await startAccess({})
    await world.grant('approver', { kind: 'user', id: ANN })
    await expect(world.access.hasRoleOrThrow(caller, ANN, 'approver')).rejects.toThrow(
      'Slack isn’t responding',
    )
  })

  it('fails if Slack can’t list the members of an admin group that could grant the role', async () => {
    await using world = await startAccess({ ann })
    await world.grant('admin', GROUP)
    await expect(world.access.hasRoleOrThrow(caller, ANN, 'approver')).rejects.toThrow(
      'Slack isn’t responding',
    )
  })

  it('denies the role if the only group that Slack can’t list grants a different role', async () => {
    await using world = await startAccess({ ann })
    await world.grant('operator', GROUP)
    expect(await world.access.hasRoleOrThrow(caller, ANN, 'approver')).toBe(false)
  })
})

it.each([
  { membership: 'member', isShown: true },
  { membership: 'guest', isShown: false },
  { membership: 'unknown', isShown: false },
] as const)('shows personal data only to members: $membership ($isShown)', ({ membership, isShown }) => {
  const actor = { userId: ANN, membership, isFromThisWorkspace: true, isSlackAdmin: false, canView: true }
  expect(isAllowed(actor, new Map(), { needs: 'viewer', isPersonal: true })).toBe(isShown)
})

describe('a user group', () => {
  const createPeopleWithGroup = (groupMembers: () => Promise<readonly string[]>) =>
    createPeople(
      {
        forWorkspace: async () => ({ groupMembers }) as never,
        forget: () => undefined,
      },
      () => NOON,
    )
  const workspace = { workspaceId: HOME }

  it('has no members once it is deleted', async () => {
    const gone = new Error('An API error occurred: no_such_subteam')
    const people = createPeopleWithGroup(() => Promise.reject(gone))
    expect(await people.isInGroup(workspace, 'S0GONE', ANN)).toBe(false)
  })

  it('has unknown members while Slack can’t list them', async () => {
    const people = createPeopleWithGroup(() => Promise.reject(new Error('Slack is down.')))
    expect(await people.isInGroup(workspace, 'S0GROUP', ANN)).toBeUndefined()
  })
})
