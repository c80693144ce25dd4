import { describe, expect, it } from 'vitest'
import { EVERYONE, type GrantableRole, type Subject } from '../../../src/domain/roles.ts'
import { addGrant, giveRole } from '../../give-role.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const GUEST = 'U0GUEST001'
const ON_CALL = 'S0ONCALL01'
const DAY_MS = 86_400_000

const startClosedWorld = (guests?: 'can-view') =>
  startWorld({ access: 'closed', checks: [{ name: 'web' }], ...(guests && { guests }) })

const listAudited = async (world: World, ...verbs: string[]) =>
  (await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 50 }))
    .filter(({ verb }) => verbs.includes(verb))
    .toReversed()
    .map(({ object, before, after, outcome }) => ({ object, before, after, outcome }))

const person = (id: string) => ({ kind: 'user', id }) as const

const listRoles = async ({ app }: World) =>
  (await app.store.grants.list(WORKSPACE)).map(({ role, subject }) => `${subject.id} ${role}`)

describe('/hc access', () => {
  it('lets an admin give a role and revoke it, and shows who has what', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    expect((await member.command('/hc', 'create')).text).toContain('This needs the operator role')
    const empty = await admin.command('/hc', 'access')
    expect(empty.message?.text).toMatch(/^You can do everything here\.\n.*\n.*\n.*\nNo roles given\n/)
    expect(empty.message?.text.replaceAll('\u2060', '')).toContain(
      'To give a role to @person, @group, or everyone, type this. Without 8h, the role doesn’t expire.',
    )
    const given = await admin.command('/hc', `grant <@${member.id}> operator`)
    expect(given.message?.text).toMatch(new RegExp(`^Saved: <@${member.id}> has the operator role\\.$`, 'm'))
    expect((await member.command('/hc', 'create')).text).toContain('New health check')

    const list = await admin.command('/hc', 'access')
    expect(list.message?.text).toMatch(new RegExp(`\n1 role given\n<@${member.id}> · operator\n`))
    const asked = await admin.choose(list.message, 'Revoke…', 'Revoke Member · operator', {
      until: 'Revoke the operator role of',
    })
    expect(asked.message?.text).toMatch(new RegExp(`^Revoke the operator role of <@${member.id}>\\?$`, 'm'))
    expect(await listRoles(world)).toEqual([`${member.id} operator`])
    await admin.click(asked.message, 'Revoke the operator role', { until: 'Revoked: ' })
    expect(await listRoles(world)).toEqual([])
    expect((await member.command('/hc', 'create')).text).toContain('This needs the operator role')
    const audited = { role: 'operator', person: member.id, until: null }
    expect(await listAudited(world, '/hc grant', '/hc revoke')).toEqual([
      { object: `role operator of ${member.id}`, before: undefined, after: audited, outcome: 'done' },
      { object: `role operator of ${member.id}`, before: audited, after: undefined, outcome: 'done' },
    ])
  })

  it('shows 200 roles in pages, and revokes the right one', async () => {
    await using world = await startClosedWorld()
    const { admin } = world.slack
    const ids = Array.from({ length: 200 }, (_, index) => `S00000${1000 + index}`)
    for (const id of ids) await giveRole(world, { kind: 'group', id }, 'operator')
    const first = await admin.command('/hc', 'access')
    expect(first.message?.text).toContain('200 roles given · page 1 of 8\n')
    const second = await admin.click(first.message, 'Next', { until: 'page 2 of 8' })
    expect(second.message?.text).toContain(
      '<!subteam^S000001030> · operator · ⚠️ Slack no longer lists this user group',
    )
    const asked = await admin.choose(second.message, 'Revoke…', 'Revoke S000001030 · operator', {
      until: 'Revoke the operator role of',
    })
    await admin.click(asked.message, 'Revoke the operator role', { until: 'Revoked: ' })
    expect(await listRoles(world)).toEqual(
      ids.filter((id) => id !== 'S000001030').map((id) => `${id} operator`),
    )
  })

  it('says which roles have no effect', async () => {
    await using world = await startClosedWorld()
    await giveRole(world, GUEST, 'operator')
    await giveRole(world, 'U0LEFT0001', 'operator')
    const { message } = await world.slack.admin.command('/hc', 'access')
    for (const [userId, why] of [
      [GUEST, 'is a guest, and guests can’t change anything here'],
      ['U0LEFT0001', 'has a deactivated account'],
    ])
      expect(message?.text).toContain(`<@${userId}> · operator · ⚠️ ${why}, so this role has no effect`)
  })

  it('shows a member what they can do, why, and who can change that, without buttons that they can’t use', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    const group: Subject = { kind: 'group', id: ON_CALL }
    await addGrant(world.app.store, WORKSPACE, 'operator', group, admin.id, new Date('2026-03-01T12:00:00Z'))
    await giveRole(world, admin.id, 'admin')
    const { message, view } = await member.command('/hc', 'access')
    expect(view).toBeUndefined()
    expect(message?.text).toMatch(/^You have the operator role\.\n/)
    for (const expected of [
      `<!subteam^${ON_CALL}> · operator · includes you · given by <@${admin.id}> <!date^1772366400^{date_short_pretty} at {time}|2026-03-01 12:00 UTC>\n`,
      `To change this, ask <@${admin.id}>.`,
      '<@U0ADMIN001> · admin',
      'approver: approve and place certificate orders.\n',
      'Slack’s admins and whoever installed Signalman are admins, too.',
    ])
      expect(message?.text).toContain(expected)
    expect(message?.text).not.toContain('gave it to')
    expect(JSON.stringify(message?.blocks)).not.toMatch(/"text":"(?:Revoke…|Audit log)"/)
  })

  it('tells guests that they can only look, and doesn’t count roles of everyone as theirs', async () => {
    await using world = await startClosedWorld('can-view')
    await giveRole(world, EVERYONE, 'operator')
    const { text = '' } = (await world.slack.user(GUEST).command('/hc', 'access')).message ?? {}
    expect(text).toMatch(/^As a guest, you can look but not change anything\.\n/)
    expect(text).toContain('Everyone in this workspace except guests · operator')
    expect(text).not.toMatch(/includes you|given by|gave it to/)
  })

  it('names each person and group once, with all their roles', async () => {
    await using world = await startClosedWorld()
    const at = new Date('2026-03-01T12:00:00Z')
    for (const role of ['operator', 'approver'] as const)
      await addGrant(world.app.store, WORKSPACE, role, EVERYONE, 'U0ADMIN001', at)
    await giveRole(world, GUEST, 'operator', 1)
    await giveRole(world, GUEST, 'approver')
    const { text = '' } = (await world.slack.member.command('/hc', 'access')).message ?? {}
    expect(text).toMatch(
      /\nEveryone [^\n]* · approver and operator · includes you · given by <@U0ADMIN001> <!/,
    )
    // One of these ends.
    expect(text).toMatch(/\n<@U0GUEST001> · approver · ⚠️ [^\n]*\n<@U0GUEST001> · operator · until </)
  })

  it('says on every page why someone has their role, once', async () => {
    await using world = await startClosedWorld()
    const { member } = world.slack
    for (let index = 0; index < 30; index += 1)
      await giveRole(world, { kind: 'group', id: `S00000${1000 + index}` }, 'admin')
    await giveRole(world, EVERYONE, 'operator')
    const first = await member.command('/hc', 'access')
    expect(first.message?.text).toMatch(/\noperator: <@U0ADMIN001> gave it to everyone here <!.*>\.\n/)
    expect(first.message?.text).not.toContain('includes you')
    const { message } = await member.click(first.message, 'Next', { until: 'page 2 of 2' })
    expect(message?.text).toMatch(/\nEveryone .* · operator · includes you · given by <@U0ADMIN001> <!/)
    expect(message?.text).not.toContain('gave it to')
  })

  it.each([
    ['the permanent grant', undefined, /^Everyone [^·]* · operator · includes you/],
    ['the grant that ends last', 2, /^Everyone [^·]* · operator · until .* · includes you/],
  ])('explains a role by %s', async (_, days, expected) => {
    await using world = await startClosedWorld()
    const { member } = world.slack
    await giveRole(world, EVERYONE, 'operator', days)
    await giveRole(world, member.id, 'operator', 1)
    const lines = ((await member.command('/hc', 'access')).message?.text ?? '').split('\n')
    expect(lines.filter((line) => line.includes(' · given by '))).toEqual([expect.stringMatching(expected)])
  })

  it('finds people if Slack can’t list user groups, and leaves the roles of groups alone', async () => {
    await using world = await startClosedWorld()
    const { admin, member } = world.slack
    await giveRole(world, { kind: 'group', id: ON_CALL }, 'operator')
    const fail = () =>
      world.slack.faults({ method: 'usergroups.list', kind: 'error', error: 'missing_scope' })
    await fail()
    const list = await admin.command('/hc', 'access')
    expect(list.message?.text).toContain(`<!subteam^${ON_CALL}> · operator\n`)
    await fail()
    await admin.command('/hc', 'grant @member approver', { until: 'Saved: ' })
    expect(await listRoles(world)).toEqual(['U0MEMBER01 approver', `${ON_CALL} operator`])
    expect((await member.command('/hc', 'create')).text).toContain('New health check')
  })
})

describe('/hc grant', () => {
  it('gives a role that expires on time', async () => {
    let clockAheadMs = 0
    await using world = await startWorld({
      access: 'closed',
      now: () => new Date(Date.now() + clockAheadMs),
    })
    const { admin, member } = world.slack
    const readAccess = async () => (await member.command('/hc', 'access')).message?.text
    const tryCreate = async () => (await member.command('/hc', 'create')).text
    await admin.command('/hc', `grant ${member.id} operator 8h`, { until: 'Saved' })
    expect(await readAccess()).toMatch(
      /<@U0MEMBER01> · operator · until <!.* UTC> · given by <@U0ADMIN001> <!/,
    )
    expect(await tryCreate()).toContain('New health check')
    expect(await listAudited(world, '/hc grant')).toMatchObject([
      { outcome: 'done', after: { role: 'operator', until: expect.any(String) } },
    ])
    // Tests the end with a role of two minutes: if the clock were more than five minutes ahead, the app would reject Slack's requests.
    await giveRole(world, member.id, 'operator', 2 / 24 / 60)
    expect(await tryCreate()).toContain('New health check')
    clockAheadMs = 3 * 60_000
    expect(await tryCreate()).toContain('This needs the operator role')
    expect(await readAccess()).toMatch(/^You have no role, but you can look things up/)
    expect((await member.command('/hc', 'access')).text).toContain('Ask for the operator role')
    // An expired role doesn't prevent a new one.
    await admin.command('/hc', `grant ${member.id} operator 30m`, { until: 'Saved' })
    expect(await tryCreate()).toContain('New health check')
  })

  it('takes a date, no end at all, a user group, and everyone, and leaves a permanent role permanent', async () => {
    await using world = await startClosedWorld()
    const { admin, member } = world.slack
    const at = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10)
    for (const typed of [
      `${member.id} operator until ${at} 18:00Z`,
      `${member.id} approver`,
      '@on-call approver 8h',
      'everyone operator 14d --yes',
    ])
      await admin.command('/hc', `grant ${typed}`, { until: 'Saved: ' })
    const { text } = await admin.command('/hc', `grant ${member.id} approver 8h`, { until: 'Not changed' })
    expect(text).toContain('It was permanent already, so nothing was changed.')
    expect(await listRoles(world)).toEqual([
      `${ON_CALL} approver`,
      `${member.id} approver`,
      '* operator',
      `${member.id} operator`,
    ])
    const grants = await world.app.store.grants.list(WORKSPACE)
    expect(grants.map(({ endsAt }) => endsAt?.toISOString() === `${at}T18:00:00.000Z`)).toEqual([
      ...[false, false, false, true],
    ])
    expect(grants[1]?.endsAt).toBeUndefined()
  })

  it('refuses a time, a person, or a role that can’t be given', async () => {
    await using world = await startClosedWorld()
    const { admin, member } = world.slack
    for (const [typed, expected] of [
      ['@member operator 5m', 'For how long?'],
      ['@member operator 91d', 'For how long?'],
      ['@member operator until 2099-01-01', 'For how long?'],
      [`${GUEST} operator 8h`, 'is a guest, and guests can’t change anything here'],
      ['U0LEFT0001 operator', 'has a deactivated account'],
      ['U0FOREIGN1 operator 8h', 'Partner belongs to another organization'],
      ['U0N0B0DY1 operator 8h', 'Slack has no user with the ID U0N0B0DY1'],
      ['@nobody operator', 'No one here is named @nobody'],
      ['@on-cal operator', 'Did you mean @on-call?'],
      ['@member oprator', ''],
      ['@member', 'Which role? One of operator, approver, admin.'],
      ['operator 8h', 'Whose role?'],
    ] as const)
      expect((await admin.command('/hc', `grant ${typed}`)).text, typed).toContain(expected)
    expect((await member.command('/hc', 'grant @member admin')).text).not.toContain('Saved')
    expect(await listRoles(world)).toEqual([])
  })

  it('lets a temporary admin give no role that outlasts their own, and says so', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    await giveRole(world, member.id, 'admin', 1)
    const [{ endsAt: ownEnd } = {}] = await world.app.store.grants.list(WORKSPACE)
    const findEnd = async (userId: string, role: GrantableRole) =>
      (await world.app.store.grants.list(WORKSPACE)).find(
        (grant) => grant.role === role && grant.subject.id === userId,
      )?.endsAt
    for (const end of [' 30d', '']) {
      const { text } = await member.command('/hc', `grant ${member.id} admin${end}`, { until: 'Saved' })
      expect(text).toContain('Your own admin role ends ')
      expect(await findEnd(member.id, 'admin')).toEqual(ownEnd)
    }
    await member.command('/hc', `grant ${admin.id} operator 30d`, { until: 'Saved' })
    expect(await findEnd(admin.id, 'operator')).toEqual(ownEnd)
    await member.command('/hc', `grant ${admin.id} approver 15m`, { until: 'Saved' })
    expect((await findEnd(admin.id, 'approver'))?.getTime()).toBeLessThan(ownEnd?.getTime() ?? 0)
    // A role that already outlasts theirs can be shortened, but not extended.
    await giveRole(world, admin.id, 'operator', 10)
    const longEnd = await findEnd(admin.id, 'operator')
    await member.command('/hc', `grant ${admin.id} operator 30d`, { until: 'Saved' })
    expect(await findEnd(admin.id, 'operator')).toEqual(longEnd)
    await member.command('/hc', `grant ${admin.id} operator 30m`, { until: 'Saved' })
    expect(await findEnd(admin.id, 'operator')).not.toEqual(longEnd)
  })
})

describe('/hc revoke', () => {
  it('takes a person, a user group, and everyone, and refuses what isn’t given', async () => {
    await using world = await startClosedWorld()
    const { admin, member } = world.slack
    for (const subject of [person(member.id), { kind: 'group', id: ON_CALL } as const, EVERYONE])
      await giveRole(world, subject, 'operator')
    const note = 'Everyone in this workspace except guests still has this role.'
    for (const [typed, who, isEveryones] of [
      ['@member', `<@${member.id}>`, true],
      ['@on-call', `<!subteam^${ON_CALL}>`, true],
      ['everyone', 'Everyone in this workspace except guests', false],
    ] as const) {
      const asked = await admin.command('/hc', `revoke ${typed} operator`, { until: 'could then no longer' })
      expect(asked.message?.text).toContain(`Revoke the operator role of ${who}?\nThey could then no longer`)
      const revoked = await admin.click(asked.message, 'Revoke the operator role', { until: 'Revoked: ' })
      expect(revoked.text.includes(note), typed).toBe(isEveryones)
    }
    expect(await listRoles(world)).toEqual([])
    const { text } = await admin.command('/hc', 'revoke @member operator', { until: 'Nothing was changed' })
    expect(text).toContain('They weren’t given this role, so there was nothing to revoke.')
    await giveRole(world, member.id, 'operator')
    expect((await member.command('/hc', 'revoke @member operator')).text).toContain(
      'This needs the admin role',
    )
    expect(await listRoles(world)).toEqual([`${member.id} operator`])
  })

  it('revokes nothing without the name of a role', async () => {
    await using world = await startClosedWorld()
    const { admin, member } = world.slack
    for (const role of ['operator', 'approver'] as const) await giveRole(world, member.id, role)
    const { message } = await admin.command('/hc', 'revoke @member', { until: 'Which role? One of operator' })
    await admin.click(message, 'Who may do what', { until: 'You can' })
    expect(await listRoles(world)).toHaveLength(2)
  })

  it('keeps the last permanent admin, unless Slack’s own admin revokes it', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    await giveRole(world, member.id, 'admin')
    const refused = await member.command('/hc', 'revoke @member admin --yes', { until: 'permanent admin' })
    expect(refused.text).toContain('A user group doesn’t count')
    expect(await listRoles(world)).toEqual([`${member.id} admin`])
    await giveRole(world, admin.id, 'admin')
    await member.command('/hc', 'revoke @member admin --yes', { until: 'Revoked: ' })
    expect((await member.command('/hc', 'connect')).text).toContain('This needs the admin role')
    await admin.command('/hc', `revoke ${admin.id} admin --yes`, { until: 'Revoked: ' })
    expect(await listRoles(world)).toEqual([])
  })
})

it.each([
  ['everyone operator 8h', 'Everyone in this workspace except guests could then'],
  ['everyone admin', 'manage the connection and everyone’s roles'],
  ['everyone approver until tomorrow 18:00', 'Everyone in this workspace except guests could then'],
  ['@on-call admin 8h', 'Everyone in this group could then manage the connection and everyone’s roles'],
])('asks before it gives many people a role: %s', async (typed, expected) => {
  await using world = await startClosedWorld()
  const { admin, member } = world.slack
  const asked = await admin.command('/hc', `grant ${typed}`, { until: 'Give them the' })
  expect(asked.text).toContain(expected)
  expect((await member.command('/hc', 'access')).text).toContain('No roles given')
  await admin.click(asked.message, `Give the ${typed.split(' ')[1]} role`, {
    until: 'Saved: ',
  })
  expect((await member.command('/hc', 'access')).text).toContain('1 role given')
  const [grant] = await world.app.store.grants.list(WORKSPACE)
  expect(grant?.endsAt === undefined, 'lasts as long as typed').toBe(typed.endsWith('admin'))
})

it('gives a group another role without asking', async () => {
  await using world = await startClosedWorld()
  const { text } = await world.slack.admin.command('/hc', 'grant @on-call approver', { until: 'Saved: ' })
  expect(text).not.toContain('could then')
})

it('says that a shorter grant replaces a longer one', async () => {
  await using world = await startClosedWorld()
  const { admin } = world.slack
  await admin.command('/hc', 'grant @member operator 14d', { until: 'Saved: ' })
  const { text } = await admin.command('/hc', 'grant @member operator 8h', { until: 'Saved: ' })
  expect(text).toContain('This is shorter than before.')
  const longer = await admin.command('/hc', 'grant @member operator 30d', { until: 'Saved: ' })
  expect(longer.text).not.toContain('shorter')
})

it('says that it searched no user groups if Slack doesn’t return them', async () => {
  await using world = await startWorld({ playground: { missingScopes: ['usergroups:read'] } })
  const { text } = await world.slack.admin.command('/hc', 'grant @on-call approver')
  expect(text).toMatch(/No one here is named @on-call\..*User groups weren’t searched/)
})

it('asks an admin for a role by a button, once an hour, and the admin gives it by one', async () => {
  await using world = await startClosedWorld()
  const { admin, member } = world.slack
  const refused = await member.command('/hc', 'create')
  expect(refused.text).toContain('Ask for the operator role')
  const press = (until: string) => member.click(refused.message, 'Ask for the operator role', { until })
  await press('to give you the operator role')
  await admin.see('asks for the operator role')
  const question = (await admin.messages('dm')).find(({ text }) =>
    text.includes('asks for the operator role'),
  )
  await press('within the last hour')
  await admin.click(question, 'Give it for 8 hours', { until: 'Saved: ' })
  await press('You have the operator role already')
  const [grant] = await world.app.store.grants.list(WORKSPACE)
  expect(grant?.endsAt).toBeDefined()
  expect((await listAudited(world, '/hc role-ask')).map(({ object }) => object)).toContain('operator')
  const guest = await world.slack.user(GUEST).command('/hc', 'create')
  expect(guest.text).not.toContain('Ask for')
})
