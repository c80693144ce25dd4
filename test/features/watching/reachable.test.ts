import { readText } from '@signalman/playground/driver'
import type { Message } from '@signalman/slack'
import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import type { Work } from '../../../packages/durable/src/index.ts'
import type { OnePost } from '../../../src/bot/posts/post-once.ts'
import { createResponderCheckWork } from '../../../src/features/watching/on-call/responder-check-work.ts'
import { ALL_CHECKS, type Watch } from '../../../src/features/watching/rules/watch.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { createFakeReachability } from './reachable-people.ts'
import { startWatchedWorld, untilPolled, WAIT_TIMEOUT_MS } from './watched-world.ts'

const DAY_MS = 24 * 60 * 60_000
const CHECKS = [{ name: 'web-1' }]
const listWatches = ({ app }: World) => app.store.watching.watches.list(WORKSPACE)

it('refuses to page who can’t press, who isn’t in the channel, and another person or a group in a DM', async () => {
  await using world = await startWorld({ checks: CHECKS })
  const { member, admin } = world.slack
  for (const [name, reason] of [
    ['@left', 'is deactivated'],
    ['@deploys', 'is an app'],
    ['<@U0NOBODY99>', 'isn’t in this workspace'],
    ['@visitor', 'is a guest, and guests can’t press'],
    ['@admin --me', 'isn’t in this direct message'],
  ] as const) {
    const [who, ...flags] = name.split(' ')
    const { text } = await member.command('/hc', `watch web-* --escalate "10m ${who}" ${flags.join(' ')}`)
    expect(text, name).toContain(reason)
  }
  await admin.leave('operations')
  const refused = await member.command('/hc', 'watch web-* --escalate "10m @admin"', {
    channel: 'operations',
  })
  expect(refused.text).toMatch(/can’t page everyone: @\W*admin isn’t in the channel/)
  const inDm = await member.command('/hc', 'watch web-* --me --escalate "10m @approvers"')
  expect(inDm.text).toContain('is a group, which can’t be paged in a direct message')
  expect(await listWatches(world)).toEqual([])
  await admin.join('operations')
  await member.command('/hc', 'watch web-* --escalate "10m @admin"', { channel: 'operations' })
  await member.command('/hc', 'watch web-* --me --escalate "10m @member"')
  expect(await listWatches(world)).toHaveLength(2)
})

it('accepts a group to page if at least one member can be notified', async () => {
  await using world = await startWorld({ checks: CHECKS })
  await world.slack.member.command('/hc', 'watch web-* --escalate "10m @on-call"')
  expect(await listWatches(world)).toMatchObject([{ escalation: [{ responders: [{ isGroup: true }] }] }])
  await world.slack.admin.updateAccount({ deleted: true })
  await world.slack.member.command('/hc', 'watch api-* --escalate "10m @approvers"')
  expect(await listWatches(world)).toHaveLength(2)
})

it('notifies the owner once if someone can’t be paged, and warns in the list until someone else is named', async () => {
  await using world = await startWorld({ checks: CHECKS, workTimes: { pollMs: 50 } })
  const { member, admin } = world.slack
  await member.command('/hc', 'watch web-* --escalate "10m @admin"')
  await admin.updateAccount({ deleted: true })
  const listNotifications = async () =>
    (await member.messages('dm')).filter(({ text }) => text.includes('can’t page everyone it should'))
  await expect.poll(listNotifications, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
  expect(readText((await listNotifications())[0])).toContain('is deactivated')
  await expect
    .poll(async () => (await member.command('/hc', 'watches')).text, { timeout: WAIT_TIMEOUT_MS })
    .toContain('⚠️ can’t page: ')
  // The watch can't be saved again with the same person.
  const [watch] = await listWatches(world)
  const refused = await member.command('/hc', `watch web-* --escalate "10m @admin" --replace ${watch?.id}`)
  expect(refused.text).toContain('is deactivated')
  await member.command('/hc', `watch web-* --escalate "10m @member" --replace ${watch?.id}`, {
    until: 'Saved.',
  })
  expect((await listWatches(world))[0]?.unreachable).toBeUndefined()
  expect((await member.command('/hc', 'watches')).text).not.toContain('can’t page')
  expect(await listNotifications()).toHaveLength(1)
})

/** Runs the daily check of one watch once. Returns the messages to the owner, the stored names, and when it is due again. */
async function runDailyCheck(watch: Partial<Watch> | undefined, reason?: string) {
  const notifications: string[] = []
  const stored: (readonly string[])[] = []
  const deps = {
    watching: {
      watches: {
        find: async () => watch && { ...WATCH, ...watch },
        setUnreachable: async (_workspaceId: string, _id: string, names: readonly string[]) => {
          stored.push(names)
        },
      },
    },
    reachability: createFakeReachability((id) => (id === 'U2' ? reason : undefined)),
    posting: {
      reachability: createFakeReachability(),
      poster: {
        post: async (_destination: unknown, { text }: Message) => void notifications.push(text),
      },
      posts: {
        async postOnce(_leased: unknown, { record, send }: Pick<OnePost, 'record' | 'send'>) {
          await send({ postId: 'm', beforeRequest: () => undefined })
          await record({ channelId: 'D1', ts: '1.0' }, 1)
          return { posted: { channelId: 'D1', ts: '1.0' }, isFound: false }
        },
      },
    },
  } as unknown as Parameters<typeof createResponderCheckWork>[0]
  const leasedWork = trackLeasedWork('me').add({ workspaceId: 'T1', key: 'watch', attempts: 1 } as Work)
  return { end: await createResponderCheckWork(deps).run(leasedWork), notifications, stored }
}

const WATCH: Partial<Watch> = {
  id: 'watch',
  workspaceId: 'T1',
  channelId: 'C1',
  environment: 'production',
  ownerId: 'U1',
  filter: ALL_CHECKS,
  escalation: [{ afterMs: 60_000, responders: [{ name: '@ann', id: 'U2' }] }],
}
const DEACTIVATED_NOTE = '@ann is deactivated'
it('checks responders daily, reports new problems, and clears resolved ones', async () => {
  const tomorrow = { state: 'waiting', dueInMs: DAY_MS }
  expect(await runDailyCheck({})).toMatchObject({ notifications: [], stored: [], end: tomorrow })
  const first = await runDailyCheck({}, 'is deactivated')
  expect(first).toMatchObject({ stored: [[DEACTIVATED_NOTE]], end: tomorrow })
  expect(first.notifications).toEqual([expect.stringMatching(/ann is deactivated/)])
  expect(await runDailyCheck({ unreachable: [DEACTIVATED_NOTE] }, 'is deactivated')).toMatchObject({
    notifications: [],
    end: tomorrow,
  })
  expect(await runDailyCheck({ unreachable: [DEACTIVATED_NOTE] })).toMatchObject({
    notifications: [],
    stored: [[]],
    end: tomorrow,
  })
})

it('stops checking responders when the watch ends or no longer escalates', async () => {
  expect(await runDailyCheck(undefined)).toMatchObject({ notifications: [], end: { state: 'done' } })
  expect(await runDailyCheck({ escalation: undefined })).toMatchObject({
    notifications: [],
    end: { state: 'done' },
  })
})

it('warns about a group without members, and pages the owner instead', async () => {
  const { world, channelId } = await startWatchedWorld(
    { checks: [{ name: 'web-1', status: 'HEALTHY' }] },
    { escalation: [{ afterMs: 50, responders: [{ name: '@on-call', id: 'S0ONCALL01', isGroup: true }] }] },
  )
  await using _world = world
  const { member } = world.slack
  await member.leaveGroup('on-call')
  const saved = await member.command('/hc', 'watch api-* --escalate "10m @on-call"', { channel: 'general' })
  expect(saved.text).toContain('Nobody can be paged in this group now: @on-call has no members.')
  await untilPolled(world)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const listPages = async () =>
    ((await member.state()).messages[channelId] ?? [])
      .map(({ text }) => text)
      .filter((text) => text.includes('It has waited for someone since'))
  await expect.poll(listPages, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
  expect((await listPages())[0]).toMatch(
    /^<@U0MEMBER01> web-1 is down\. It has waited for someone since .*This goes to you because Slack can’t notify @\W*on-call\./,
  )
})

it('tells an admin that a channel is paused if the owner of its watch has left', async () => {
  const { world } = await startWatchedWorld(
    { checks: [{ name: 'web-1', status: 'HEALTHY' }], workTimes: { pollMs: 50 } },
    { ownerId: 'U0LEFT0001' },
  )
  await using _world = world
  await untilPolled(world)
  await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error: 'restricted_action' })
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const listNotices = async () =>
    (await world.slack.admin.messages('dm'))
      .map((sent) => readText(sent))
      .filter((text) => text.includes('paused'))
  await expect.poll(listNotices, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
  expect((await listNotices())[0]).toContain('who owns this, is deactivated, so an admin gets this message.')
})
