import { describe, expect, it } from 'vitest'
import type { HistoryPage, Snapshot } from '../src/protocol/protocol.ts'
import { startWorld, type World } from './app.ts'

const GENERAL = 'C0GENERAL1'

async function fetchJson<T>(world: World, path: string): Promise<T> {
  const response = await fetch(`${world.playground.url}/_playground/${path}`)
  // Safe cast: the protocol defines this response.
  return (await response.json()) as T
}

const buildMessages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    channel: GENERAL,
    user: 'U0ADMIN001',
    text: `line ${index}`,
  }))
const messageTexts = ({ messages }: HistoryPage) => messages.map(({ text }) => text)

describe('the history of a channel', () => {
  it('is paginated from newest to oldest', async () => {
    await using world = await startWorld(undefined, { messages: buildMessages(25) })
    const first = await fetchJson<Snapshot>(world, 'state?user=U0MEMBER01&history=10')
    expect(first.truncated).toEqual([GENERAL])
    let before = first.messages[GENERAL]?.[0]?.ts ?? ''
    const pages: string[][] = []
    for (const hasMore of [true, false]) {
      const page = await fetchJson<HistoryPage>(
        world,
        `history?user=U0MEMBER01&channel=${GENERAL}&before=${before}&limit=10`,
      )
      expect(page.hasMore).toBe(hasMore)
      pages.unshift(messageTexts(page))
      before = page.messages[0]?.ts ?? ''
    }
    expect(pages.flat()).toEqual(buildMessages(15).map(({ text }) => text))
    expect((await fetchJson<Snapshot>(world, 'state?user=U0MEMBER01')).truncated).toEqual([])
    const withoutDeliveries = await fetchJson<Partial<Snapshot>>(world, 'state?user=U0MEMBER01&deliveries=0')
    expect(withoutDeliveries.deliveries).toBe(undefined)
  })

  it('includes the parent message when a thread’s replies are requested', async () => {
    await using world = await startWorld(undefined, { messages: buildMessages(1) })
    const [parent] = await world.slack.member.messages()
    for (const text of ['one', 'two', 'three'])
      await world.slack.member.say(text, { threadTs: parent?.ts ?? '' })
    const thread = `history?user=U0MEMBER01&channel=${GENERAL}&thread=${parent?.ts}&limit=2`
    expect(messageTexts(await fetchJson<HistoryPage>(world, thread))).toEqual(['line 0', 'two', 'three'])
  })

  it.each([
    { query: 'user=U0MEMBER01&channel=C0WSGENERL', error: 'channel_not_found' },
    { query: 'user=U0NOBODY&channel=C0GENERAL1', error: 'user_not_found' },
    { query: 'user=U0MEMBER01&channel=C0GENERAL1&limit=0', error: 'bad_post' },
    { query: 'user=U0MEMBER01&channel=C0GENERAL1&limit=ten', error: 'bad_post' },
  ])('can’t be listed with $query ($error)', async ({ query, error }) => {
    await using world = await startWorld()
    expect(await fetchJson(world, `history?${query}`)).toMatchObject({ ok: false, error })
  })
})
