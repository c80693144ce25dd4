import { newId } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createPosts } from '../../../src/bot/posts/post-once.ts'
import {
  createDeliveryWork,
  type DeliveryDeps,
} from '../../../src/features/watching/delivery/deliver-work.ts'
import { ALL_CHECKS } from '../../../src/features/watching/rules/watch.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'
import { simulateProcess } from '../../simulated-process.ts'
import { claimPolling, SCOPE } from './poll-world.ts'

/** How many processes die, one after another, on each database. */
const DEATHS = quickOrLong('DEATHS', { quick: 25, long: 1000 })
/** Each dies at one of this many calls, within a few polls. */
const MAX_CALLS = 40
const NAMES = ['a', 'b', 'c']
const CHANNEL = 'C1'
const PAGE = [{ afterMs: 600_000, responders: [{ name: '@on-call', id: 'S1', isGroup: true }] }]

type Poster = DeliveryDeps['posting']['poster']
type Outside = Pick<Store, 'watching' | 'steps'> & { readonly poster: Poster }

/** Slack, which keeps the times of the messages that it accepted. */
function createSlack() {
  const accepted: string[] = []
  const poster = {
    async post(_, __, { postId = '' } = {}) {
      accepted.push(postId)
      return { channelId: CHANNEL, ts: postId }
    },
    edit: async () => undefined,
    find: async (_, { postId }) =>
      accepted.includes(postId) ? { channelId: CHANNEL, ts: postId } : undefined,
  } satisfies Poster
  return { accepted, poster }
}

function createDelivery({ watching, steps, poster }: Outside, workId: string) {
  const log = createLog('silent')
  const posting = {
    ...{ poster, posts: createPosts({ steps, log, times: { assumeLostAfterMs: 0 } }) },
    ...{ steps: { hasLease: async () => true }, mayPost: async () => 'yes' },
    reportError: (error: unknown) => expect.fail(String(error)),
  }
  const reachability = { explainPerson: async () => undefined, explainGroup: async () => undefined }
  // Casts: only these parts are used.
  const { run } = createDeliveryWork({ watching, posting, reachability, log } as unknown as DeliveryDeps)
  const work = { id: workId, workspaceId: 'T1', key: CHANNEL, attempts: 1 }
  const { signal } = new AbortController()
  const leased = { work, owner: 'poller', signal } as unknown as Parameters<typeof run>[0]
  return async () => {
    while ((await run(leased)).state !== 'done');
  }
}

/** Watches the checks of a service in which those of `down` are down. */
async function startWatched(start: () => Promise<TestDatabase>) {
  await using started = new AsyncDisposableStack()
  const database = started.use(await start())
  let nowMs = Date.UTC(2026, 10, 28)
  const store = started.use(await openStore({ ...database, clock: () => new Date(nowMs) }))
  await store.watching.watches.add({
    ...{ id: newId(), ...SCOPE, channelId: CHANNEL, filter: ALL_CHECKS, afterBadPolls: 1, page: PAGE },
    ...{ ownerId: 'U9' },
  })
  const { lease, savePoll } = await claimPolling(store, 'poller', 30_000)
  const down = new Set<string>()
  const readService = () => ({
    bad: new Map([...down].map((name) => [name, { uuid: name, name }])),
    good: new Set(NAMES.filter((name) => !down.has(name))),
    ...{ installing: new Set<string>(), deleted: new Set<string>() },
  })

  /** Polls once a minute, decides, and sends, until the process dies, or `polls` times. */
  async function run(outside: Outside, change: () => void, polls = Number.POSITIVE_INFINITY): Promise<void> {
    const { watching } = outside
    const deliver = createDelivery(outside, lease.workId)
    for (let poll = 0; poll < polls; poll += 1) {
      nowMs += 60_000
      change()
      await savePoll(watching, readService())
      await watching.update('T1', 'production')
      await deliver()
    }
  }
  const resources = started.move()
  return { database, store, down, run, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

describe.each(SHARED_DATABASES)('processes that die at any call, on $name', ({ start }) => {
  it(`have posted each card, note, page, and reply once in the end (seed ${readSeed()})`, async () => {
    await using watched = await startWatched(start)
    const { database, store, down, run } = watched
    const random = createRandom(readSeed())
    const { accepted, poster } = createSlack()
    const change = () => {
      for (const name of NAMES) if (random.next() < 0.25 && !down.delete(name)) down.add(name)
    }

    for (let death = 0; death < DEATHS; death += 1) {
      const pending = { calls: 0 }
      const dies = { afterCalls: random.below(MAX_CALLS), isBefore: random.below(2) === 0 }
      const { died, wrapCalls } = simulateProcess(() => undefined, dies, pending)
      const { watching, steps } = store
      await Promise.race([run(wrapCalls({ watching, steps, poster }), change), died])
      await expect.poll(() => pending.calls, { interval: 1 }).toBe(0)
    }
    await run({ ...store, poster }, change, 3)

    await using opened = await openDatabase(database.url)
    const listPosts = () => opened.rows.selectFrom('watch_post').selectAll().execute()
    const posts = await listPosts()
    expect(posts.filter(({ shown_version, version }) => shown_version < version)).toEqual([])
    expect(accepted.toSorted()).toEqual(posts.flatMap(({ ts }) => ts ?? []).toSorted())
    expect(accepted.length).toBeGreaterThan(1)
    const lines = await opened.rows.selectFrom('incident_line').selectAll().execute()
    expect(new Set(lines.map(({ incident_id }) => incident_id)).size).toBe(lines.length)
    await store.watching.update('T1', 'production')
    expect(await listPosts()).toHaveLength(posts.length)
  })

  it('find a page that they have posted, even if its outage is over by then', async () => {
    await using watched = await startWatched(start)
    const { store, down, run } = watched
    const { accepted, poster } = createSlack()
    // What is down at the first poll pages nobody.
    let polls = 0
    const bringDown = () => {
      polls += 1
      if (polls === 2) down.add('a')
    }
    const dies = Promise.withResolvers<void>()
    const dying: Poster = {
      ...poster,
      async post(...args) {
        const posted = await poster.post(...args)
        // The card is first, and then the page.
        if (accepted.length < 2) return posted
        dies.resolve()
        return new Promise(() => undefined)
      },
    }
    await Promise.race([run({ ...store, poster: dying }, bringDown, 30), dies.promise])
    await run({ ...store, poster }, () => down.clear(), 3)
    await using opened = await openDatabase(watched.database.url)
    const posts = await opened.rows.selectFrom('watch_post').selectAll().execute()
    expect(accepted).toHaveLength(3)
    expect(posts.flatMap(({ ts }) => ts ?? []).toSorted()).toEqual(accepted.toSorted())
  })
})
