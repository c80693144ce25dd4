import { describe, expect, it, vi } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import type { OncePosted } from '../../../../src/bot/posts/lost-posts.ts'
import type { OnePost } from '../../../../src/bot/posts/post-once.ts'
import type { TakeStep } from '../../../../src/features/threats/rows/cases.ts'
import { takedownWork } from '../../../../src/features/threats/takedown-watch/look-at-check.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import { KEY_A } from '../../../databases/databases.ts'
import { ANN, ID, NOW } from '../cases/sample.ts'
import { postingParts, sampleWatch } from './sample.ts'

const EVENT = { workspaceId: 'T1', environment: 'production', eventId: ID } as const
const daysLater = (days: number): Date => new Date(NOW.getTime() + days * 86_400_000)

async function sendAtOnce(post: OnePost): Promise<OncePosted> {
  const posted = await post.send({ mark: 'm', beforeRequest: () => undefined })
  return { posted, isFound: false }
}

let last = 0
async function step({ threatCases }: Store, kind: TakeStep['kind'], more: Partial<TakeStep> = {}) {
  last += 1
  const newCase = { about: {}, severity: 0 }
  const asked = { ...EVENT, enterpriseId: undefined, by: ANN, now: NOW, reference: `r${last}`, newCase }
  await threatCases.step({ ...asked, kind, ...more })
}

/** A watch that was begun, and its look at this time; the service always answers that all is well. */
async function watched(store: Store, now: Date, account = 'a') {
  const { takedownWatches, threatCases, audit } = store
  const held = await takedownWatches.reserve({ ...sampleWatch('exa.mple'), account })
  await takedownWatches.begin(held, 'c1')
  const get = vi.fn(async () => ({ status: 'HEALTHY' }))
  const direct = vi.fn(async () => ({ channelId: 'D1', ts: '1.1' }))
  const kind = takedownWork({
    takedownWatches,
    threatCases,
    audit,
    steps: { isHeld: async () => true },
    ...postingParts(direct, (_held, post) => sendAtOnce(post)),
    apiOf: async () => ({ account, healthChecks: { get } }) as never,
    intervalMs: 60_000,
    now: () => now,
    wake: () => undefined,
    log: { info: () => undefined, warn: () => undefined } as never,
  })
  const work = { workspaceId: 'T1', key: held.id, id: 'work' } as never
  const signal = new AbortController().signal
  return { get, direct, run: () => kind.run({ work, owner: 'me', signal, wantsStop: () => false }) }
}

const openMemory = () => openStore({ url: 'sqlite::memory:', keys: KEY_A })
const notesOf = async ({ threatCases }: Store) =>
  (await threatCases.find(EVENT))?.steps.filter(({ kind }) => kind === 'note').map(({ says }) => says)

describe('the look at a takedown', () => {
  it('ends with the case, without asking the service', async () => {
    await using store = await openMemory()
    const { get, run } = await watched(store, NOW)
    expect(await run()).toEqual({ state: 'done' })
    expect(get).not.toHaveBeenCalled()
    expect(await store.takedownWatches.find(EVENT)).toBeUndefined()
  })

  it('ends when the case is closed for 30 days, whatever was noted by itself since, and says so', async () => {
    await using store = await openMemory()
    await step(store, 'down')
    await step(store, 'note', { by: undefined, now: daysLater(20), text: 'Cannot be seen' })
    const { get, direct, run } = await watched(store, daysLater(30.1))
    expect(await run()).toEqual({ state: 'done' })
    expect(get).not.toHaveBeenCalled()
    expect(direct).toHaveBeenCalledOnce()
    expect(await notesOf(store)).toEqual([
      'Cannot be seen',
      expect.stringMatching(/^The watch has ended: the case has been closed/),
    ])
    expect(await store.takedownWatches.find(EVENT)).toBeUndefined()
  })

  it.each([
    { error: new ApiError('forbidden', '', { status: 403 }), says: 'the service refuses to answer: ' },
    { error: new ApiError('rate-limited', '', { status: 429 }), says: 'the service is asked too often' },
    { error: new ApiError('unavailable', '', { status: 503 }), says: 'a fault of its own' },
    { error: new ApiError('unreadable', '', { status: 200 }), says: 'something that cannot be read' },
    { error: new ApiError('timeout', ''), says: 'the service does not answer' },
  ])('says after a while that it sees nothing, and why: $says', async ({ error, says }) => {
    await using store = await openMemory()
    await step(store, 'take')
    for (const minutes of [0, 6]) {
      const { get, run } = await watched(store, new Date(NOW.getTime() + minutes * 60_000))
      get.mockRejectedValue(error)
      expect(await run()).toMatchObject({ state: 'waiting' })
    }
    expect(await notesOf(store)).toEqual([expect.stringContaining(says)])
  })

  it('takes a check for deleted only by the word of the account that has had it', async () => {
    await using store = await openMemory()
    await step(store, 'take')
    const gone = new ApiError('not-found', '', { status: 404 })
    const look = async (account: string, isGone: boolean) => {
      const { get, run } = await watched(store, NOW, account)
      if (isGone) get.mockRejectedValue(gone)
      return (await run()).state
    }
    expect(await look('a', false)).toBe('waiting')
    expect(await look('b', true)).toBe('waiting')
    expect(await look('b', false)).toBe('waiting')
    expect(await look('b', true)).toBe('done')
    expect(await notesOf(store)).toEqual([expect.stringContaining('somebody deleted its health check')])
  })

  it('says of a check that another token does not show no more than that', async () => {
    await using store = await openMemory()
    await step(store, 'take')
    await watched(store, NOW)
    for (const minutes of [0, 6]) {
      const { get, run } = await watched(store, new Date(NOW.getTime() + minutes * 60_000), 'another')
      get.mockRejectedValue(new ApiError('not-found', '', { status: 404 }))
      expect(await run()).toMatchObject({ state: 'waiting' })
    }
    expect(await notesOf(store)).toEqual([
      'The watch sees nothing: with the token that was stored since, the service shows no health check Takedown exa[.]mple [7e57ed00]. It was deleted, or it is in another account; then this watch can be stopped',
    ])
  })

  it.each<{ of: string; kind: TakeStep['kind']; at: number; noted?: number }>([
    { of: 'closed a while ago', kind: 'false-positive', at: 29.9 },
    { of: 'open for long', kind: 'takedown-sent', at: 300 },
    { of: 'watched by somebody after it was closed', kind: 'down', at: 300, noted: 290 },
  ])('goes on for a case that is $of', async ({ kind, at, noted }) => {
    await using store = await openMemory()
    await step(store, kind)
    if (noted) await step(store, 'note', { now: daysLater(noted), text: 'Begun' })
    const { get, run } = await watched(store, daysLater(at))
    expect(await run()).toMatchObject({ state: 'waiting' })
    expect(get).toHaveBeenCalledOnce()
    expect(await store.takedownWatches.find(EVENT)).toBeDefined()
  })
})
