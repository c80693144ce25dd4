import type { Workspace } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import type { Person } from '../../../packages/slack/src/client/directory.ts'
import { openStore } from '../../../src/app/store.ts'
import { createAccess, createRights } from '../../../src/bot/access/access.ts'
import { createPeople } from '../../../src/bot/access/actor.ts'
import { EVERYONE, type Grant, type GrantableRole, type Subject } from '../../../src/domain/roles.ts'
import { addGrant } from '../../give-role.ts'
import { createMember } from './member.ts'

const HOME = 'T0HOME'
const ANN = 'U0ANN'
const NOON = new Date('2026-11-20T12:00:00Z')
const GROUP: Subject = { kind: 'group', id: 'S0ADMINS' }
const PERSON: Subject = { kind: 'user', id: ANN }
const caller = { workspaceId: HOME, userId: ANN, homeId: HOME, reference: 'r' }
const READ_REQUIREMENT = { needs: 'viewer', guests: true, verb: '/hc list' } as const

const ann = createMember(HOME)

/** Starts access control with a fake Slack, which can't list user groups. Without `ann`, it doesn't answer for Ann either. */
async function startAccess(slack: {
  ann?: Person
  installer?: string
  grants?: readonly Grant[]
  guestsCanView?: boolean
  /** Who can give a role. Without them, Slack doesn't answer. */
  admins?: readonly string[]
}) {
  const store = await openStore({ url: 'sqlite::memory:' })
  const authorized: string[] = []
  const tenancy = {
    findInstaller: async () => slack.installer,
    findOrganization: async ({ enterpriseId }: Workspace) => enterpriseId,
    throwUnlessInstalled: async () => undefined,
    recordOrganization: async ({ workspaceId }: Workspace) => void authorized.push(workspaceId),
  }
  const people = {
    async readPerson() {
      if (!slack.ann) throw new Error('Slack is down.')
      return slack.ann
    },
    isInGroup: async () => undefined,
  }
  const grants = { ...store.grants, ...(slack.grants && { find: async () => [...(slack.grants ?? [])] }) }
  const guestsCanView = slack.guestsCanView ?? false
  const rights = createRights({ people, grants, cached: store.cached, guestsCanView, tenancy })
  const reachability = {
    async *listReachable() {
      if (!slack.admins) throw new Error('Slack is down.')
      yield slack.admins
    },
  }
  const refusalLog = { write: async () => undefined }
  const access = createAccess({ rights, reachability, refusalLog, tenancy, now: () => NOON })
  const grant = (role: GrantableRole, subject: Subject) =>
    addGrant(store, HOME, role, subject, 'U0ADMIN', NOON)
  return {
    access,
    authorized,
    grant,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

it('lets someone whom Slack can’t identify read what guests may, and doesn’t record them as a member', async () => {
  await using world = await startAccess({ guestsCanView: true })
  expect(await world.access.authorize(caller, READ_REQUIREMENT)).toMatchObject({ membership: 'unknown' })
  expect(world.authorized).toEqual([])
  const forMembers = { needs: 'viewer', verb: '/hc watch-ack' } as const
  await expect(world.access.authorize(caller, forMembers)).rejects.toThrow('can’t check who you are')
})

it.each([
  { can: 'names who can give a role', admins: ['U0INSTALLER', 'U0LEE'], named: ['U0INSTALLER', 'U0LEE'] },
  { can: 'refuses without names while Slack can’t be reached', admins: undefined, named: [] },
])('$can', async ({ admins, named }) => {
  await using world = await startAccess({ ann, ...(admins && { admins }) })
  const requirement = { needs: 'admin', verb: '/hc grant' } as const
  await expect(world.access.authorize(caller, requirement)).rejects.toMatchObject({ admins: named })
})

it.each(['operator first', 'admin first'])(
  'names the grant of the role itself if an admin grant lasts as long: %s',
  async (order) => {
    const operator: Grant = {
      ...{ workspaceId: HOME, role: 'operator', subject: PERSON },
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

it.each([
  { who: 'a member', person: ann, isAllowed: true },
  { who: 'a guest', person: { ...ann, isGuest: true }, isAllowed: false },
  {
    who: 'someone from another workspace of the organization',
    person: { ...ann, teamId: 'T0OTHER', teamIds: ['T0OTHER'], enterpriseId: 'E0OURS' },
    isAllowed: false,
  },
])('counts $who among everyone: $isAllowed', async ({ person, isAllowed }) => {
  await using world = await startAccess({ ann: person, guestsCanView: true })
  await world.grant('operator', EVERYONE)
  const asking = { ...caller, homeId: person.teamId, enterpriseId: person.enterpriseId }
  // Nothing that is open to guests needs a role; if anything did, they wouldn't have it.
  const authorized = world.access.authorize(asking, { needs: 'operator', guests: true, verb: '/hc edit' })
  expect(
    await authorized.then(
      () => true,
      () => false,
    ),
  ).toBe(isAllowed)
})

describe('checking another person’s role', () => {
  it.each([
    { when: 'while Slack can’t identify the person', slack: {}, role: 'approver', subject: PERSON },
    { when: 'if Slack can’t list an admin group', slack: { ann }, role: 'admin', subject: GROUP },
    {
      when: 'if a group that Slack can’t list has another role',
      slack: { ann },
      role: 'operator',
      subject: GROUP,
    },
  ] as const)('denies it $when', async ({ slack, role, subject }) => {
    await using world = await startAccess(slack)
    await world.grant(role, subject)
    expect(await world.access.hasRole(caller, ANN, 'approver')).toBe(false)
  })

  it('allows what an admin grant includes', async () => {
    await using world = await startAccess({ ann })
    await world.grant('admin', PERSON)
    expect(await world.access.hasRole(caller, ANN, 'approver')).toBe(true)
  })
})

it('counts nobody as a member of a user group that was deleted', async () => {
  const groupMembers = () => Promise.reject(new Error('An API error occurred: no_such_subteam'))
  const clients = { forWorkspace: async () => ({ groupMembers }) as never, forget: () => undefined }
  const people = createPeople(clients, () => NOON)
  expect(await people.isInGroup({ workspaceId: HOME }, 'S0GONE', ANN)).toBe(false)
})
