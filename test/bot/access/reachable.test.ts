import type { Person, SlackClients } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import type { Actor, Membership } from '../../../src/bot/access/actor.ts'
import { createReachability } from '../../../src/bot/access/reachable.ts'

const WORKSPACE = { workspaceId: 'T1' }
const CHANNEL = { ...WORKSPACE, channelId: 'C1' }
const DM = { ...WORKSPACE, channelId: 'D1', directUserId: 'UANN' }

const MEMBERSHIPS: Readonly<Record<string, Membership>> = {
  UANN: 'member',
  UBOB: 'member',
  ULEFT: 'deactivated',
  UBOT: 'bot',
  UGUEST: 'guest',
  UFOREIGN: 'foreign',
  USILENT: 'unknown',
}
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  SONE: ['ULEFT', 'UBOB'],
  SEMPTY: [],
  SLEFT: ['ULEFT', 'UGUEST'],
  SOUTSIDE: ['UOUT'],
  SLARGE: Array.from({ length: 21 }, () => 'UOUT'),
}

const rejection = (code: string) => new Error(`An API error occurred: ${code}`)

/** `faults`: what a method of Slack throws instead. */
function createFixture(
  faults: Partial<Record<'readPerson' | 'findInChannel' | 'groupMembers', Error>> = {},
  admins: readonly string[] = [],
) {
  const asked: string[] = []
  const call = <T>(method: keyof typeof faults, value: T): T => {
    asked.push(method)
    const fault = faults[method]
    if (fault) throw fault
    return value
  }
  const inChannel = new Set(['UANN', 'UBOB', 'ULEFT', 'UBOT', 'UGUEST', 'UFOREIGN', 'USILENT'])
  const clients = {
    forWorkspace: async () => ({
      findInChannel: async (_channel: string, userIds: ReadonlySet<string>) =>
        call('findInChannel', { found: userIds.intersection(inChannel), isComplete: true }),
      async groupMembers(id: string) {
        const members = GROUPS[id]
        if (!members) throw rejection('no_such_subteam')
        return call('groupMembers', [...members])
      },
    }),
  } as unknown as SlackClients
  const reachability = createReachability({
    access: {
      findActor: async ({ userId }) =>
        ({ userId, membership: MEMBERSHIPS[userId] ?? 'member', canView: true }) as Actor,
      hasRoleOrThrow: async (_workspace, userId) => userId === 'UANN',
    },
    people: { readPerson: async () => call('readPerson', {} as Person) },
    clients,
    async *listAdmins() {
      yield* admins
    },
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
    ['UANN', DM, undefined],
    ['UBOB', DM, 'isn’t in this direct message'],
  ] as const)('%s in %o: %s', async (userId, place, reason) => {
    expect(await createFixture().explainPerson(place, userId)).toBe(reason)
  })

  it('explains that a person doesn’t have the role that the buttons need', async () => {
    const { explainPerson } = createFixture()
    expect(await explainPerson(WORKSPACE, 'UANN', 'operator')).toBeUndefined()
    expect(await explainPerson(WORKSPACE, 'UBOB', 'operator')).toBe('doesn’t have the operator role')
    expect(await explainPerson(WORKSPACE, 'ULEFT', 'operator')).toBe('is deactivated')
    expect(await explainPerson(WORKSPACE, 'UBOB')).toBeUndefined()
  })

  it.each([
    ['SONE', CHANNEL, undefined],
    ['SEMPTY', CHANNEL, 'has no members'],
    ['SLEFT', CHANNEL, 'has nobody who can be notified there'],
    ['SOUTSIDE', CHANNEL, 'has nobody who can be notified there'],
    ['SGONE', CHANNEL, 'is no longer a user group'],
    // Not all members of a large group are looked up.
    ['SLARGE', CHANNEL, undefined],
    ['SONE', DM, 'is a group, which can’t be paged in a direct message'],
  ] as const)('group %s in %o: %s', async (groupId, place, reason) => {
    expect(await createFixture().explainGroup(place, groupId)).toBe(reason)
  })

  it('assumes that someone can be notified if the app may not look them up', async () => {
    for (const method of ['readPerson', 'findInChannel'] as const)
      expect(
        await createFixture({ [method]: rejection('missing_scope') }).explainPerson(CHANNEL, 'UOUT'),
      ).toBe(method === 'readPerson' ? 'isn’t in the channel' : undefined)
    const withoutGroups = createFixture({ groupMembers: rejection('missing_scope') })
    expect(await withoutGroups.explainGroup(CHANNEL, 'SEMPTY')).toBeUndefined()
  })

  it('knows that a person whom Slack doesn’t know can’t be notified', async () => {
    for (const code of ['user_not_found', 'users_not_found', 'user_not_visible'])
      expect(await createFixture({ readPerson: rejection(code) }).explainPerson(CHANNEL, 'UANN')).toBe(
        'isn’t in this workspace',
      )
  })

  it.each(['readPerson', 'findInChannel', 'groupMembers'] as const)(
    'throws if Slack can’t be reached for %s, instead of guessing',
    async (method) => {
      const { explainPerson, explainGroup } = createFixture({ [method]: rejection('internal_error') })
      const explained =
        method === 'groupMembers' ? explainGroup(CHANNEL, 'SONE') : explainPerson(CHANNEL, 'UANN')
      await expect(explained).rejects.toThrow('internal_error')
    },
  )

  it('asks Slack for a channel’s members once for a whole group', async () => {
    const { explainGroup, asked } = createFixture()
    await explainGroup(CHANNEL, 'SLEFT')
    expect(asked.filter((method) => method === 'findInChannel')).toHaveLength(1)
  })

  it('finds the first admin who can be notified', async () => {
    const { findAdmin } = createFixture({}, ['ULEFT', 'UGUEST', 'UANN', 'UBOB'])
    expect(await findAdmin(WORKSPACE)).toBe('UANN')
    expect(await findAdmin(WORKSPACE, ['UANN'])).toBe('UBOB')
    expect(await createFixture({}, ['ULEFT']).findAdmin(WORKSPACE)).toBeUndefined()
  })
})
