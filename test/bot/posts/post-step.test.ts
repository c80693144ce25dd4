import { describe, expect, it } from 'vitest'
import { manifestWithoutHistory } from '../../manifest.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const POST = { method: 'chat.postMessage' } as const
const CHANNEL = 'C0GENERAL1'

/** What somebody lets the app post for everyone, and what it says. */
const ACTS = [
  { line: 'show web --share', verb: '/hc show', says: 'Shared by' },
  { line: 'watch-test', verb: '/hc watch-test', says: 'somebody has tried out' },
]

const FAULTS = [
  {
    fault: { ...POST, kind: 'drop-reply' },
    does: 'loses its answer',
    stands: 1,
    reads: undefined,
    outcome: 'done',
  },
  {
    fault: { ...POST, kind: 'status', status: 503 },
    does: 'has a fault',
    stands: 0,
    reads: /did not take the message, and did not say why\.[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
  {
    fault: { ...POST, kind: 'status', status: 429, retryAfter: 7 },
    does: 'limits it',
    stands: 0,
    reads: /asks to be left alone for 7 seconds\.[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
  {
    fault: { ...POST, kind: 'error', error: 'restricted_action' },
    does: 'does not let it post',
    stands: 0,
    reads: /does not let Signalman post in this channel\.[\s\S]*Nothing was changed/,
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
    does: 'does not have it in the channel',
    stands: 0,
    reads: /is not in this channel[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
  {
    fault: { ...POST, kind: 'error', error: 'msg_too_long' },
    does: 'finds it too long',
    stands: 0,
    reads: /does not take this message[\s\S]*Nothing was changed/,
    outcome: 'failed',
  },
] as const

async function postsIn({ slack }: World, says: string): Promise<number> {
  const { messages } = await slack.member.state()
  const posts = (messages[CHANNEL] ?? []).filter(({ app, ephemeral }) => app && !ephemeral)
  return posts.filter((post) => JSON.stringify(post).includes(says)).length
}

async function outcomesOf({ app }: World, verb: string): Promise<string[]> {
  const rows = await app.store.audit.search({ workspaceId: WORKSPACE, verb, withIntents: true, limit: 10 })
  return rows.map(({ outcome }) => outcome).toReversed()
}

describe.each(ACTS)('$line', ({ line, verb, says }) => {
  it.each(FAULTS)('posts once, and tells what is so, when Slack $does', async (one) => {
    await using world = await startWorld({ checks: [{ name: 'web' }] })
    await world.slack.faults(one.fault)
    await world.slack.member.command('/hc', line, { until: one.reads ?? (() => true) })
    await expect.poll(() => outcomesOf(world, verb)).toEqual(['begun', one.outcome])
    expect(await postsIn(world, says)).toBe(one.stands)
  })

  it('says that nobody can tell, where the app may not look for what it has lost', async () => {
    using manifest = manifestWithoutHistory()
    await using world = await startWorld({
      checks: [{ name: 'web' }],
      playground: { manifestPath: manifest.path },
    })
    await world.slack.faults({ ...POST, kind: 'drop-reply' })
    await world.slack.member.command('/hc', line, { until: 'Nobody can tell whether it was carried out' })
    expect(await outcomesOf(world, verb)).toEqual(['begun', 'unknown'])
    expect(await postsIn(world, says)).toBe(1)
  })
})
