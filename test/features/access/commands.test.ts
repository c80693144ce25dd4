import { describe, expect, it } from 'vitest'
import { ALLOWED_SHARED_CHANNELS } from '../../../src/bot/posts/may-post.ts'
import { EVERYONE, type GrantableRole, ROLE_DESCRIPTIONS, type Subject } from '../../../src/domain/roles.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const GUEST = 'U0GUEST001'
const ON_CALL = 'S0ONCALL01'

const startClosedWorld = (guests?: 'can-view') =>
  startWorld({ access: 'closed', checks: [{ name: 'web' }], ...(guests && { guests }) })

const findAuditRows = async (world: World, verb: string) =>
  (await world.app.store.audit.search({ workspaceId: WORKSPACE, verb, limit: 50 })).filter(
    (row) => row.verb === verb,
  )

/** What these verbs wrote into the audit log, oldest first. */
const listAudited = async (world: World, ...verbs: string[]) =>
  (await Promise.all(verbs.map((verb) => findAuditRows(world, verb))))
    .flatMap((rows) => rows.toReversed())
    .map(({ object, before, after }) => ({ object, before, after }))

/** The labels of the roles in a window. */
const labelRole = (role: GrantableRole) => `${role}: ${ROLE_DESCRIPTIONS[role]}`
const ROLE_LABELS = {
  operator: labelRole('operator'),
  approver: labelRole('approver'),
  admin: labelRole('admin'),
}

const giveRole = (world: World, userId: string, role: 'operator' | 'approver' | 'admin') =>
  world.app.store.grants.add(WORKSPACE, role, { kind: 'user', id: userId }, 'U0ADMIN001', new Date())

describe('/hc access', () => {
  it.each([
    [undefined, 'They already had the operator role permanently, so its end wasn’t changed.'],
    [30, 'They already had the operator role for longer, so its end wasn’t changed.'],
  ])('says that a role they already had for %s days isn’t shortened', async (days, expectedText) => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    const inDays = (count: number) => ({ endsAt: new Date(Date.now() + count * 86_400_000) })
    const { grants } = world.app.store
    const subject = { kind: 'user', id: member.id } as const
    const end: { endsAt?: Date } = days === undefined ? {} : inDays(days)
    await grants.add(WORKSPACE, 'operator', subject, admin.id, new Date(), end)
    await grants.add(WORKSPACE, 'approver', subject, admin.id, new Date(), inDays(1))
    const { message } = await admin.command('/hc', 'access')
    await admin.choose(message, 'Change…', 'Change Member · approver', { until: 'as now' })
    const changed = await admin.submit(
      { Role: ROLE_LABELS.operator, Until: '8 hours from now' },
      { until: 'Saved: ' },
    )
    expect(changed.text).toContain(expectedText)
    const { audit } = world.app.store
    const [row] = await audit.search({ workspaceId: WORKSPACE, verb: '/hc access-change', limit: 1 })
    expect(row?.before).toMatchObject({ role: 'approver', operatorUntil: end.endsAt?.toISOString() ?? null })
  })

  it('logs when the other role ended that somebody now has without an end', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    const { grants, audit } = world.app.store
    const subject = { kind: 'user', id: member.id } as const
    const endsAt = new Date(Date.now() + 2 * 86_400_000)
    await grants.add(WORKSPACE, 'approver', subject, admin.id, new Date(), { endsAt })
    await grants.add(WORKSPACE, 'operator', subject, admin.id, new Date())
    const { message } = await admin.command('/hc', 'access')
    await admin.choose(message, 'Change…', 'Change Member · operator', { until: 'as now' })
    await admin.submit({ Role: ROLE_LABELS.approver }, { until: 'Saved: ' })
    const [row] = await audit.search({ workspaceId: WORKSPACE, verb: '/hc access-change', limit: 1 })
    expect(row).toMatchObject({
      before: { role: 'operator', until: null, approverUntil: endsAt.toISOString() },
      after: { role: 'approver', until: null },
    })
    // A change of the same role has only its own end.
    const [changed] = (await admin.command('/hc', 'access')).messages.slice(-1)
    await admin.choose(changed, 'Change…', 'Change Member · approver', { until: 'as now' })
    await admin.submit({ Until: '8 hours from now' }, { until: 'Saved: ' })
    const [later] = await audit.search({ workspaceId: WORKSPACE, verb: '/hc access-change', limit: 1 })
    expect(later?.before).toEqual({ role: 'approver', person: member.id, until: null })
  })

  it('shows who has what, one line each, and lets an admin add, change, and end a role', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    expect((await member.command('/hc', 'create')).text).toContain('This needs the operator role')
    const empty = await admin.command('/hc', 'access')
    expect(empty.message?.text).toMatch(/^No roles given\n/)
    await admin.click(empty.message, 'Add', { until: 'Until' })
    const given = await admin.submit(
      { Who: [member.id], Role: ROLE_LABELS.operator, Until: 'No end date' },
      { until: 'Saved: 1 role' },
    )
    expect(JSON.stringify(given.view)).toMatch(/"user_id":"U0MEMBER01"\}.{0,40}" · operator"/)
    expect((await member.command('/hc', 'create')).text).toContain('New health check')

    const list = await admin.command('/hc', 'access')
    expect(list.message?.text).toMatch(new RegExp(`^1 role given\n<@${member.id}> · operator\n`))
    await admin.choose(list.message, 'Change…', 'Change Member · operator', { until: 'as now' })
    const changed = await admin.submit(
      { Role: ROLE_LABELS.approver, Until: '8 hours from now' },
      { until: 'Saved: ' },
    )
    expect(changed.text).toMatch(/Saved: \n · approver\n · until /)
    const [grant, ...others] = await world.app.store.grants.list(WORKSPACE)
    expect(others).toEqual([])
    expect(grant).toMatchObject({ role: 'approver', subject: { kind: 'user', id: member.id } })

    const { message } = await admin.command('/hc', 'access')
    const asked = await admin.choose(message, 'End…', 'End Member · approver', { until: 'If you end' })
    expect(asked.text).toContain('No one else has been given the approver role.')
    await admin.submit({}, { until: 'Ended: ' })
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
    expect((await admin.command('/hc', 'access')).message?.text).toMatch(/^No roles given\n/)
    const until = grant?.endsAt?.toISOString()
    expect(await listAudited(world, '/hc access-add', '/hc access-change', '/hc access-end')).toEqual([
      {
        object: `role operator of ${member.id}`,
        before: undefined,
        after: { role: 'operator', person: member.id, until: null },
      },
      {
        object: `role operator of ${member.id}`,
        before: { role: 'operator', person: member.id, until: null },
        after: { role: 'approver', person: member.id, until },
      },
      {
        object: `role approver of ${member.id}`,
        before: { role: 'approver', person: member.id, until },
        after: undefined,
      },
    ])
  })

  it('gives roles to user groups and to everyone', async () => {
    await using world = await startClosedWorld()
    const { admin } = world.slack
    const { message } = await admin.command('/hc', 'access')
    await admin.click(message, 'Add a group', { until: 'Which user groups' })
    const offered = await admin.options(await admin.view(), 'Which user groups', '@ON-')
    expect(offered).toMatchObject({ options: [{ value: ON_CALL }] })
    await admin.options(await admin.view(), 'Which user groups', '')
    await admin.submit(
      { 'Which user groups': [ON_CALL, '*'], Role: ROLE_LABELS.operator, Until: '7 days from now' },
      { until: 'Saved: 2 roles' },
    )
    const shown = (await admin.command('/hc', 'access')).message?.text
    expect(shown).toMatch(/Everyone in this workspace except guests · operator · until /)
    expect(shown).toMatch(new RegExp(`<!subteam\\^${ON_CALL}> · operator · until `))
  })

  it('shows 200 roles in pages, and ends the right one', async () => {
    await using world = await startClosedWorld()
    const { admin } = world.slack
    const { grants } = world.app.store
    for (let index = 0; index < 200; index += 1)
      await grants.add(WORKSPACE, 'operator', { kind: 'group', id: `S${1000 + index}` }, admin.id, new Date())
    const first = await admin.command('/hc', 'access')
    expect(first.message?.text).toMatch(/^200 roles given · page 1 of 8\n/)
    const second = await admin.click(first.message, 'Next', { until: 'page 2 of 8' })
    expect(second.message?.text).toContain(
      '<!subteam^S1030> · operator · ⚠️ Slack no longer lists this user group',
    )
    await admin.choose(second.message, 'End…', 'End S1030 · operator', { until: 'If you end this role' })
    await admin.submit({}, { until: 'Ended: ' })
    expect((await grants.list(WORKSPACE)).map(({ subject }) => subject.id)).not.toContain('S1030')
    expect(await grants.list(WORKSPACE)).toHaveLength(199)
  })

  it('says which roles have no effect', async () => {
    await using world = await startClosedWorld()
    await giveRole(world, 'U0GUEST001', 'operator')
    await giveRole(world, 'U0LEFT0001', 'operator')
    const { message } = await world.slack.admin.command('/hc', 'access')
    for (const [userId, why] of [
      ['U0GUEST001', 'is a guest, and guests can’t change anything here'],
      ['U0LEFT0001', 'has a deactivated account'],
    ])
      expect(message?.text).toContain(`<@${userId}> · operator · ⚠️ ${why}, so this role has no effect`)
  })

  it('changes nothing, and says so, if another admin changed or ended the role meanwhile', async () => {
    await using world = await startClosedWorld()
    const { admin, member } = world.slack
    const { grants } = world.app.store
    await giveRole(world, member.id, 'operator')
    for (const [menu, option] of [
      ['Change…', 'Change Member · operator'],
      ['End…', 'End Member · operator'],
    ] as const) {
      const current = await grants.list(WORKSPACE)
      const { message } = await admin.command('/hc', 'access')
      await admin.choose(message, menu, option, { until: /as now|If you end this role/ })
      const subject = { kind: 'user', id: member.id } as const
      await grants.remove(WORKSPACE, 'operator', subject)
      await grants.add(WORKSPACE, 'operator', subject, 'U0MEMBER03', new Date())
      const changed = await grants.list(WORKSPACE)
      expect(changed).not.toEqual(current)
      const answers = menu === 'End…' ? {} : { Role: ROLE_LABELS.admin }
      const refused = await admin.submit(answers, { until: 'Nothing was changed' })
      expect(refused.text).toContain('This role was changed or has ended since you opened the list')
      expect(await grants.list(WORKSPACE)).toEqual(changed)
      await admin.close({ all: true })
      const tooLate = await admin.choose(message, menu, option, { until: 'This role was changed' })
      expect(tooLate.text).toContain('so Signalman changed nothing')
    }
    expect((await findAuditRows(world, '/hc access-end')).map(({ outcome }) => outcome)).toEqual(['failed'])
  })

  it('saves nothing if nothing changed', async () => {
    await using world = await startClosedWorld()
    await giveRole(world, world.slack.member.id, 'operator')
    const { admin } = world.slack
    const before = await world.app.store.grants.list(WORKSPACE)
    const { message } = await admin.command('/hc', 'access')
    await admin.choose(message, 'Change…', 'Change Member · operator', { until: 'as now' })
    await admin.submit({}, { until: 'there was nothing to save' })
    expect(await listAudited(world, '/hc access-change')).toEqual([])
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual(before)
  })

  it('shows non-admins who has what, without buttons that they can’t use', async () => {
    await using world = await startClosedWorld()
    const { member } = world.slack
    await giveRole(world, world.slack.admin.id, 'approver')
    const shown = await member.command('/hc', 'access')
    expect(shown.view).toBeUndefined()
    expect(shown.message?.text).toContain('<@U0ADMIN001> · approver')
    expect(shown.message?.text).toContain('approver: can approve and place certificate orders.')
    expect(shown.message?.text).toContain(
      'operator: can change health checks, their alerts and watches, and threat cases; given to no one.',
    )
    expect(shown.message?.text).toContain('Slack’s admins of this workspace and the person who installed')
    expect(shown.message?.text).toContain('To change this, ask an admin of this workspace.')
    const buttons = JSON.stringify(shown.message?.blocks)
    expect(buttons).toContain('Request operator')
    expect(buttons).not.toMatch(/"text":"(?:Change…|End…|Add|Settings)"/)
  })

  it('rejects the window of someone who is no longer an admin', async () => {
    await using world = await startClosedWorld()
    const { member } = world.slack
    await giveRole(world, member.id, 'admin')
    await member.command('/hc', 'access-add', { until: 'Until' })
    await world.app.store.grants.remove(WORKSPACE, 'admin', { kind: 'user', id: member.id })
    const answers = { Who: [member.id], Role: ROLE_LABELS.operator, Until: 'No end date' }
    const refused = await member.submit(answers, { until: 'This needs the admin role' })
    expect(refused.text).toContain('This needs the admin role')
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
  })

  it('doesn’t grant a role to someone who couldn’t use it', async () => {
    await using world = await startWorld({ access: 'closed' })
    const { admin } = world.slack
    for (const [userId, expectedError] of [
      ['U0FOREIGN1', 'belongs to another organization'],
      ['U0GUEST001', 'is a guest'],
    ] as const) {
      await admin.command('/hc', 'access-add', { until: 'Until' })
      const answers = { Who: [userId], Role: ROLE_LABELS.operator, Until: 'No end date' }
      const refused = await admin.submit(answers, { until: expectedError })
      expect(refused.text).toContain('Nothing was changed.')
      await admin.close({ all: true })
    }
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
  })

  it('doesn’t let a temporary admin grant a role that outlasts their own, and explains why', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    const { grants } = world.app.store
    const endsAt = new Date(Date.now() + 3_600_000)
    const endText = endsAt.toISOString().slice(0, 16).replace('T', ' ')
    const self = { kind: 'user', id: member.id } as const
    await grants.add(WORKSPACE, 'admin', self, admin.id, new Date(), { endsAt })
    const findEnd = async (userId: string, role: GrantableRole) =>
      (await grants.list(WORKSPACE)).find((grant) => grant.role === role && grant.subject.id === userId)
        ?.endsAt

    const longer = await member.command('/hc', `grant ${member.id} admin 30d`, { until: 'until' })
    expect(longer.message?.text.replaceAll(/<!date[^|]*\|([^>]*)>/g, '$1')).toContain(
      `until ${endText} UTC (admin role).\nYour own admin role ends ${endText} UTC.`,
    )
    expect(await findEnd(member.id, 'admin')).toEqual(endsAt)
    await member.command('/hc', `grant ${admin.id} operator 30d`, { until: 'until' })
    expect(await findEnd(admin.id, 'operator')).toEqual(endsAt)
    await member.command('/hc', `grant ${admin.id} approver 15m`, { until: 'until' })
    expect((await findEnd(admin.id, 'approver'))?.getTime()).toBeLessThan(endsAt.getTime())

    const list = await member.command('/hc', 'access')
    expect(list.message?.text).toContain('Roles that you give end no later than that.')
    await member.click(list.message, 'Add', { until: 'Until' })
    const ownEnd = `When your own admin role ends, ${endText} UTC`
    const answers = { Who: [admin.id], Role: ROLE_LABELS.admin, Until: ownEnd }
    await member.submit(answers, { until: 'Saved: 1 role' })
    expect(await findEnd(admin.id, 'admin')).toEqual(endsAt)
    await member.close({ all: true })

    const { message } = await member.command('/hc', 'access')
    await member.choose(message, 'Change…', 'Change Admin · approver', { until: 'as now' })
    await member.submit({ Until: ownEnd }, { until: 'Saved: ' })
    expect(await findEnd(admin.id, 'approver')).toEqual(endsAt)
  })

  it('lets a temporary admin shorten a role that outlasts their own, but not extend it', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    const { grants } = world.app.store
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
    const person = (id: string) => ({ kind: 'user', id }) as const
    await grants.add(WORKSPACE, 'admin', person(member.id), admin.id, new Date(), { endsAt: inHours(1) })
    const inTenDays = inHours(240)
    await grants.add(WORKSPACE, 'operator', person(admin.id), admin.id, new Date(), { endsAt: inTenDays })
    await member.command('/hc', `grant ${admin.id} operator 30d`, { until: 'until' })
    expect(await grants.list(WORKSPACE)).toContainEqual(expect.objectContaining({ endsAt: inTenDays }))
    await member.command('/hc', `grant ${admin.id} operator 30m`, { until: 'until' })
    expect(await grants.list(WORKSPACE)).not.toContainEqual(expect.objectContaining({ endsAt: inTenDays }))
  })

  it('refuses to end the last permanent admin, unless Slack’s own admin does it', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    await giveRole(world, member.id, 'admin')
    const end = async (person: typeof admin, option: string, until: string) => {
      const { message } = await person.command('/hc', 'access')
      await person.choose(message, 'End…', option, { until: 'If you end this role' })
      const { text } = await person.submit({}, { until })
      await person.close({ all: true })
      return text
    }
    const refused = await end(member, 'End Member · admin', 'This would leave no permanent admin')
    expect(refused).toContain('A user group doesn’t count')
    expect(await world.app.store.grants.list(WORKSPACE)).toHaveLength(1)
    await giveRole(world, admin.id, 'admin')
    await end(member, 'End Member · admin', 'Ended: ')
    expect((await member.command('/hc', 'connect')).text).toContain('This needs the admin role')
    await end(admin, 'End Admin · admin', 'Ended: ')
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
  })

  it('says so if Slack can’t list user groups, and leaves their roles alone', async () => {
    await using world = await startClosedWorld()
    const { admin, member } = world.slack
    const { grants } = world.app.store
    await grants.add(WORKSPACE, 'operator', { kind: 'group', id: ON_CALL }, admin.id, new Date())
    await world.slack.faults({ method: 'usergroups.list', kind: 'error', error: 'missing_scope' })
    const list = await admin.command('/hc', 'access')
    expect(list.message?.text).toContain(`<!subteam^${ON_CALL}> · operator\n`)
    await world.slack.faults({ method: 'usergroups.list', kind: 'error', error: 'missing_scope' })
    const refused = await admin.click(list.message, 'Add a group', { until: 'usergroups:read' })
    expect(refused.text).toContain('Groups that have a role keep it.')
    expect((await member.command('/hc', 'create')).text).toContain('New health check')
  })
})

describe('the settings of /hc access', () => {
  const SETTINGS = 'Keep the audit log'

  it('are saved together, each with its audit entry', async () => {
    await using world = await startClosedWorld()
    const { admin } = world.slack
    await admin.click((await admin.command('/hc', 'access')).message, 'Settings', { until: SETTINGS })
    const saved = await admin.submit(
      {
        'Shared channels where threat events and orders are allowed': ['C0PARTNER1'],
        'Keep the audit log': '1 year',
      },
      { until: 'In effect from now on' },
    )
    expect(saved.text).toContain('Audit log retention: 365 days')
    expect(await listAudited(world, '/hc access-settings')).toEqual([
      {
        object: 'shared channels where threat events and orders are allowed',
        before: [],
        after: ['C0PARTNER1'],
      },
      {
        object: 'how long the audit log is kept',
        before: { days: 'unlimited' },
        after: { days: 365 },
      },
    ])
  })

  it('ask before a shorter retention period deletes older audit entries, and then delete them at once', async () => {
    await using world = await startClosedWorld()
    const { audit } = world.app.store
    const appendAt = (daysAgo: number) =>
      audit.append({
        ...{
          workspaceId: WORKSPACE,
          at: new Date(Date.now() - daysAgo * 86_400_000),
          actor: { userId: 'U1' },
        },
        ...{ verb: '/hc edit', object: `${daysAgo} days ago`, outcome: 'done', reference: `r${daysAgo}` },
      })
    for (const daysAgo of [900, 800, 700, 600, 500, 10]) await appendAt(daysAgo)
    const listEdited = async () => (await findAuditRows(world, '/hc edit')).map(({ object }) => object)
    const { admin } = world.slack
    await admin.command('/hc', 'access-settings', { until: SETTINGS })
    const answers = { 'Keep the audit log': '1 year', Guests: ['yes'] }
    const { text } = await admin.submit(answers, { until: 'Nothing was saved yet' })
    expect(text).toMatch(
      /Keeping the audit log for 365 days permanently deletes 5 audit entries from before \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    )
    expect(await findAuditRows(world, '/hc access-settings')).toEqual([])
    const saved = await admin.click(await admin.view(), 'Save and delete 5 audit entries', {
      until: 'In effect from now on',
    })
    expect(saved.text).toContain('5 older audit entries: being deleted now')
    await expect.poll(listEdited, { timeout: 20_000 }).toEqual(['10 days ago'])
    expect((await findAuditRows(world, '/hc access-settings')).map(({ object }) => object)).toEqual([
      'how long the audit log is kept',
      'what guests can see',
    ])
  })

  it('don’t overwrite what another admin changed while the window was open', async () => {
    await using world = await startClosedWorld()
    const { admin } = world.slack
    const { settings } = world.app.store
    await admin.command('/hc', 'access-settings', { until: SETTINGS })
    await settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, ['C0OTHERS01'])
    const stale = await admin.submit({ Guests: ['yes'] }, { until: 'Nothing was changed' })
    expect(stale.text).toContain(
      'Another change was saved after you opened this window. Yours wasn’t saved. Current values:',
    )
    expect(stale.text).toContain('Shared channels where threat events and orders are allowed: 1.')
    expect(stale.text).not.toContain('Guests can’t see anything.')
    const fresh = await admin.click(stale.view, 'Open current version', { until: SETTINGS })
    expect(JSON.stringify(fresh.view)).toContain('"initial_conversations":["C0OTHERS01"]')
  })

  it('don’t overwrite a setting that another admin saves at the same time', async () => {
    await using world = await startClosedWorld()
    const { admin } = world.slack
    const { settings, steps } = world.app.store
    const { decide } = steps
    await admin.command('/hc', 'access-settings', { until: SETTINGS })
    Object.assign(steps, {
      async decide(...args: Parameters<typeof decide>) {
        Object.assign(steps, { decide })
        await settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, ['C0OTHERS01'])
        return await decide(...args)
      },
    })
    const field = 'Shared channels where threat events and orders are allowed'
    const refused = await admin.submit(
      { [field]: ['C0PARTNER1'] },
      { until: /Nothing was changed|In effect from now on/ },
    )
    expect(refused.text).toContain('Another change was saved at the same time')
    expect(await settings.get(WORKSPACE, ALLOWED_SHARED_CHANNELS)).toEqual(['C0OTHERS01'])
  })
})

describe('/hc whoami', () => {
  it('shows a member what they can do, why, and who can give them more roles', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    await world.app.store.grants.add(
      WORKSPACE,
      'operator',
      { kind: 'group', id: ON_CALL },
      admin.id,
      new Date('2026-03-01T12:00:00Z'),
    )
    await giveRole(world, admin.id, 'admin')
    const { message } = await member.command('/hc', 'whoami')
    expect(message?.text).toMatch(/^You can look, and you have the operator role\n/)
    expect(message?.text).toContain(`You are <@${member.id}>, a member of this workspace.`)
    expect(message?.text).toContain(
      `operator: you can change health checks, their alerts and watches, and threat cases, because <@${admin.id}> gave it to a user group that you are in <!date^1772366400^{date_short_pretty} {time}|2026-03-01 12:00 UTC>.`,
    )
    expect(message?.text).toContain('approver: no. You need it to approve and place certificate orders.')
    expect(message?.text).toContain(`To get another role, ask <@${admin.id}>.`)
    expect(JSON.stringify(message?.blocks)).not.toContain('Request operator')
  })

  it('shows admins and guests what they are', async () => {
    await using world = await startClosedWorld('can-view')
    const ask = async (userId: string) =>
      (await world.slack.user(userId).command('/hc', 'whoami')).message?.text ?? ''
    const admin = await ask('U0ADMIN001')
    expect(admin).toContain('You can do everything here\n')
    expect(admin).toContain('because Slack says that you are an admin of this workspace')
    expect(admin).toContain('You are <@U0ADMIN001>, an admin of this workspace.')
    const guest = await ask(GUEST)
    expect(guest).toContain('As a guest, you can look but not change anything\n')
    expect(guest).toContain('a guest of this workspace. Guests can view but not change anything')
  })
})

describe('/hc access and /hc whoami, if everyone has a role', () => {
  it('don’t list the role for guests, who can’t have it, and say to everyone that guests are excluded', async () => {
    await using world = await startClosedWorld('can-view')
    const { grants } = world.app.store
    for (const role of ['operator', 'approver'] as const)
      await grants.add(WORKSPACE, role, EVERYONE, 'U0ADMIN001', new Date())
    await giveRole(world, 'U0ADMIN001', 'admin')
    const { message } = await world.slack.user(GUEST).command('/hc', 'whoami')
    expect(message?.text).toContain('operator, approver, admin: no. Guests can’t have these roles')
    expect(message?.text).not.toMatch(/: you can (?!read)|To get another role/)
    for (const who of [GUEST, 'U0MEMBER01', 'U0ADMIN001']) {
      const shown = await world.slack.user(who).command('/hc', 'access')
      expect(shown.message?.text).toContain('Everyone in this workspace except guests · operator')
    }
  })
})

describe('/hc whoami, if someone has the same role through several grants', () => {
  const DAY = 86_400_000
  const explainRoles = async (
    grantsToAdd: readonly { role: GrantableRole; subject?: Subject; days?: number }[],
  ) => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    const memberSubject = { kind: 'user', id: member.id } as const
    for (const { role, subject = memberSubject, days } of grantsToAdd)
      await world.app.store.grants.add(
        WORKSPACE,
        role,
        subject,
        admin.id,
        new Date(),
        days === undefined ? {} : { endsAt: new Date(Date.now() + days * DAY) },
      )
    return (await member.command('/hc', 'whoami')).message?.text ?? ''
  }

  it('shows the permanent grant, or the grant that ends last if none is permanent', async () => {
    const permanent = await explainRoles([
      { role: 'operator', subject: EVERYONE },
      { role: 'operator', days: 1 },
    ])
    expect(permanent).toMatch(/operator: .* gave it to everyone here [^,]*\.\n/)
    const temporary = await explainRoles([
      { role: 'operator', subject: EVERYONE, days: 2 },
      { role: 'operator', days: 1 },
    ])
    expect(temporary).toMatch(/operator: .* gave it to everyone here .*, until /)
  })

  it('names the admin role as the reason if it lasts longer than the grant', async () => {
    const text = await explainRoles([{ role: 'operator', days: 1 }, { role: 'admin' }])
    expect(text).toMatch(/operator: .*because admins can do everything/)
    expect(text).not.toContain('until')
  })
})
