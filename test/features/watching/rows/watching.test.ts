import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../../world.ts'

const OPERATIONS = { channel: 'operations' }

it('keeps a personal watch private from everyone but admins, and deletes it with the person', async () => {
  await using world = await startWorld({
    checks: [{ name: 'web-1', status: 'HEALTHY' }],
    access: 'closed',
    workTimes: { pollMs: 50 },
    watchEveryMs: 250,
  })
  const { member, admin } = world.slack
  const { watching, grants } = world.app.store
  await grants.add(WORKSPACE, 'operator', { kind: 'user', id: 'U0MEMBER01' }, 'U0ADMIN001', new Date())
  const options = { ...OPERATIONS, until: 'You now watch in your direct messages' }
  await member.command('/hc', 'watch web-* --me --digest 7', options)
  await admin.command('/hc', 'watch mail-* --me', options)
  const all = await watching.watches.list(WORKSPACE)
  const [watch, hidden] = ['U0MEMBER01', 'U0ADMIN001'].map((id) => all.find(({ ownerId }) => ownerId === id))
  expect([watch?.channelId, hidden?.channelId]).toEqual([
    expect.stringMatching(/^D/),
    expect.stringMatching(/^D/),
  ])

  // By listing it, and by its ID.
  const run = async (who: typeof member, line: string) =>
    (await who.command('/hc', line, OPERATIONS)).text.replaceAll(/\s+/g, ' ')
  const own = await run(member, 'watches --all')
  expect(own).toContain('alone: 👁️ Watched: web-*')
  expect(own).not.toContain('mail-*')
  expect(await run(admin, 'watches --all')).toContain('alone: 👁️ Watched: web-*')
  expect(await run(member, `unwatch ${hidden?.id}`)).not.toContain('Ended')
  expect(await run(member, `watch api-* --replace ${hidden?.id}`)).toContain('This watch has ended')
  expect(await run(member, `watch api-* --channel ${hidden?.channelId}`)).toContain(
    'You aren’t in that channel',
  )
  expect(await watching.watches.list(WORKSPACE)).toHaveLength(2)

  // Outages are reported there, and nowhere else.
  const polls = async () => (await watching.history.polling(WORKSPACE, 'production'))?.polls ?? 0
  await expect.poll(polls).toBeGreaterThan(0)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
  await member.until('the card', ({ messages }) =>
    (messages[watch?.channelId ?? ''] ?? []).some(
      (one) => one.app && readText(one).includes('🔴 web-1 is down'),
    ),
  )
  expect(JSON.stringify(await member.messages('operations'))).not.toContain('🔴 web-1 is down')

  // Slack reports that the account is deactivated.
  await member.become({ deleted: true })
  await expect.poll(() => watching.watches.list(WORKSPACE)).toMatchObject([{ id: hidden?.id }])
  await expect.poll(() => watching.digests.list(WORKSPACE)).toEqual([])
})
