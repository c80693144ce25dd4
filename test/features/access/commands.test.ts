import { describe, expect, it } from 'vitest'
import { ALLOWED_SHARED_CHANNELS } from '../../../src/bot/posts/may-post.ts'
import { EVERYONE, type GrantableRole, type Subject } from '../../../src/domain/roles.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const GUEST = 'U0GUEST001'
const ON_CALL = 'S0ONCALL01'

const startClosedWorld = (guests?: 'can-view') =>
  startWorld({ access: 'closed', checks: [{ name: 'web' }], ...(guests && { guests }) })

const findAuditRows = async (world: World, verb: string) =>
  (await world.app.store.audit.search({ workspaceId: WORKSPACE, verb, limit: 50 })).filter(
    (row) => row.verb === verb,
  )

const giveRole = (world: World, userId: string, role: 'operator' | 'approver' | 'admin') =>
  world.app.store.grants.add(WORKSPACE, role, { kind: 'user', id: userId }, 'U0ADMIN001', new Date())

describe('/hc access', () => {
  it('lets an admin give roles to people, groups, and everyone, and shows the result', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    expect((await member.command('/hc', 'create')).text).toContain('This needs the operator role')
    await admin.command('/hc', 'access', { until: 'Admins: people' })
    const saved = await admin.submit(
      {
        'Operators: user groups': [ON_CALL],
        'Approvers: everyone': ['yes'],
        'Admins: people': [member.id],
        'Shared channels where threat events and orders are allowed': ['C0PARTNER1'],
        'Keep the audit log': '1 year',
      },
      { until: 'In effect from now on' },
    )
    expect(saved.text).toMatch(/operator: .*approver: .*everyone in this workspace except guests.*admin: /s)
    expect(saved.text).toContain('Audit log retention: 365 days')
    expect((await member.command('/hc', 'create')).text).toContain('New health check')
    expect(
      (await findAuditRows(world, '/hc access')).map(({ object, before, after }) => ({
        object,
        before,
        after,
      })),
    ).toEqual([
      {
        object: 'how long the audit log is kept',
        before: { days: 'unlimited' },
        after: { days: 365 },
      },
      {
        object: 'shared channels where threat events and orders are allowed',
        before: [],
        after: ['C0PARTNER1'],
      },
      {
        object: 'role admin',
        before: { people: [], groups: [], everyone: false },
        after: { people: [member.id], groups: [], everyone: false },
      },
      {
        object: 'role approver',
        before: { people: [], groups: [], everyone: false },
        after: { people: [], groups: [], everyone: true },
      },
      {
        object: 'role operator',
        before: { people: [], groups: [], everyone: false },
        after: { people: [], groups: [ON_CALL], everyone: false },
      },
    ])
  })

  it('asks before a shorter retention period deletes older audit entries, and then deletes them at once', async () => {
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
    await admin.command('/hc', 'access', { until: 'Admins: people' })
    const answers = { 'Keep the audit log': '1 year', 'Approvers: everyone': ['yes'] }
    const { text } = await admin.submit(answers, { until: 'Nothing was saved yet' })
    expect(text).toMatch(
      /Keeping the audit log for 365 days permanently deletes 5 audit entries from before \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    )
    expect(await findAuditRows(world, '/hc access')).toEqual([])
    const saved = await admin.click(await admin.view(), 'Save and delete 5 audit entries', {
      until: 'In effect from now on',
    })
    expect(saved.text).toContain('5 older audit entries: being deleted now')
    await expect.poll(listEdited, { timeout: 20_000 }).toEqual(['10 days ago'])
    expect((await findAuditRows(world, '/hc access')).map(({ object }) => object)).toEqual([
      'how long the audit log is kept',
      'role approver',
    ])
    expect(await audit.verify(WORKSPACE)).toMatchObject({ faults: [] })
  })

  it('prefills the current roles, and saves nothing if nothing changed', async () => {
    await using world = await startClosedWorld()
    await giveRole(world, world.slack.member.id, 'operator')
    const { admin } = world.slack
    const form = await admin.command('/hc', 'access', { until: 'Admins: people' })
    expect(JSON.stringify(form.view)).toContain(`"initial_users":["${world.slack.member.id}"]`)
    expect((await admin.submit({}, { until: 'there was nothing to save' })).closed).toBe(false)
    expect(await findAuditRows(world, '/hc access')).toEqual([])
    expect(await world.app.store.grants.list(WORKSPACE)).toHaveLength(1)
  })

  it('shows non-admins the permissions without a form', async () => {
    await using world = await startClosedWorld()
    const { member } = world.slack
    await giveRole(world, world.slack.admin.id, 'approver')
    const shown = await member.command('/hc', 'access')
    expect(shown.view).toBeUndefined()
    expect(shown.message?.text).toContain(
      'approver (can approve and place certificate orders): <@U0ADMIN001>',
    )
    expect(shown.message?.text).toContain(
      'operator (can change health checks, their alerts and watches, and threat cases): nobody yet',
    )
    // Slack's admins are admins, too, and the note below says so.
    expect(shown.message?.text).toMatch(/admin \(can [^)]+\): nobody else yet/)
    expect(shown.message?.text).toContain('To change this, ask an admin of this workspace.')
  })

  it('rejects the form of someone who is no longer an admin', async () => {
    await using world = await startClosedWorld()
    const { member } = world.slack
    await giveRole(world, member.id, 'admin')
    await member.command('/hc', 'access', { until: 'Admins: people' })
    await world.app.store.grants.remove(WORKSPACE, 'admin', { kind: 'user', id: member.id })
    const refused = await member.submit(
      { 'Operators: everyone': ['yes'] },
      { until: 'This needs the admin role' },
    )
    expect(refused.text).toContain('This needs the admin role')
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
  })

  it.each([
    { userId: 'U0FOREIGN1', expectedError: 'partner belongs to another organization' },
    { userId: 'U0GUEST001', expectedError: 'guest is a guest' },
  ])('doesn’t grant a role to $userId, who couldn’t use it', async ({ userId, expectedError }) => {
    await using world = await startWorld({ access: 'closed' })
    const { admin } = world.slack
    await admin.command('/hc', 'access')
    const refused = await admin.submit({ 'Operators: people': [userId] }, { until: expectedError })
    expect(refused.text).toContain('Nothing was changed.')
    expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
  })

  it('doesn’t overwrite what another admin changed while the form was open', async () => {
    await using world = await startClosedWorld()
    const { admin, member } = world.slack
    await admin.command('/hc', 'access', { until: 'Admins: people' })
    await giveRole(world, member.id, 'approver')
    const stale = await admin.submit({ 'Operators: everyone': ['yes'] }, { until: 'Nothing was changed' })
    expect(stale.text).toContain(
      'Someone else saved a change after you opened this window. Your change wasn’t saved. Current values:',
    )
    expect(stale.text).toContain('approver: 1 person.')
    expect(stale.text).not.toContain('operator: ')
    expect(await world.app.store.grants.list(WORKSPACE)).toHaveLength(1)
    const fresh = await admin.click(stale.view, 'Open current version', { until: 'Admins: people' })
    expect(JSON.stringify(fresh.view)).toContain(`"initial_users":["${member.id}"]`)
  })

  it('doesn’t overwrite a setting that another admin saves at the same time', async () => {
    await using world = await startClosedWorld()
    const { admin } = world.slack
    const { settings, recordedSteps } = world.app.store
    const { decide } = recordedSteps
    await admin.command('/hc', 'access', { until: 'Admins: people' })
    Object.assign(recordedSteps, {
      async decide(...args: Parameters<typeof decide>) {
        Object.assign(recordedSteps, { decide })
        await settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, ['C0OTHERS01'])
        return await decide(...args)
      },
    })
    const field = 'Shared channels where threat events and orders are allowed'
    const refused = await admin.submit(
      { [field]: ['C0PARTNER1'] },
      { until: /Nothing was changed|In effect from now on/ },
    )
    expect(refused.text).toContain('Someone else saved a change at the same time')
    expect(await settings.get(WORKSPACE, ALLOWED_SHARED_CHANNELS)).toEqual(['C0OTHERS01'])
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

    const form = await member.command('/hc', 'access', { until: 'Admins: people' })
    expect(form.text).toContain(`Roles that you give end no later than that.`)
    const unchanged = await member.submit(
      { 'Admins: people': [member.id] },
      { until: 'there was nothing to save' },
    )
    expect(unchanged.closed).toBe(false)
    await member.close({ all: true })
    await giveRole(world, 'U0MEMBER03', 'admin')
    await member.command('/hc', 'access', { until: 'Admins: people' })
    const otherAdmins = { 'Admins: people': [member.id, admin.id] }
    const refused = await member.submit(otherAdmins, { until: 'without an end date' })
    expect(refused.text).toContain('Keep at least one person as admin by name and without an end date.')
    await member.close({ all: true })
    await member.command('/hc', 'access', { until: 'Admins: people' })
    const saved = await member.submit(
      { 'Admins: people': [member.id, admin.id, 'U0MEMBER03'], 'Operators: user groups': [ON_CALL] },
      { until: 'In effect from now on' },
    )
    expect(JSON.stringify(saved)).toContain(`"fallback":"${endText} UTC"`)
    expect(await findEnd(admin.id, 'admin')).toEqual(endsAt)
    expect(await findEnd(ON_CALL, 'operator')).toEqual(endsAt)
    expect(await findEnd('U0MEMBER03', 'admin')).toBeUndefined()
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

  it('refuses to remove the last permanent admin', async () => {
    await using world = await startClosedWorld()
    const { member, admin } = world.slack
    await giveRole(world, member.id, 'admin')
    await member.command('/hc', 'access', { until: 'Admins: people' })
    const refused = await member.submit({ 'Admins: people': [] }, { until: 'Nothing was changed' })
    expect(refused.text).toContain('This would leave no permanent admin')
    expect(await world.app.store.grants.list(WORKSPACE)).toHaveLength(1)
    await member.submit({ 'Admins: people': [admin.id] }, { until: 'In effect from now on' })
    expect((await member.command('/hc', 'connect')).text).toContain('This needs the admin role')
  })

  it('works even if Slack can’t list user groups, and keeps the groups’ roles', async () => {
    await using world = await startClosedWorld()
    const { grants } = world.app.store
    await grants.add(WORKSPACE, 'operator', { kind: 'group', id: ON_CALL }, 'U0ADMIN001', new Date())
    await world.slack.faults({ method: 'usergroups.list', kind: 'error', error: 'missing_scope' })
    const form = await world.slack.admin.command('/hc', 'access', { until: 'Admins: people' })
    expect(form.text).toContain('the app lacks the scope usergroups:read')
    await world.slack.admin.submit({ 'Approvers: everyone': ['yes'] }, { until: 'In effect from now on' })
    expect((await grants.list(WORKSPACE)).map(({ role }) => role).sort()).toEqual(['approver', 'operator'])
    expect((await world.slack.member.command('/hc', 'create')).text).toContain('New health check')
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

  it.each([
    { who: 'U0ADMIN001', expectedText: 'You can do everything here\n' },
    { who: 'U0ADMIN001', expectedText: 'because Slack says that you are an admin of this workspace' },
    { who: 'U0ADMIN001', expectedText: 'You are <@U0ADMIN001>, an admin of this workspace.' },
    { who: GUEST, expectedText: 'As a guest, you can look but not change anything\n' },
    { who: GUEST, expectedText: 'a guest of this workspace. Guests can view but not change anything' },
  ])('shows $who: $expectedText', async ({ who, expectedText }) => {
    await using world = await startClosedWorld('can-view')
    expect((await world.slack.user(who).command('/hc', 'whoami')).message?.text).toContain(expectedText)
  })
})

describe('/hc access and /hc whoami, if everyone has a role', () => {
  const startWithRoles = async () => {
    const world = await startClosedWorld('can-view')
    const { grants } = world.app.store
    for (const role of ['operator', 'approver'] as const)
      await grants.add(WORKSPACE, role, EVERYONE, 'U0ADMIN001', new Date())
    await giveRole(world, 'U0ADMIN001', 'admin')
    return world
  }

  it('don’t list the role for guests, who can’t have it', async () => {
    await using world = await startWithRoles()
    const { message } = await world.slack.user(GUEST).command('/hc', 'whoami')
    expect(message?.text).toContain('operator, approver, admin: no. Guests can’t have these roles')
    expect(message?.text).not.toMatch(/: you can (?!read)|To get another role/)
  })

  it.each([GUEST, 'U0MEMBER01', 'form'])('say that guests are excluded (shown to: %s)', async (who) => {
    await using world = await startWithRoles()
    const { admin } = world.slack
    const shown =
      who === 'form'
        ? JSON.stringify((await admin.command('/hc', 'access', { until: 'Admins: people' })).view)
        : (await world.slack.user(who).command('/hc', 'access')).message?.text
    expect(shown).toMatch(/everyone in this workspace except guests/i)
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
