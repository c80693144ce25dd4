import { describe, expect, it } from 'vitest'
import { objectsIn } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, readId, receivedEvents, startWorld } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST })

describe('user groups', () => {
  it('can be created, changed, and disabled, which sends events to the app', async () => {
    await using world = await start()
    const created = await world.api('usergroups.create', { name: 'Night shift', channels: 'C0GENERAL1' })
    expect(created).toMatchObject({
      usergroup: {
        name: 'Night shift',
        handle: 'night-shift',
        user_count: 0,
        prefs: { channels: ['C0GENERAL1'] },
      },
    })
    const usergroup = readId(created.usergroup)
    expect(await world.waitForEvent('subteam_created')).toMatchObject({ subteam: { id: usergroup } })
    const users = 'U0MEMBER01,U0ADMIN001'
    expect(await world.api('usergroups.users.update', { usergroup, users })).toMatchObject({
      usergroup: { users: ['U0MEMBER01', 'U0ADMIN001'], user_count: 2 },
    })
    expect(await world.waitForEvent('subteam_members_changed')).toMatchObject({
      subteam_id: usergroup,
      team_id: 'T0PLAYGRND',
      added_users: users.split(','),
      added_users_count: 2,
      removed_users: [],
    })
    expect(await world.api('usergroups.users.list', { usergroup })).toMatchObject({ users: users.split(',') })
    await world.api('usergroups.update', { usergroup, handle: 'night', description: 'After six' })
    const listGroups = async (args = {}) => objectsIn((await world.api('usergroups.list', args)).usergroups)
    expect(await listGroups()).toContainEqual(
      expect.objectContaining({ handle: 'night', description: 'After six' }),
    )
    expect((await world.slack.member.state()).userGroups).toContainEqual(
      expect.objectContaining({ handle: 'night' }),
    )
    await world.api('usergroups.disable', { usergroup })
    expect((await listGroups()).map(({ id }) => id)).not.toContain(usergroup)
    expect((await listGroups({ include_disabled: true })).map(({ id }) => id)).toContain(usergroup)
    expect((await world.slack.member.state()).userGroups).toHaveLength(2)
    await world.api('usergroups.enable', { usergroup })
    await world.eventually('every change', () => receivedEvents(world).length >= 6)
    expect(receivedEvents(world).filter(({ type }) => type === 'subteam_updated')).toHaveLength(4)
  })

  it('can be joined and left; joining twice changes nothing', async () => {
    await using world = await start()
    const { admin } = world.slack
    for (const attempt of [1, 2])
      expect(await admin.joinGroup('@on-call'), `${attempt}`).toMatchObject({ ok: true })
    expect(await world.waitForEvent('subteam_members_changed')).toMatchObject({ added_users: ['U0ADMIN001'] })
    const fetchOnCallUsers = async () =>
      (await admin.state()).userGroups?.find(({ handle }) => handle === 'on-call')?.users
    expect(await fetchOnCallUsers()).toEqual(['U0MEMBER01', 'U0ADMIN001'])
    await admin.leaveGroup('S0ONCALL01')
    expect(await fetchOnCallUsers()).toEqual(['U0MEMBER01'])
    await world.eventually('both changes', () => receivedEvents(world).length === 4)
    await expect(admin.joinGroup('workshop')).rejects.toThrow('There is no user group "workshop"')
  })

  it.each([
    ['create', {}, 'missing_subteam_name'],
    ['create', { name: 'On call' }, 'name_already_exists'],
    ['create', { name: 'x', handle: 'on-call' }, 'handle_already_exists'],
    ['create', { name: 'x', handle: 'Not One' }, 'bad_handle'],
    ['create', { name: 'x', channels: 'C0NOPE' }, 'invalid_channel_provided'],
    ['update', { usergroup: 'S0NOPE' }, 'no_such_subteam'],
    ['users.update', { usergroup: 'S0ONCALL01', users: '' }, 'no_users_provided'],
    ['users.update', { usergroup: 'S0ONCALL01', users: 'U0NOPE' }, 'invalid_users'],
    ['users.update', { usergroup: 'S0WSONCALL', users: 'U0MEMBER01' }, 'no_such_subteam'],
  ])('return an error for an invalid call: %s with %j (%s)', async (verb, args, error) => {
    await using world = await start()
    expect(await world.api(`usergroups.${verb}`, args)).toMatchObject({ error })
  })
})
