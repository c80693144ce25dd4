import { expect, it } from 'vitest'
import { createAttemptAges } from '../../../src/bot/posts/attempt-ages.ts'
import { createLog } from '../../../src/log.ts'
import type { DeliveryParts } from '../../../src/watching/delivery/deliver-work.ts'
import { settleLostPost } from '../../../src/watching/delivery/settle-lost-post.ts'

/** What is done about a post of this age whose channel Slack lets nobody read for an hour. */
async function settledAtAge(ageMs: number): Promise<number | 'posted again' | undefined> {
  let done: number | 'posted again' | undefined
  // What looking for a post does not ask for is left out.
  const parts = {
    watching: {
      outbox: {
        lookLater: async (_next: unknown, ms: number) => {
          done = ms
        },
        notSent: async () => {
          done = 'posted again'
        },
      },
    },
    poster: {
      find: () => Promise.reject(Object.assign(new Error('A rate limit was exceeded'), { retryAfter: 3600 })),
    },
    log: createLog('silent'),
  } as unknown as DeliveryParts
  const now = new Date('2026-03-01T12:00:00.000Z')
  const next = { place: {}, told: { card: { id: 'c' } }, what: 'card', now } as unknown
  const attemptedAt = new Date(now.getTime() - ageMs)
  await settleLostPost(
    parts,
    { ...(next as Parameters<typeof settleLostPost>[1]), attemptedAt },
    createAttemptAges(),
  )
  return done
}

it('leaves a post in doubt for five minutes at most, whatever pause Slack asks for', async () => {
  expect(await settledAtAge(20_000)).toBe(280_000)
  expect(await settledAtAge(299_900)).toBe(1000)
  expect(await settledAtAge(300_100)).toBe('posted again')
})
