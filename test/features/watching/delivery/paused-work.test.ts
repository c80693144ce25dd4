import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import { openStore } from '../../../../src/app/store.ts'
import type { Destination } from '../../../../src/bot/posts/poster.ts'
import { createPausedWork } from '../../../../src/features/watching/delivery/paused-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { createFakeChannels, createPostParts, modelRenderer } from '../model/fakes.ts'
import { createFakeReachability } from '../reachable-people.ts'

const CHANNEL = { workspaceId: 'T1', channelId: 'C1' }
const PAUSED_WORK = { workspaceId: 'T1', kind: 'watch.paused', key: 'C1' }
const HOUR_MS = 3_600_000
/** How Slack can fail to post a message, and whether the message was posted anyway. */
const POST_FAILURES = {
  'posting fails': { error: 'An API error occurred: internal_error', isPosted: false },
  'Slack’s response is lost': { error: 'A request error occurred: socket hang up', isPosted: true },
  'Slack rejects the token': { error: 'An API error occurred: invalid_auth', isPosted: false },
  'Slack doesn’t know the person': { error: 'An API error occurred: user_not_found', isPosted: false },
} as const

/** Starts a channel with one watch per owner. Pausing the channel pauses all of them. */
async function startWatchedChannel(
  { url, keys }: { url: string; keys: string },
  owners: readonly string[],
  unreachable: readonly string[] = [],
) {
  await using started = new AsyncDisposableStack()
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
  const store = started.use(await openStore({ url, keys, clock: () => new Date(clock.now) }))
  const { watches } = store.watching
  for (const ownerId of owners)
    await watches.add({
      ...CHANNEL,
      environment: 'production',
      filter: ALL_CHECKS,
      afterBadPolls: 1,
      notify: 'once',
      reminderHours: 0,
      ownerId,
      madeAt: new Date(clock.now),
    })
  const notifications: { to: string; postId: string | undefined }[] = []
  /** How the next message to each person fails. */
  const failures = new Map<string, (typeof POST_FAILURES)[keyof typeof POST_FAILURES]>()
  const poster = {
    ...createFakeChannels().poster,
    async post(
      { to = '' }: Destination,
      _message: unknown,
      { postId }: { postId?: string | undefined } = {},
    ) {
      const failure = failures.get(to)
      failures.delete(to)
      if (!failure || failure.isPosted) notifications.push({ to, postId })
      if (failure) throw new Error(failure.error)
      return { channelId: `D${to}`, ts: String(notifications.length) }
    },
    async find({ to = '' }: Destination, sent: { postId: string }) {
      const index = notifications.findIndex(
        (notification) => notification.to === to && notification.postId === sent.postId,
      )
      return index < 0 ? undefined : { channelId: `D${to}`, ts: String(index + 1) }
    },
  }
  const kind = createPausedWork({
    watching: store.watching,
    steps: store.recordedSteps,
    posting: {
      ...createPostParts(store, poster),
      reachability: createFakeReachability(
        (id) => (unreachable.includes(id) ? 'is deactivated' : undefined),
        ['UADMIN'],
      ),
    },
    renderer: modelRenderer,
  })
  async function runUntilDone(): Promise<void> {
    for (let run = 0; run < 5; run += 1) {
      clock.now += HOUR_MS
      const work = await store.work.claim(PAUSED_WORK, 'me')
      if (!work) return
      await store.work.release(work.id, 'me', await kind.run(trackLeasedWork('me').add(work)))
    }
    throw new Error('The work isn’t done after 5 runs.')
  }
  const resources = started.move()
  return {
    failures,
    listNotified: () => notifications.map(({ to }) => to),
    pause: () => watches.pause(CHANNEL.workspaceId, CHANNEL.channelId, 'archived', new Date(clock.now)),
    resume: () => watches.resume(CHANNEL.workspaceId, CHANNEL.channelId),
    runUntilDone,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

it.each(
  SHARED_DATABASES.flatMap((database) =>
    Object.entries(POST_FAILURES).map(([problem, failure]) => ({ ...database, problem, failure })),
  ),
)(
  'notifies each reachable owner once, even if $problem for one of them, with $name',
  async ({ start, failure, problem }) => {
    await using database = await start()
    await using channel = await startWatchedChannel(database, ['UA', 'UB', 'UC'])
    await channel.pause()
    channel.failures.set('UB', failure)
    await channel.runUntilDone()
    const expectedOwners =
      problem === 'Slack doesn’t know the person' ? ['UA', 'UADMIN', 'UC'] : ['UA', 'UB', 'UC']
    expect(channel.listNotified().toSorted()).toEqual(expectedOwners)
  },
)

it.each(SHARED_DATABASES)(
  'notifies the owners again when the channel is paused again, with $name',
  async ({ start }) => {
    await using database = await start()
    await using channel = await startWatchedChannel(database, ['UA', 'UB'])
    for (let time = 1; time <= 2; time += 1) {
      await channel.pause()
      await channel.runUntilDone()
      await channel.resume()
    }
    expect(channel.listNotified().toSorted()).toEqual(['UA', 'UA', 'UB', 'UB'])
  },
)

it.each(SHARED_DATABASES)('notifies an admin if an owner has left, with $name', async ({ start }) => {
  await using database = await start()
  await using channel = await startWatchedChannel(database, ['UA', 'UB'], ['UB'])
  await channel.pause()
  await channel.runUntilDone()
  expect(channel.listNotified().toSorted()).toEqual(['UA', 'UADMIN'])
})
