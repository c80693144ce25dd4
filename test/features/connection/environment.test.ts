import type { SlackClient } from '@signalman/slack'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { showOrSwitchEnvironment } from '../../../src/features/connection/environment.ts'
import { openActContext, storeAct } from '../../bot/acts/act-context.ts'

it('tells the channel once about a switch if the process dies before it knows that the message was posted', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const work = await storeAct(store)
  const posts: unknown[] = []
  async function run(attempts: number) {
    // Casts: only these methods are used.
    const slack = {
      async post(_: object, __: object, options?: { postId: string }) {
        posts.push(options?.postId)
        // The first process is gone before the response arrives.
        return attempts === 1 ? new Promise<string>(() => undefined) : '1.0'
      },
      findPosted: async (_: object, { postId }: { postId: string }) =>
        posts.includes(postId) ? { ts: '1.0' } : undefined,
    } as unknown as SlackClient
    const others = { channelId: 'C1', slack: async () => slack, mayPost: async () => 'yes' as const }
    const context = await openActContext(store, work, attempts, others)
    return showOrSwitchEnvironment({ channels: store.channels, hasOte: true }, context, 'ote')
  }
  void run(1)
  await expect.poll(() => posts.length).toBe(1)
  const { text } = await run(2)
  expect(text).toContain('This channel now uses the OTE environment.')
  expect(text).not.toContain('couldn’t tell anyone else')
  expect(posts).toHaveLength(1)
})
