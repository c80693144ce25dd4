import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

it('grants a temporary role that expires on time', async () => {
  let clockAheadMs = 0
  await using world = await startWorld({ access: 'closed', now: () => new Date(Date.now() + clockAheadMs) })
  const { admin, member } = world.slack
  const granted = await admin.command('/hc', `grant ${member.id} operator 8h`, { until: 'until' })
  expect(granted.message?.text).toMatch(
    /^<@U0MEMBER01> can change health checks, their alerts and watches, and threat cases until <!date.* UTC> \(operator role\)/,
  )
  expect((await member.command('/hc', 'whoami')).message?.text).toMatch(
    /gave it to you <!.*, until <!.* UTC>/,
  )
  expect((await member.command('/hc', 'access')).message?.text).toMatch(
    /<@U0MEMBER01> · operator · until <!.* UTC>/,
  )
  expect((await member.command('/hc', 'create', { until: 'New health check' })).text).toContain(
    'New health check',
  )
  const [row] = await world.app.store.audit.search({ workspaceId: WORKSPACE, verb: '/hc grant', limit: 1 })
  expect(row).toMatchObject({ outcome: 'done', after: { role: 'operator', until: expect.any(String) } })
  // Tests the end with a role of two minutes: if the clock were more than five minutes ahead, the app would reject Slack's requests.
  const subject = { kind: 'user', id: member.id } as const
  const soon = new Date(Date.now() + 2 * 60_000)
  await world.app.store.grants.add(WORKSPACE, 'operator', subject, admin.id, new Date(), { endsAt: soon })
  expect((await member.command('/hc', 'whoami')).text).toContain('operator: you can')
  clockAheadMs = 3 * 60_000
  expect((await member.command('/hc', 'create')).text).toContain('This needs the operator role')
  expect((await member.command('/hc', 'whoami')).text).toContain('operator: no.')
  // An expired role doesn't prevent a new one.
  await admin.command('/hc', `grant ${member.id} operator 30m`, { until: 'until' })
  expect((await member.command('/hc', 'create', { until: 'New health check' })).text).toContain(
    'New health check',
  )
})

it('grants a role until a date, and refuses one that is too far away', async () => {
  await using world = await startWorld({ access: 'closed' })
  const { admin, member } = world.slack
  const at = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  await admin.command('/hc', `grant ${member.id} operator until ${at} 18:00Z`, { until: 'can change' })
  expect(await world.app.store.grants.list(WORKSPACE)).toMatchObject([
    { role: 'operator', endsAt: new Date(`${at}T18:00:00Z`) },
  ])
  const late = await admin.command('/hc', `grant ${member.id} approver until 2099-01-01`)
  expect(late.text).toContain('For how long?')
})

it('doesn’t replace a permanent grant with a temporary one', async () => {
  await using world = await startWorld({ access: 'closed' })
  const { admin, member } = world.slack
  const { grants } = world.app.store
  await grants.add(WORKSPACE, 'approver', { kind: 'user', id: member.id }, admin.id, new Date())
  const refused = await admin.command('/hc', `grant ${member.id} approver 8h`, { until: 'already' })
  expect(refused.text).toContain('already has the approver role permanently')
  expect(await grants.list(WORKSPACE)).toMatchObject([{ role: 'approver', endsAt: undefined }])
})

it('rejects invalid grants, and grants by people who aren’t admins', async () => {
  await using world = await startWorld({ access: 'closed' })
  const { admin, member } = world.slack
  for (const [typed, expectedText] of [
    ['grant', 'Who should get the role?'],
    [`grant ${member.id} operator 5m`, 'For how long?'],
    [`grant ${member.id} operator`, 'For how long?'],
    [`grant ${member.id} operator 91d`, 'For how long?'],
    ['grant U0GUEST001 operator 8h', 'is a guest, and guests can’t change anything here'],
    ['grant U0LEFT0001 operator 8h', 'has a deactivated account'],
    ['grant U0FOREIGN1 operator 8h', 'Partner belongs to another organization'],
    ['grant U0N0B0DY1 operator 8h', 'Slack has no user with the ID U0N0B0DY1'],
  ] as const)
    expect((await admin.command('/hc', typed)).text, typed).toContain(expectedText)
  expect((await member.command('/hc', `grant ${member.id} admin 8h`)).text).toContain(
    'This needs the admin role',
  )
  expect(await world.app.store.grants.list(WORKSPACE)).toEqual([])
})

it('says that a temporary role ends earlier than before, and logs its earlier end', async () => {
  await using world = await startWorld({ access: 'closed' })
  const { admin, member } = world.slack
  const { grants, audit } = world.app.store
  const endsAt = new Date(Date.now() + 30 * 86_400_000)
  await grants.add(WORKSPACE, 'operator', { kind: 'user', id: member.id }, admin.id, new Date(), { endsAt })
  const { text } = await admin.command('/hc', `grant ${member.id} operator 8h`, { until: 'until' })
  expect(text).toContain('It’s shorter than before: they had the role until ')
  const [row] = await audit.search({ workspaceId: WORKSPACE, verb: '/hc grant', limit: 1 })
  expect(row?.before).toMatchObject({ role: 'operator', until: endsAt.toISOString() })
  const longer = await admin.command('/hc', `grant ${member.id} operator 9h`, { until: 'until' })
  expect(longer.text).not.toContain('before')
})
