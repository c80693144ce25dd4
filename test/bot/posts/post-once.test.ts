import { describe, expect, it } from 'vitest'
import type { PostSearch } from '../../../packages/slack/src/client/find-posted.ts'
import { openStore } from '../../../src/app/store.ts'
import { type PostDeps, postOnce } from '../../../src/bot/posts/post-once.ts'
import type { Poster } from '../../../src/bot/posts/poster.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { eitherOf, quickOrLong } from '../../long.ts'
import { createRandom } from '../../random.ts'
import { simulateProcess } from '../../simulated-process.ts'
import { CONTENT, PLACE } from './posting.ts'

const WORKSPACE = 'T1'
const HOUR_MS = 3_600_000
const ASSUME_LOST_AFTER_MS = 15_000
const ROUNDS = quickOrLong('POSTS', { quick: 10, long: 1000 })
const LOST = 'A request error occurred: socket hang up'

/** Starts a fake channel, and a message that must be posted there once. `clock` is the database's clock. */
async function startPosting(start: () => Promise<TestDatabase>) {
  await using started = new AsyncDisposableStack()
  const database = started.use(await start())
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
  const store = started.use(await openStore({ ...database, clock: () => new Date(clock.now) }))
  const channelMessages: { postId: string; version: number; ts: string }[] = []
  const subject = { version: 0, recordedVersion: 0 }
  const searches: Omit<PostSearch, 'postId'>[] = []
  /** What Slack does with the next message. It accepts all later ones. */
  const slack = {
    behavior: 'accepts' as 'accepts' | 'loses the response' | 'loses the message' | 'rejects',
    searchError: '',
  }

  const poster: Poster = {
    async post(_to, _content, { postId = '' } = {}) {
      const { behavior } = slack
      slack.behavior = 'accepts'
      if (behavior === 'rejects') throw new Error('An API error occurred: is_archived')
      const ts = String(channelMessages.length + 1)
      if (behavior !== 'loses the message') channelMessages.push({ postId, version: subject.version, ts })
      if (behavior !== 'accepts') throw new Error(LOST)
      return { channelId: 'C1', ts }
    },
    async find(_to, { postId, ...search }) {
      if (slack.searchError !== '') throw new Error(`An API error occurred: ${slack.searchError}`)
      searches.push(search)
      const found = channelMessages.find((message) => message.postId === postId)
      return found && { channelId: 'C1', ts: found.ts }
    },
    edit: async () => undefined,
  }
  const deps: PostDeps = { poster, steps: store.steps, mayPost: async () => 'yes', log: createLog('silent') }
  const postNow = (changed: Partial<PostDeps> = {}, wrapRecord = async (store: () => void) => store()) =>
    postOnce(
      { ...deps, ...changed },
      leased,
      {
        ...{ key: 'subject', target: PLACE, version: subject.version },
        record: async (_posted, recordedVersion) =>
          wrapRecord(() => {
            subject.recordedVersion = Math.max(subject.recordedVersion, recordedVersion)
          }),
      },
      CONTENT,
    )

  async function leaseWork() {
    const work = await store.work.begin({ workspaceId: WORKSPACE, kind: 'k', key: 'k' }, 'me')
    return { work: work.work, owner: 'me', signal: new AbortController().signal }
  }
  const leased = await leaseWork()
  const resources = started.move()
  return {
    ...{ clock, store, channelMessages, subject, searches, slack, deps, leased, post: postNow },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe.each(eitherOf(SHARED_DATABASES))('a message that must be posted once, on $name', ({ start }) => {
  it('is posted again only after the first attempt can no longer reach Slack', async () => {
    await using posting = await startPosting(start)
    const { slack, channelMessages, clock, post } = posting
    slack.behavior = 'loses the message'
    await expect(post()).rejects.toThrow(LOST)
    clock.now += 5000
    expect(await post()).toEqual({
      recheckMs: ASSUME_LOST_AFTER_MS - 5000,
      mayStillArrive: true,
    })
    clock.now += ASSUME_LOST_AFTER_MS
    expect(await post()).toMatchObject({ isFound: false })
    expect(channelMessages).toHaveLength(1)
  })

  it('isn’t searched for if Slack rejected it, or if the app can’t read the channel', async () => {
    await using posting = await startPosting(start)
    const { store, slack, leased, channelMessages, post } = posting
    slack.searchError = 'missing_scope'
    slack.behavior = 'rejects'
    await expect(post()).rejects.toThrow('is_archived')
    expect(await store.steps.list(leased.work.id, { isNumbered: false })).toEqual([])
    slack.behavior = 'loses the response'
    await expect(post()).rejects.toThrow(LOST)
    expect(await post()).toMatchObject({ isFound: false })
    expect(channelMessages).toHaveLength(2)
  })

  it('is posted again on time if the clock was set back by an hour', async () => {
    await using posting = await startPosting(start)
    const { slack, channelMessages, clock } = posting
    const post = () => posting.post({ times: { assumeLostAfterMs: 50 } })
    slack.behavior = 'loses the message'
    await expect(post()).rejects.toThrow(LOST)
    clock.now -= HOUR_MS
    expect(await post()).toMatchObject({ isFound: false })
    expect(channelMessages).toHaveLength(1)
  })

  it.each([
    { clockChange: 'wasn’t changed', passedMs: 1000, since: 0 },
    { clockChange: 'was set back', passedMs: -HOUR_MS, since: -HOUR_MS },
  ])('is searched for from the right time if the clock $clockChange', async ({ passedMs, since }) => {
    await using posting = await startPosting(start)
    const { slack, clock, searches, post } = posting
    const sentAtMs = clock.now
    slack.behavior = 'loses the response'
    await expect(post()).rejects.toThrow(LOST)
    clock.now += passedMs
    expect(await post()).toMatchObject({ isFound: true })
    expect(searches).toEqual([{ since: new Date(sentAtMs + since), until: new Date(sentAtMs) }])
  })

  it('is searched for less and less often while the search fails, and posted again after five minutes', async () => {
    await using posting = await startPosting(start)
    const { slack, channelMessages, clock, post } = posting
    slack.searchError = 'account_inactive'
    slack.behavior = 'loses the message'
    await expect(post()).rejects.toThrow(LOST)
    const pauses: number[] = []
    for (;;) {
      const outcome = await post()
      if ('posted' in outcome) break
      expect(outcome.mayStillArrive).toBe(false)
      pauses.push(outcome.recheckMs)
      clock.now += outcome.recheckMs
    }
    expect(channelMessages).toHaveLength(1)
    expect(pauses.slice(0, 6)).toEqual([5000, 5000, 5000, 5000, 5000, 6250])
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000)
    expect(pauses.length).toBeLessThan(20)
  })

  it(`is posted once even if its process dies ${ROUNDS} times`, async () => {
    await using posting = await startPosting(start)
    const { subject, slack, deps, channelMessages, clock, post } = posting
    const random = createRandom()
    for (let round = 1; round <= ROUNDS; round += 1) {
      subject.version = round
      slack.behavior = random.oneOf(['accepts', 'accepts', 'loses the response', 'loses the message'])
      const death = { afterCalls: random.below(6), isBefore: random.below(2) === 0 }
      const { died, call, wrapCalls } = simulateProcess(() => undefined, death)
      const attempt = post({ steps: wrapCalls(deps.steps), poster: wrapCalls(deps.poster) }, (store) =>
        call(async () => store()),
      )
      await Promise.race([attempt.catch(() => undefined), died])
      clock.now += random.below(ASSUME_LOST_AFTER_MS)
      // Another process takes over and retries until the post is recorded.
      for (let run = 0; run < 4 && subject.recordedVersion < round; run += 1) {
        await post().catch(() => undefined)
        clock.now += ASSUME_LOST_AFTER_MS
      }
      expect(subject.recordedVersion).toBe(round)
    }
    const versions = channelMessages.map(({ version }) => version)
    expect(versions).toEqual([...new Set(versions)])
    expect(versions).toEqual(Array.from({ length: ROUNDS }, (_, index) => index + 1))
  })
})
