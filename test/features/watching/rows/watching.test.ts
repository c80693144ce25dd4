import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../../world.ts'

const OPERATIONS = { channel: 'operations' }

it('keeps a personal watch private, also from admins, and deletes it when its owner is deactivated', async () => {
  await using world = await startWorld({
    checks: [{ name: 'web-1', status: 'HEALTHY' }],
    access: 'closed',
    workTimes: { pollMs: 50 },
    watchEveryMs: 100,
  })
  const { member, admin } = world.slack
  const { watching, grants } = world.app.store
  await grants.add(WORKSPACE, 'operator', { kind: 'user', id: 'U0MEMBER01' }, 'U0ADMIN001', new Date())
  const options = { ...OPERATIONS, until: 'You now watch in your direct messages' }
  await member.command('/hc', 'watch web-* --me --digest 7', options)
  await admin.command('/hc', 'watch mail-* --me', options)
  const allWatches = await watching.watches.list(WORKSPACE)
  const [memberWatch, adminWatch] = ['U0MEMBER01', 'U0ADMIN001'].map((id) =>
    allWatches.find(({ ownerId }) => ownerId === id),
  )
  expect([memberWatch?.channelId, adminWatch?.channelId]).toEqual([
    expect.stringMatching(/^D/),
    expect.stringMatching(/^D/),
  ])

  // Neither the list nor a watch ID gives access to another person's watch.
  const runCommand = async (who: typeof member, line: string) =>
    (await who.command('/hc', line, OPERATIONS)).text.replaceAll(/\s+/g, ' ')
  const ownList = await runCommand(member, 'watches --all')
  expect(ownList).toContain('👁️ web-* · your direct messages')
  expect(ownList).not.toContain('mail-*')
  // An admin sees whose it is, and not what it's about.
  const { message } = await admin.command('/hc', 'watches --all', { ...OPERATIONS, until: 'Private watches' })
  const { home } = await admin.openHome()
  for (const shown of [message?.blocks, home?.blocks]) {
    expect(JSON.stringify(shown)).toMatch(
      /Private watches of other people: "\},\{"type":"user","user_id":"U0MEMBER01"\},\{"type":"text","text":" 1"/,
    )
    expect(JSON.stringify(shown)).not.toContain('web-*')
  }
  expect(await runCommand(member, `unwatch ${adminWatch?.id}`)).not.toContain('Ended')
  expect(await runCommand(member, `watch api-* --replace ${adminWatch?.id}`)).toContain(
    'This watch has ended',
  )
  expect(await runCommand(member, `watch api-* --channel ${adminWatch?.channelId}`)).toContain(
    'You aren’t in that channel',
  )
  expect(await watching.watches.list(WORKSPACE)).toHaveLength(2)

  // Outages are posted in the person's DMs, and nowhere else.
  const countPolls = async () => (await watching.history.findPollStatus(WORKSPACE, 'production'))?.polls ?? 0
  await expect.poll(countPolls).toBeGreaterThan(0)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  await member.until('the card', ({ messages }) =>
    (messages[memberWatch?.channelId ?? ''] ?? []).some(
      (message) => message.app && readText(message).includes('🔴 web-1 is down'),
    ),
  )
  expect(JSON.stringify(await member.messages('operations'))).not.toContain('🔴 web-1 is down')

  // Slack reports that the account is deactivated.
  await member.updateAccount({ deleted: true })
  await expect.poll(() => watching.watches.list(WORKSPACE)).toMatchObject([{ id: adminWatch?.id }])
  await expect.poll(() => watching.digests.list(WORKSPACE)).toEqual([])
})
