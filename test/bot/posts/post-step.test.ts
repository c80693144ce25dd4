import { describe, expect, it, vi } from 'vitest'
import type { PostOptions } from '../../../packages/slack/src/client/slack-client.ts'
import { postStep } from '../../../src/bot/posts/post-step.ts'
import { CHANNEL_SCOPES } from '../../manifest.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const POST = { method: 'chat.postMessage' } as const
const CHANNEL = 'C0GENERAL1'

/** Acts by which a person lets the app post for everyone, and the text. */
const ACTS = [
  { line: 'show web --share --yes', verb: '/hc show', says: 'Shared by' },
  { line: 'watch-test', verb: '/hc watch-test', says: 'Someone sent this as a test' },
]

const FAULTS = [
  {
    fault: { ...POST, kind: 'drop-reply' },
    does: 'loses its response',
    stands: 1,
    reads: undefined,
    outcome: 'done',
  },
  {
    fault: { ...POST, kind: 'status', status: 503 },
    does: 'fails',
    stands: 0,
    reads: /rejected the message without giving a reason\.[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
  {
    fault: { ...POST, kind: 'status', status: 429, retryAfter: 7 },
    does: 'rate limits the app',
    stands: 0,
    reads: /rate limiting Signalman for 7 seconds\.[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
  {
    fault: { ...POST, kind: 'error', error: 'restricted_action' },
    does: 'doesn’t let the app post',
    stands: 0,
    reads: /doesn’t allow Signalman to post in this channel\.[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
  {
    fault: { ...POST, kind: 'error', error: 'is_archived' },
    does: 'has archived the channel',
    stands: 0,
    reads: /This channel is archived[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
  {
    fault: { ...POST, kind: 'error', error: 'not_in_channel' },
    does: 'says that the app isn’t in the channel',
    stands: 0,
    reads: /isn’t in this channel[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
  {
    fault: { ...POST, kind: 'error', error: 'msg_too_long' },
    does: 'rejects the message as too long',
    stands: 0,
    reads: /rejected this message[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
] as const

async function countPosts({ slack }: World, says: string): Promise<number> {
  const { messages } = await slack.member.state()
  const posts = (messages[CHANNEL] ?? []).filter(({ app, ephemeral }) => app && !ephemeral)
  return posts.filter((post) => JSON.stringify(post).includes(says)).length
}

async function listOutcomes({ app }: World, verb: string): Promise<string[]> {
  const rows = await app.store.audit.search({ workspaceId: WORKSPACE, verb, withIntents: true, limit: 10 })
  return rows.map(({ outcome }) => outcome).toReversed()
}

describe.each(ACTS)('$line', ({ line, verb, says }) => {
  it.each(FAULTS)('posts once, and says truthfully what happened, if Slack $does', async (one) => {
    await using world = await startWorld({ checks: [{ name: 'web' }] })
    await world.slack.faults(one.fault)
    await world.slack.member.command('/hc', line, { until: one.reads ?? (() => true) })
    await expect.poll(() => listOutcomes(world, verb)).toEqual(['begun', one.outcome])
    expect(await countPosts(world, says)).toBe(one.stands)
  })

  it('reports an unknown outcome if the app isn’t allowed to search for the lost post', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web' }],
      playground: { missingScopes: CHANNEL_SCOPES.history },
    })
    await world.slack.faults({ ...POST, kind: 'drop-reply' })
    await world.slack.member.command('/hc', line, { until: 'The outcome is unknown' })
    expect(await listOutcomes(world, verb)).toEqual(['begun', 'unknown'])
    expect(await countPosts(world, says)).toBe(1)
  })
})

it('says that nothing was posted if a search doesn’t find the lost post', async () => {
  const sent: string[] = []
  // Only the methods that the first run of a step uses.
  const context = {
    remember: async () => 'postId',
    change: async (_what: unknown, work: () => Promise<string>) => work(),
    slack: async () => undefined,
  } as unknown as Parameters<typeof postStep>[0]
  const what = { verb: '/hc watch-test', object: 'channel C1' }
  async function post(_slack: unknown, { postId = '', beforeRequest }: PostOptions): Promise<string> {
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
  await expect(postStep(context, what, { channelId: 'C1' }, post)).rejects.toThrow('Nothing was posted')
  expect(sent).toEqual([])
})
