import { readText } from '@signalman/playground/driver'
import type { Message } from '@signalman/slack'
import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import type { Work } from '../../../packages/durable/src/index.ts'
import type { OnePost } from '../../../src/bot/posts/post-once.ts'
import { peopleWork } from '../../../src/features/watching/on-call/people-work.ts'
import type { SlackPeople } from '../../../src/features/watching/reachable.ts'
import { ALL_CHECKS, type Watch } from '../../../src/features/watching/rules/watch.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { slackOf } from './reachable-people.ts'
import { WAIT_TIMEOUT_MS } from './watched-world.ts'

const DAY_MS = 24 * 60 * 60_000
const CHECKS = [{ name: 'web-1' }]
const watchesOf = ({ app }: World) => app.store.watching.watches.list(WORKSPACE)

it.each([
  ['@left', 'is deactivated'],
  ['@deploys', 'is an app'],
  ['<@U0NOBODY99>', 'isn’t in this workspace'],
  ['@visitor', 'is a guest who isn’t in the channel'],
])('refuses to page %s, who %s', async (name, why) => {
  await using world = await startWorld({ checks: CHECKS })
  const { text } = await world.slack.member.command('/hc', `watch web-* --escalate "10m ${name}"`, {
    channel: 'general',
  })
  expect(text).toContain(why)
  expect(await watchesOf(world)).toEqual([])
})

it('refuses to page another person in someone’s direct messages', async () => {
  await using world = await startWorld({ checks: CHECKS })
  const { member } = world.slack
  const refused = await member.command('/hc', 'watch web-* --me --escalate "10m @admin"')
  expect(refused.text).toContain('isn’t in this direct message')
  expect(await watchesOf(world)).toEqual([])
  await member.command('/hc', 'watch web-* --me --escalate "10m @member"')
  expect(await watchesOf(world)).toHaveLength(1)
})

it('pages a group if at least one member can be notified', async () => {
  await using world = await startWorld({ checks: CHECKS })
  await world.slack.member.command('/hc', 'watch web-* --escalate "10m @on-call"')
  expect(await watchesOf(world)).toMatchObject([{ escalation: [{ call: [{ isGroup: true }] }] }])
})

it('notifies the owner once that someone can’t be reached, and shows it in the list of watches', async () => {
  await using world = await startWorld({ checks: CHECKS, workTimes: { pollMs: 50 } })
  const { member, admin } = world.slack
  await member.command('/hc', 'watch web-* --escalate "10m @admin"')
  await admin.become({ deleted: true })
  const notifications = async () =>
    (await member.messages('dm')).filter(({ text }) => text.includes('can’t page everyone it should'))
  await expect.poll(notifications, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
  expect(readText((await notifications())[0])).toContain('is deactivated')
  await expect
    .poll(async () => (await member.command('/hc', 'watches')).text, { timeout: WAIT_TIMEOUT_MS })
    .toContain('⚠️ can’t page: ')
  // Changing the watch is refused until it names somebody else.
  const [watch] = await watchesOf(world)
  const again = await member.command('/hc', `watch web-* --escalate "10m @admin" --replace ${watch?.id}`)
  expect(again.text).toContain('is deactivated')
  await member.command('/hc', `watch web-* --escalate "10m @member" --replace ${watch?.id}`, {
    until: 'Saved.',
  })
  expect((await watchesOf(world))[0]?.unreachable).toBeUndefined()
})

/** Runs the daily check of one watch once. Returns the messages to the owner, the stored names, and when it is due again. */
async function check(watch: Partial<Watch> | undefined, slack: Partial<SlackPeople> = {}) {
  const notifications: string[] = []
  const stored: (readonly string[])[] = []
  const parts = {
    watching: {
      watches: {
        find: async () => watch && { ...WATCH, ...watch },
        setUnreachable: async (_workspaceId: string, _id: string, names: readonly string[]) => {
          stored.push(names)
        },
      },
    },
    slackOf: async () => ({ ...(await slackOf()), ...slack }),
    keeping: {
      poster: {
        direct: async (_place: unknown, _to: string, { text }: Message) => void notifications.push(text),
      },
      async postOnce(_held: unknown, { record, send }: Pick<OnePost, 'record' | 'send'>) {
        await send({ mark: 'm', beforeRequest: () => undefined })
        await record({ channelId: 'D1', ts: '1.0' }, 1)
        return { posted: { channelId: 'D1', ts: '1.0' }, isFound: false }
      },
    },
  } as unknown as Parameters<typeof peopleWork>[0]
  const held = trackLeasedWork('me').add({ workspaceId: 'T1', key: 'watch', attempts: 1 } as Work)
  return { end: await peopleWork(parts).run(held), notifications, stored }
}

const WATCH: Partial<Watch> = {
  id: 'watch',
  workspaceId: 'T1',
  channelId: 'C1',
  environment: 'production',
  ownerId: 'U1',
  filter: ALL_CHECKS,
  escalation: [{ afterMs: 60_000, call: [{ name: '@ann', id: 'U2' }] }],
}
const GONE = '@ann is deactivated'
const deactivated: SlackPeople['personOf'] = async (id) => ({
  ...(await (await slackOf()).personOf(id)),
  isDeactivated: true,
})
const failing = (code: string) => async () => {
  throw Object.assign(new Error(`An API error occurred: ${code}`), {
    code: 'slack_webapi_platform_error',
    data: { ok: false, error: code },
  })
}

it('checks again daily, reports new problems, and forgets people who are back', async () => {
  const tomorrow = { state: 'waiting', dueInMs: DAY_MS }
  expect(await check({})).toMatchObject({ notifications: [], stored: [], end: tomorrow })
  const first = await check({}, { personOf: deactivated })
  expect(first).toMatchObject({ stored: [[GONE]], end: tomorrow })
  expect(first.notifications).toEqual([expect.stringMatching(/ann is deactivated/)])
  expect(await check({ unreachable: [GONE] }, { personOf: deactivated })).toMatchObject({
    notifications: [],
    end: tomorrow,
  })
  expect(await check({ unreachable: [GONE] })).toMatchObject({
    notifications: [],
    stored: [[]],
    end: tomorrow,
  })
})

it('ends with its watch, and assumes that people it can’t look up are reachable', async () => {
  expect(await check(undefined)).toMatchObject({ notifications: [], end: { state: 'done' } })
  expect(await check({ escalation: undefined })).toMatchObject({ notifications: [], end: { state: 'done' } })
  expect(await check({}, { personOf: failing('missing_scope') })).toMatchObject({ notifications: [] })
  expect((await check({}, { personOf: failing('user_not_found') })).notifications).toHaveLength(1)
})
