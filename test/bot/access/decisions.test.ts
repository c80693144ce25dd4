import { describe, expect, it } from 'vitest'
import type { Person } from '../../../packages/slack/src/client/directory.ts'
import { openStore } from '../../../src/app/store.ts'
import { createAccess } from '../../../src/bot/access/access.ts'
import { createPeople } from '../../../src/bot/access/actor.ts'
import type { Grant, GrantableRole, Subject } from '../../../src/domain/roles.ts'
import { createMember } from './member.ts'

const HOME = 'T0HOME'
const ANN = 'U0ANN'
const NOON = new Date('2026-11-20T12:00:00Z')
const GROUP: Subject = { kind: 'group', id: 'S0ADMINS' }
const PERSON: Subject = { kind: 'user', id: ANN }
const caller = { workspaceId: HOME, userId: ANN, homeId: HOME, reference: 'r' }
const READ_REQUIREMENT = { needs: 'viewer', verb: '/hc list' } as const

const ann = createMember(HOME)

/** Starts access control with a fake Slack, which can't list user groups. Without `ann`, it doesn't answer for Ann either. */
async function startAccess(slack: {
  ann?: Person
  installer?: string
  grants?: readonly Grant[]
  guestsCanView?: boolean
}) {
  const store = await openStore({ url: 'sqlite::memory:' })
  const authorized: string[] = []
  const installerReads: string[] = []
  const access = createAccess({
    people: {
      async readPerson() {
        if (!slack.ann) throw new Error('Slack is down.')
        return slack.ann
      },
      isInGroup: async () => undefined,
      listGuests: async () => new Set<string>(),
      forget: () => undefined,
    },
    grants: { ...store.grants, ...(slack.grants && { find: async () => [...(slack.grants ?? [])] }) },
    cached: store.cached,
    guestsCanView: slack.guestsCanView ?? false,
    refusalLog: { write: async () => undefined },
    tenancy: {
      findInstaller: async (_workspaceId, { usesCache = false } = {}) => {
        installerReads.push(usesCache ? 'cached' : 'current')
        return slack.installer
      },
      findOrganization: async ({ enterpriseId }) => enterpriseId,
      throwUnlessInstalled: async () => undefined,
      recordOrganization: async ({ workspaceId }) => void authorized.push(workspaceId),
    },
    now: () => NOON,
  })
  const grant = (role: GrantableRole, subject: Subject) =>
    store.grants.add(HOME, role, subject, 'U0ADMIN', NOON)
  return {
    access,
    authorized,
    installerReads,
    grant,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

it('lets someone whom Slack can’t identify read what guests may, and doesn’t record them as a member', async () => {
  await using world = await startAccess({ guestsCanView: true })
  expect(await world.access.authorize(caller, READ_REQUIREMENT)).toMatchObject({ membership: 'unknown' })
  expect(world.authorized).toEqual([])
  const personal = { ...READ_REQUIREMENT, noGuests: 'personal' } as const
  await expect(world.access.authorize(caller, personal)).rejects.toThrow('can’t check who you are')
})

it('looks up the installer again for each decision, but not to name whom to ask', async () => {
  await using world = await startAccess({ ann, installer: 'U0INSTALLER' })
  await expect(world.access.authorize(caller, { needs: 'admin', verb: '/hc access' })).rejects.toMatchObject({
    admins: ['U0INSTALLER'],
  })
  expect(world.installerReads).toEqual(['current', 'cached'])
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

describe('checking another person’s role', () => {
  it.each([
    { when: 'while Slack can’t identify the person', slack: {}, role: 'approver', subject: PERSON },
    { when: 'if Slack can’t list an admin group', slack: { ann }, role: 'admin', subject: GROUP },
  ] as const)('fails $when', async ({ slack, role, subject }) => {
    await using world = await startAccess(slack)
    await world.grant(role, subject)
    const checking = world.access.hasRoleOrThrow(caller, ANN, 'approver')
    await expect(checking).rejects.toThrow('Slack isn’t responding')
  })

  it('denies the role if the only group that Slack can’t list grants a different role', async () => {
    await using world = await startAccess({ ann })
    await world.grant('operator', GROUP)
    expect(await world.access.hasRoleOrThrow(caller, ANN, 'approver')).toBe(false)
  })
})

it('counts nobody as a member of a user group that was deleted', async () => {
  const groupMembers = () => Promise.reject(new Error('An API error occurred: no_such_subteam'))
  const clients = { forWorkspace: async () => ({ groupMembers }) as never, forget: () => undefined }
  const people = createPeople(clients, () => NOON)
  expect(await people.isInGroup({ workspaceId: HOME }, 'S0GONE', ANN)).toBe(false)
})
