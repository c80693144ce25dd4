import { expect, it } from 'vitest'
import { CASE_WORK } from '../../../../src/features/threats/rows/case-rows.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { CHANNEL_SCOPES } from '../../../manifest.ts'
import { WORKSPACE, type World } from '../../../world.ts'
import { ID, startWorldWithThreat } from '../world.ts'

const CHANNEL = 'C0GENERAL1'
const LOST_REPLY = { method: 'chat.postMessage', kind: 'drop-reply' } as const

/** Waits until all messages about the case are posted, and returns the posts in the channel. */
async function waitForPosts({ app, slack }: World, version: number) {
  const event = { workspaceId: WORKSPACE, environment: 'production', eventId: ID } as const
  const readVersion = async () => (await app.store.threatCases.find(event))?.postedVersion
  await expect.poll(readVersion).toBe(version)
  await expect.poll(async () => (await app.store.work.listOpen(WORKSPACE, [CASE_WORK.post])).length).toBe(0)
  const { messages } = await slack.member.state()
  const posts = (messages[CHANNEL] ?? []).filter((post) => post.app && !post.ephemeral && !post.deleted)
  return {
    cards: posts.filter(({ threadTs, ts }) => !threadTs || threadTs === ts),
    threadReplies: posts.filter(({ threadTs, ts }) => threadTs && threadTs !== ts).map(({ text }) => text),
  }
}

it.each(eitherOf(SHARED_DATABASES))(
  'posts the card of a case and each reply in its thread once, even if Slack’s responses are lost, on $name',
  { timeout: 90_000 },
  async ({ start }) => {
    await using database = await start()
    await using world = await startWorldWithThreat(() => undefined, {
      environment: { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys },
      workTimes: { pollMs: 50 },
    })
    const { member } = world.slack
    await world.slack.faults({ ...LOST_REPLY, times: 2 })
    await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
    const first = await waitForPosts(world, 1)
    expect(first.cards).toHaveLength(1)
    expect(first.threadReplies).toEqual([expect.stringContaining('Taken · ')])
    await world.slack.faults(LOST_REPLY, {
      method: 'conversations.replies',
      kind: 'status',
      status: 429,
      retryAfter: 1,
    })
    await member.command('/threat', `takedown-sent ${ID}`, { until: 'Recorded' })
    const second = await waitForPosts(world, 2)
    expect(second.cards.map(({ ts, text }) => [ts, text])).toEqual([
      [first.cards[0]?.ts, expect.stringContaining('Takedown sent ')],
    ])
    expect(second.threadReplies).toHaveLength(2)
  },
)

it('posts the card of a case again if the response is lost and the app can’t read the channel', async () => {
  await using world = await startWorldWithThreat(() => undefined, {
    playground: { missingScopes: CHANNEL_SCOPES.history },
    workTimes: { pollMs: 50 },
  })
  await world.slack.faults(LOST_REPLY)
  await world.slack.member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  const { cards, threadReplies } = await waitForPosts(world, 1)
  expect(cards).toHaveLength(2)
  expect(threadReplies).toHaveLength(1)
})
