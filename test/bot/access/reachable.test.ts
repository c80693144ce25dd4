import type { Person, SlackClients } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import type { Actor, Membership } from '../../../src/bot/access/actor.ts'
import { createReachability } from '../../../src/bot/access/reachable.ts'
import type { Grant, GrantableRole } from '../../../src/domain/roles.ts'

const WORKSPACE = { workspaceId: 'T1' }
const CHANNEL = { ...WORKSPACE, channelId: 'C1' }

const MEMBERSHIPS: Readonly<Record<string, Membership>> = {
  UANN: 'member',
  UBOB: 'member',
  ULEFT: 'deactivated',
  UBOT: 'bot',
  UGUEST: 'guest',
  UFOREIGN: 'foreign',
  USILENT: 'unknown',
}
const MANY = Array.from({ length: 30 }, (_, index) => `UMANY${index}`)
const GUESTS = Array.from({ length: 30 }, (_, index) => `UGUEST${index}`)
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  SONE: ['ULEFT', 'UBOB'],
  SEMPTY: [],
  SLEFT: ['ULEFT', 'UGUEST'],
  SOUTSIDE: ['UOUT'],
  SMANY: MANY,
  SLARGE: GUESTS,
}

const rejection = (code: string) => new Error(`An API error occurred: ${code}`)

interface Workspace {
  grants?: readonly string[]
  installer?: string
  slackAdmins?: readonly string[]
  /** Whether all members of the channel were looked through. */
  isComplete?: boolean
}

/** `faults`: what a method of Slack throws instead. */
function createFixture(
  faults: Partial<Record<'readPerson' | 'findInChannel' | 'groupMembers', Error>> = {},
  { grants = [], installer, slackAdmins = [], isComplete = true }: Workspace = {},
) {
  const asked: string[] = []
  const call = <T>(method: keyof typeof faults, value: T): T => {
    asked.push(method)
    const fault = faults[method]
    if (fault) throw fault
    return value
  }
  const inChannel = new Set([...GUESTS, 'UANN', 'UBOB', 'ULEFT', 'UBOT', 'UGUEST', 'UFOREIGN', 'USILENT'])
  const clients = {
    forWorkspace: async () => ({
      findInChannel: async (_channel: string, userIds: ReadonlySet<string>) =>
        call('findInChannel', { found: userIds.intersection(inChannel), isComplete }),
    }),
  } as unknown as SlackClients
  const reachability = createReachability({
    rights: {
      findActor: async ({ userId }) =>
        ({ userId, membership: MEMBERSHIPS[userId.replace(/\d+$/, '')] ?? 'member', canView: true }) as Actor,
    },
    people: {
      readPerson: async () => call('readPerson', {} as Person),
      listSlackAdmins: async () => slackAdmins,
      async listMembers(_workspace, id) {
        const members = GROUPS[id]
        if (!members) throw rejection('no_such_subteam')
        return call('groupMembers', new Set(members))
      },
    },
    grants: { list: async () => parseGrants(grants) },
    tenancy: { findInstaller: async () => installer },
    clients,
  })
  return { ...reachability, asked }
}

describe('who can be notified', () => {
  it.each([
    ['UANN', CHANNEL, undefined],
    ['UOUT', CHANNEL, 'isn’t in the channel'],
    ['UOUT', WORKSPACE, undefined],
    ['ULEFT', CHANNEL, 'is deactivated'],
    ['ULEFT', WORKSPACE, 'is deactivated'],
    ['UBOT', CHANNEL, 'is an app'],
    // A guest in the channel would read the message, but may not press its button, even if guests may view.
    ['UGUEST', CHANNEL, 'is a guest, and guests can’t press “I’m on it”'],
    ['UFOREIGN', CHANNEL, 'isn’t in this workspace'],
    ['USILENT', CHANNEL, 'can’t press buttons here'],
  ] as const)('%s in %o: %s', async (userId, place, reason) => {
    expect(await createFixture().explainPerson(place, userId)).toBe(reason)
  })

  it.each([
    ['SONE', CHANNEL, undefined],
    ['SEMPTY', CHANNEL, 'has no members'],
    ['SLEFT', CHANNEL, 'has nobody who can be notified there'],
    ['SOUTSIDE', CHANNEL, 'has nobody who can be notified there'],
    ['SGONE', CHANNEL, 'is no longer a user group'],
    ['SMANY', CHANNEL, 'has nobody who can be notified there'],
    // Not all members of a large group are looked up.
    ['SLARGE', CHANNEL, undefined],
  ] as const)('group %s in %o: %s', async (groupId, place, reason) => {
    const group = { name: groupId, isGroup: true }
    const { not } = await createFixture().lookUp(place, [group])
    expect(not[0]?.reason).toBe(reason)
  })

  it('assumes that someone can be notified if the app may not look them up', async () => {
    for (const method of ['readPerson', 'findInChannel'] as const)
      expect(
        await createFixture({ [method]: rejection('missing_scope') }).explainPerson(CHANNEL, 'UOUT'),
      ).toBe(method === 'readPerson' ? 'isn’t in the channel' : undefined)
    const withoutGroups = createFixture({ groupMembers: rejection('missing_scope') })
    expect(await withoutGroups.lookUp(CHANNEL, [{ name: 'SEMPTY', isGroup: true }])).toMatchObject({
      not: [],
    })
  })

  it('knows that a person whom Slack doesn’t know can’t be notified', async () => {
    for (const code of ['user_not_found', 'users_not_found', 'user_not_visible'])
      expect(await createFixture({ readPerson: rejection(code) }).explainPerson(CHANNEL, 'UANN')).toBe(
        'isn’t in this workspace',
      )
  })

  it.each(['readPerson', 'findInChannel', 'groupMembers'] as const)(
    'guesses nothing if Slack can’t be reached for %s',
    async (method) => {
      const { explainPerson, lookUp } = createFixture({ [method]: rejection('internal_error') })
      if (method !== 'groupMembers')
        await expect(explainPerson(CHANNEL, 'UANN')).rejects.toThrow('internal_error')
      const group = { name: 'SONE', isGroup: true }
      expect(await lookUp(CHANNEL, [group])).toMatchObject({
        reachable: [],
        not: [],
        unknown: [{ one: group }],
      })
    },
  )

  it('asks Slack for a channel’s members once for a whole group', async () => {
    const { lookUp, asked } = createFixture()
    await lookUp(CHANNEL, [{ name: 'SLEFT', isGroup: true }])
    expect(asked.filter((method) => method === 'findInChannel')).toHaveLength(1)
  })
})

/** Grants as `role subject`; a subject that begins with S is a group. */
function parseGrants(texts: readonly string[]): Grant[] {
  return texts.map((text) => {
    const [role = '', id = ''] = text.split(' ')
    const kind = id === '*' ? 'everyone' : id.startsWith('S') ? 'group' : 'user'
    return {
      ...{ workspaceId: 'T1', role: role as GrantableRole, subject: { kind, id } },
      ...{ grantedBy: 'U1', grantedAt: new Date(0) },
    }
  })
}

describe('who is asked or notified for a role', () => {
  it.each<{ who: string; grants?: string[]; installer?: string; slackAdmins?: string[]; asked: string[][] }>([
    {
      who: 'holders, then granted admins and the installer, then Slack’s admins, each once',
      grants: ['approver UANN', 'approver SONE', 'admin UCARL', 'admin UANN', 'operator UDAN'],
      installer: 'UEVE',
      slackAdmins: ['UEVE', 'UFAY'],
      asked: [['UANN', 'UBOB'], ['UCARL', 'UEVE'], ['UFAY']],
    },
    {
      who: 'nobody who has left, is a guest, an app, or from another organization',
      grants: ['approver ULEFT', 'approver SLEFT', 'approver UFOREIGN', 'admin UGUEST', 'admin USILENT'],
      installer: 'UBOT',
      slackAdmins: ['ULEFT', 'UANN'],
      asked: [['UANN']],
    },
    {
      who: 'admins if everyone has the role, or its group is empty or gone',
      grants: ['approver *', 'approver SEMPTY', 'approver SGONE', 'admin UANN'],
      asked: [['UANN']],
    },
    { who: 'at most twenty holders', grants: ['approver SMANY'], asked: [MANY.slice(0, 20)] },
    { who: 'nobody if nobody is left', grants: ['approver ULEFT'], asked: [] },
  ])('$who', async ({ asked, ...workspace }) => {
    const { listReachable } = createFixture({}, workspace)
    expect(await Array.fromAsync(listReachable(WORKSPACE, 'approver'))).toEqual(asked)
  })

  it('names the installer with the admins who were granted the role', async () => {
    const { listReachable } = createFixture({}, { grants: ['admin UANN'], installer: 'UEVE' })
    expect(await Array.fromAsync(listReachable(WORKSPACE, 'admin'))).toEqual([['UANN', 'UEVE']])
  })

  it('lists somebody who may be among the members of a channel that is too large to read', async () => {
    const { listReachable } = createFixture({}, { grants: ['approver UOUT'], isComplete: false })
    expect(await Array.fromAsync(listReachable(CHANNEL, 'approver'))).toEqual([['UOUT']])
  })

  it('doesn’t list somebody outside of the channel', async () => {
    const { listReachable } = createFixture({}, { grants: ['approver UOUT', 'approver UANN'] })
    expect(await Array.fromAsync(listReachable(CHANNEL, 'approver'))).toEqual([['UANN']])
  })

  it.each(['readPerson', 'groupMembers'] as const)(
    'fails if Slack can’t be reached for %s',
    async (method) => {
      const grants = ['approver SONE']
      const { listReachable } = createFixture({ [method]: rejection('internal_error') }, { grants })
      await expect(Array.fromAsync(listReachable(WORKSPACE, 'approver'))).rejects.toThrow('internal_error')
    },
  )

  it('lists members who were granted the role if the app may not read a group', async () => {
    const grants = ['approver SONE', 'approver UANN']
    const { listReachable } = createFixture({ groupMembers: rejection('missing_scope') }, { grants })
    expect(await Array.fromAsync(listReachable(WORKSPACE, 'approver'))).toEqual([['UANN']])
  })
})
