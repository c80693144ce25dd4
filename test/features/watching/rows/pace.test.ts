import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { KEY_A } from '../../../databases/databases.ts'
import { createRandom, readSeed } from '../../../random.ts'

const SEED = readSeed()

/** Opens an outbox with a clock that the test sets, in milliseconds. */
async function startOutbox() {
  const clock = { ms: Date.UTC(2026, 2, 1) }
  const now = () => new Date(clock.ms)
  const store = await openStore({ url: 'sqlite::memory:', keys: KEY_A, now, clock: now })
  const { outbox } = store.watching
  type PendingMessage = Parameters<typeof outbox.reserveSlot>[0]
  /** Reserves a slot and returns 0 if a message may be sent now. Otherwise returns how many milliseconds it must wait. */
  const reserveSlot = (method: 'post' | 'edit', channelId: string, workspaceId = 'T1') =>
    // Cast: `reserveSlot` reads only these fields.
    outbox.reserveSlot({
      target: { workspaceId, channelId, environment: 'production' },
      contents: { card: { id: channelId } },
      ts: method === 'edit' ? '1.0' : undefined,
    } as unknown as PendingMessage)
  return { clock, outbox, reserveSlot, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

describe('rate limits', () => {
  it('allow one message per second in a channel, whether posted or edited', async () => {
    await using setup = await startOutbox()
    expect(await setup.reserveSlot('post', 'C1')).toBe(0)
    for (const method of ['post', 'edit'] as const)
      expect(await setup.reserveSlot(method, 'C1')).toBeGreaterThanOrEqual(1000)
    expect(await setup.reserveSlot('post', 'C2')).toBe(0)
    setup.clock.ms += 1100
    expect(await setup.reserveSlot('edit', 'C1')).toBe(0)
  })

  it(`allow at most 200 messages per minute in a workspace, and not far fewer (SEED=${SEED})`, async () => {
    await using setup = await startOutbox()
    const random = createRandom(SEED)
    const sentAt: number[] = []
    const startMs = setup.clock.ms
    while (setup.clock.ms < startMs + 240_000) {
      const method = random.below(3) === 0 ? 'edit' : 'post'
      if ((await setup.reserveSlot(method, `C${random.below(300)}`)) === 0) sentAt.push(setup.clock.ms)
      setup.clock.ms += random.below(200)
    }
    const countInMinuteFrom = (from: number) => sentAt.filter((at) => at >= from && at < from + 60_000).length
    const most = Math.max(...sentAt.map(countInMinuteFrom))
    expect(most).toBeLessThanOrEqual(200)
    expect(most).toBeGreaterThan(140)
  })

  it.each([-7_200_000, -600_000, 600_000, 7_200_000])(
    'allow another burst when the clock jumps by %i ms',
    async (ms) => {
      await using setup = await startOutbox()
      let posts = 0
      while ((await setup.reserveSlot('post', `C${posts}`)) === 0) posts += 1
      expect(await setup.reserveSlot('post', 'C0')).toBeGreaterThan(0)
      setup.clock.ms += ms
      for (let index = 0; index < 50; index += 1) expect(await setup.reserveSlot('post', `C${index}`)).toBe(0)
      expect(await setup.reserveSlot('post', 'C0')).toBeGreaterThan(0)
    },
  )

  it('reserve capacity for new posts when many edits are waiting', async () => {
    await using setup = await startOutbox()
    let edits = 0
    while ((await setup.reserveSlot('edit', `C${edits}`)) === 0) edits += 1
    let posts = 0
    while ((await setup.reserveSlot('post', `P${posts}`)) === 0) posts += 1
    expect({ edits, posts }).toEqual({ edits: 25, posts: 25 })
  })

  it('pause only one method in one workspace for as long as Slack asks', async () => {
    await using setup = await startOutbox()
    await setup.outbox.pauseMethod('T1', 'post', 30_000)
    expect(await setup.reserveSlot('post', 'C1')).toBeGreaterThanOrEqual(29_000)
    expect(await setup.reserveSlot('edit', 'C1')).toBe(0)
    expect(await setup.reserveSlot('post', 'C1', 'T2')).toBe(0)
    setup.clock.ms += 30_000
    expect(await setup.reserveSlot('post', 'C2')).toBe(0)
  })

  it('ignore a pause from before the clock was set back', async () => {
    await using setup = await startOutbox()
    await setup.outbox.pauseMethod('T1', 'post', 30_000)
    // Set back by an hour and a half, and then read again at half-hour steps, up to a minute before the pause began.
    for (const jumpMs of [-5_400_000, 1_800_000, 1_800_000, 1_740_000]) {
      setup.clock.ms += jumpMs
      expect(await setup.reserveSlot('post', 'C1')).toBe(0)
    }
  })

  it('keep one workspace from delaying another', async () => {
    await using setup = await startOutbox()
    for (let channel = 0; channel < 60; channel += 1) await setup.reserveSlot('post', `C${channel}`)
    expect(await setup.reserveSlot('post', 'C99')).toBeGreaterThan(0)
    expect(await setup.reserveSlot('post', 'C99', 'T2')).toBe(0)
  })
})
