import { expect, it, vi } from 'vitest'
import type { Send } from '../../../packages/durable/src/index.ts'
import type { PostedMessage, PostOptions } from '../../../packages/slack/src/client/slack-client.ts'
import { sendStep } from '../../../src/bot/posts/post-step.ts'
import type { PostPermission } from '../../../src/bot/routes/command-context.ts'
import { CHANNEL_SCOPES } from '../../manifest.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const POST = { method: 'chat.postMessage' } as const
const CHANNEL = 'C0GENERAL1'

/** A command that posts for everyone in the channel. */
const LINE = 'show web --share --yes'

/** Refusals of Slack, and what the person is told. The rate limit is the last, because the app then waits. */
const REFUSALS = [
  [{ kind: 'status', status: 503 }, /rejected the message without giving a reason\./],
  [{ kind: 'error', error: 'restricted_action' }, /doesn’t allow Signalman to post in this channel\./],
  [{ kind: 'error', error: 'is_archived' }, /This channel is archived/],
  [{ kind: 'error', error: 'not_in_channel' }, /isn’t in this channel/],
  [{ kind: 'error', error: 'msg_too_long' }, /rejected this message/],
  [{ kind: 'status', status: 429, retryAfter: 7 }, /rate limiting Signalman\. Try again in 7 seconds\./],
] as const

async function countPosts({ slack }: World): Promise<number> {
  const { messages } = await slack.member.state()
  const posts = (messages[CHANNEL] ?? []).filter(({ app, ephemeral }) => app && !ephemeral)
  return posts.filter((post) => JSON.stringify(post).includes('Shared by')).length
}

async function listOutcomes({ app }: World): Promise<string[]> {
  const rows = await app.store.audit.search({
    workspaceId: WORKSPACE,
    text: '/hc show',
    withIntents: true,
    limit: 20,
  })
  return rows.map(({ outcome }) => outcome).toReversed()
}

it('posts once if Slack’s response is lost', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }] })
  await world.slack.faults({ ...POST, kind: 'drop-reply' })
  await world.slack.member.command('/hc', LINE, { until: () => true })
  await expect.poll(() => listOutcomes(world)).toEqual(['begun', 'done'])
  expect(await countPosts(world)).toBe(1)
})

it('reports an unknown outcome if the app isn’t allowed to search for the lost post', async () => {
  await using world = await startWorld({
    checks: [{ name: 'web' }],
    playground: { missingScopes: CHANNEL_SCOPES.history },
  })
  await world.slack.faults({ ...POST, kind: 'drop-reply' })
  await world.slack.member.command('/hc', LINE, {
    until: 'The outcome is unknown. Signalman got no confirmation',
  })
  expect(await listOutcomes(world)).toEqual(['begun', 'unknown'])
  expect(await countPosts(world)).toBe(1)
})

it('posts nothing, and says why, if Slack refuses', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }] })
  for (const [fault, why] of REFUSALS) {
    await world.slack.faults({ ...POST, ...fault })
    const { text } = await world.slack.member.command('/hc', LINE, { until: why })
    expect(text).toMatch(why)
    expect(text).toContain('Nothing was changed')
  }
  await expect.poll(() => listOutcomes(world)).toEqual(REFUSALS.flatMap(() => ['begun', 'failed']))
  expect(await countPosts(world)).toBe(0)
})

const STEP = { details: { verb: '/hc show', object: 'channel C1' }, channelId: 'C1' }
const CONTENT = { text: 'Web is up.', blocks: [] }

/** An act that begins its step at once. `permission`: whether it may post in the channel. */
const startAct = (
  permission: PostPermission,
  post: (...sent: [unknown, unknown, PostOptions]) => Promise<string>,
) =>
  // Only the methods that the step uses.
  ({
    step: async (_details: unknown, work: (send: Send<PostedMessage>) => Promise<PostedMessage>) =>
      work((part) => part({ workId: 'w', line: 1, begunBy: 'me postId', begunAt: '' })),
    slack: async () => ({ post }),
    mayPost: async () => permission,
  }) as unknown as Parameters<typeof sendStep>[0]

it.each([
  ['another organization reads', 'shared-outside', 'This channel is shared with another organization.'],
  ['Slack doesn’t tell the app who reads', 'readers-unknown', 'Signalman can’t see who reads this channel.'],
] as const)(
  'posts nothing in a channel that %s, unless the person knows that',
  async (_, permission, why) => {
    const post = vi.fn(async () => '1.0')
    const act = startAct(permission, post)
    await expect(sendStep(act, STEP, CONTENT)).rejects.toThrow(why)
    expect(post).not.toHaveBeenCalled()
    expect(await sendStep(act, { ...STEP, isAgreed: true }, CONTENT)).toEqual({ channelId: 'C1', ts: '1.0' })
  },
)

it('reports that nothing was posted if the send deadline has passed', async () => {
  const sent: string[] = []
  async function post(_to: unknown, _message: unknown, { postId = '', beforeRequest }: PostOptions) {
    const later = performance.now() + 5000
    const clock = vi.spyOn(performance, 'now').mockReturnValue(later)
    try {
      beforeRequest?.()
    } finally {
      clock.mockRestore()
    }
    sent.push(postId)
    return '1.0'
  }
  await expect(sendStep(startAct('yes', post), STEP, CONTENT)).rejects.toThrow('Nothing was posted')
  expect(sent).toEqual([])
})
