import { describe, expect, it } from 'vitest'
import type { PostedMessage } from '../../../packages/slack/src/client/slack-client.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createPostOnce, type OnePost } from '../../../src/bot/posts/post-once.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'
import { simulateProcess } from '../../simulated-process.ts'

const WORKSPACE = 'T1'
const HOUR_MS = 3_600_000
const ASSUME_LOST_AFTER_MS = 15_000
const SEED = readSeed()
const ROUNDS = quickOrLong('POSTS', { quick: 10, long: 1000 })
const LOST = 'A request error occurred: socket hang up'

/** A channel, and a message that must be posted there once. The clock is the database's. */
async function startPosting({ url, keys }: { url: string; keys: string }) {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
  const store = await openStore({ url, keys, clock: () => new Date(clock.now) })
  const inChannel: { postId: string; version: number; ts: string }[] = []
  const subject = { version: 0, recordedVersion: 0 }
  /** How Slack treats the next message. */
  const slack = {
    does: 'accepts' as 'accepts' | 'loses the answer' | 'loses the message' | 'refuses',
    refusal: 'is_archived',
  }

  function onePost(): OnePost {
    const { version } = subject
    return {
      workspaceId: WORKSPACE,
      key: 'subject',
      version,
      async send({ postId }) {
        const { does } = slack
        slack.does = 'accepts'
        if (does === 'refuses') throw new Error(`An API error occurred: ${slack.refusal}`)
        const ts = String(inChannel.length + 1)
        if (does !== 'loses the message') inChannel.push({ postId, version, ts })
        if (does !== 'accepts') throw new Error(LOST)
        return { channelId: 'C1', ts }
      },
      async find({ postId }) {
        const found = inChannel.find((one) => one.postId === postId)
        return found && { channelId: 'C1', ts: found.ts }
      },
      async record(_posted, recordedVersion) {
        subject.recordedVersion = Math.max(subject.recordedVersion, recordedVersion)
      },
    }
  }

  async function hold() {
    const work = await store.work.begin({ workspaceId: WORKSPACE, kind: 'k', key: 'k' }, 'me')
    return { work: work.work, owner: 'me', signal: new AbortController().signal }
  }
  return { clock, store, inChannel, subject, slack, onePost, hold, held: await hold() }
}

const createOnce = (store: Pick<Store, 'postAttempts'>) =>
  createPostOnce({ attempts: store.postAttempts, log: createLog('silent') })

describe.each(SHARED_DATABASES)('a message that must be posted once, on $name', ({ start }) => {
  it('is found by its metadata after a lost response, even if its text has changed', async () => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    const { subject, slack, held, onePost, inChannel } = posting
    const postOnce = createOnce(store)
    subject.version = 1
    slack.does = 'loses the answer'
    await expect(postOnce(held, onePost())).rejects.toThrow(LOST)
    subject.version = 2
    expect(await postOnce(held, onePost())).toMatchObject({ isFound: true })
    expect(subject.recordedVersion).toBe(1)
    expect(await postOnce(held, onePost())).toMatchObject({ isFound: false })
    expect(inChannel.map(({ version }) => version)).toEqual([1, 2])
    expect(subject.recordedVersion).toBe(2)
  })

  it('is posted again only once the first attempt can no longer reach Slack', async () => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    const { slack, held, onePost, inChannel, clock } = posting
    const postOnce = createOnce(store)
    slack.does = 'loses the message'
    await expect(postOnce(held, onePost())).rejects.toThrow(LOST)
    clock.now += 5000
    expect(await postOnce(held, onePost())).toEqual({
      recheckMs: ASSUME_LOST_AFTER_MS - 5000,
      mayStillArrive: true,
    })
    clock.now += ASSUME_LOST_AFTER_MS
    expect(await postOnce(held, onePost())).toMatchObject({ isFound: false })
    expect(inChannel).toHaveLength(1)
  })

  it('isn’t searched for if Slack rejected it, or if the app can’t read the channel', async () => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    const { slack, held, onePost, inChannel } = posting
    const postOnce = createOnce(store)
    const createBlindPost = (): OnePost => ({
      ...onePost(),
      find: () => Promise.reject(new Error('An API error occurred: missing_scope')),
    })
    slack.does = 'refuses'
    await expect(postOnce(held, createBlindPost())).rejects.toThrow('is_archived')
    expect(await store.postAttempts.find(onePost())).toBeUndefined()
    slack.does = 'loses the answer'
    await expect(postOnce(held, createBlindPost())).rejects.toThrow(LOST)
    expect(await postOnce(held, createBlindPost())).toMatchObject({ isFound: false })
    expect(inChannel).toHaveLength(2)
  })

  it.each(['invalid_auth', 'account_inactive', 'is_archived', 'ratelimited'])(
    'isn’t searched for if Slack answered %s, even if that is temporary',
    async (refusal) => {
      await using database = await start()
      const posting = await startPosting(database)
      await using store = posting.store
      Object.assign(posting.slack, { does: 'refuses', refusal })
      await expect(createOnce(store)(posting.held, posting.onePost())).rejects.toThrow(refusal)
      expect(await store.postAttempts.find(posting.onePost())).toBeUndefined()
    },
  )

  it.each(['internal_error', 'fatal_error'])('is searched for if Slack answered %s', async (refusal) => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    Object.assign(posting.slack, { does: 'refuses', refusal })
    await expect(createOnce(store)(posting.held, posting.onePost())).rejects.toThrow(refusal)
    expect(await store.postAttempts.find(posting.onePost())).toBeDefined()
  })

  it('is posted again on time if the clock was set back by an hour', async () => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    const { slack, held, onePost, inChannel, clock } = posting
    const log = createLog('silent')
    const postOnce = createPostOnce({ attempts: store.postAttempts, log, times: { assumeLostAfterMs: 50 } })
    slack.does = 'loses the message'
    await expect(postOnce(held, onePost())).rejects.toThrow(LOST)
    clock.now -= HOUR_MS
    expect(await postOnce(held, onePost())).toMatchObject({ mayStillArrive: true })
    const retryPost = () => postOnce(held, onePost())
    await expect.poll(retryPost).toMatchObject({ isFound: false })
    expect(inChannel).toHaveLength(1)
  })

  it('isn’t posted by a process that no longer holds the lease', async () => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    const { held, onePost, inChannel } = posting
    await expect(createOnce(store)({ ...held, owner: 'another' }, onePost())).rejects.toThrow(
      'another process continues the work',
    )
    expect(inChannel).toEqual([])
  })

  it('is sent by only one process, and again only after a search for the stored attempt', async () => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    const { held, onePost } = posting
    const lease = { workId: held.work.id, owner: held.owner }
    const first = await store.postAttempts.begin(onePost(), lease)
    expect(await store.postAttempts.begin(onePost(), lease)).toBeUndefined()
    expect(await store.postAttempts.begin({ ...onePost(), searchedPostId: 'another' }, lease)).toBeUndefined()
    expect(await store.postAttempts.find(onePost())).toMatchObject({ postId: first })
    const second = await store.postAttempts.begin({ ...onePost(), searchedPostId: first }, lease)
    expect(await store.postAttempts.find(onePost())).toMatchObject({ postId: second })
  })

  it('has its stored attempt deleted after a while, or with its workspace, if nobody searched for it', async () => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    const { held, onePost, clock } = posting
    const lease = { workId: held.work.id, owner: held.owner }
    await store.postAttempts.begin({ ...onePost(), key: 'old' }, lease)
    clock.now += 24 * HOUR_MS + 1
    await store.postAttempts.begin(onePost(), lease)
    expect((await store.sweepRows()).get('post_attempt')).toBe(1)
    expect(await store.postAttempts.find(onePost())).toBeDefined()
    await store.forgetWorkspace(WORKSPACE)
    expect(await store.postAttempts.find(onePost())).toBeUndefined()
  })

  it(`is posted once even if its process dies ${ROUNDS} times (seed ${SEED})`, async () => {
    await using database = await start()
    const posting = await startPosting(database)
    await using store = posting.store
    const { subject, slack, held, onePost, inChannel, clock } = posting
    const random = createRandom(SEED)
    for (let round = 1; round <= ROUNDS; round += 1) {
      subject.version = round
      slack.does = random.oneOf(['accepts', 'accepts', 'loses the answer', 'loses the message'])
      const death = { afterCalls: random.below(6), isBefore: random.below(2) === 0 }
      const { died, call, mortal } = simulateProcess(() => undefined, death)
      const post = onePost()
      const attempt = createOnce({ postAttempts: mortal(store.postAttempts) })(held, {
        ...post,
        send: (options) => call(() => post.send(options)),
        find: (sent) => call(() => post.find(sent)),
        record: (posted: PostedMessage, version) => call(async () => await post.record(posted, version)),
      })
      await Promise.race([attempt.catch(() => undefined), died])
      clock.now += random.below(ASSUME_LOST_AFTER_MS)
      // The process that takes over has as much time as it needs.
      for (let run = 0; run < 4 && subject.recordedVersion < round; run += 1) {
        await createOnce(store)(held, onePost()).catch(() => undefined)
        clock.now += ASSUME_LOST_AFTER_MS
      }
      expect(subject.recordedVersion).toBe(round)
    }
    const versions = inChannel.map(({ version }) => version)
    expect(versions).toEqual([...new Set(versions)])
    expect(versions).toEqual(Array.from({ length: ROUNDS }, (_, index) => index + 1))
  })
})
