import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import { openStore } from '../../../../src/app/store.ts'
import { pausedWork } from '../../../../src/features/watching/delivery/paused-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { createChannels, createPostParts, modelRenderer } from '../model/counterparts.ts'

const AT = { workspaceId: 'T1', channelId: 'C1' }
const PAUSED = { workspaceId: 'T1', kind: 'watch.paused', key: 'C1' }
const HOUR_MS = 3_600_000
/** How Slack can fail to post a message, and whether the message was posted anyway. */
const TROUBLE = {
  fails: { error: 'An API error occurred: internal_error', isPosted: false },
  'loses its response': { error: 'A request error occurred: socket hang up', isPosted: true },
  'lost the token': { error: 'An API error occurred: invalid_auth', isPosted: false },
  'does not know the person': { error: 'An API error occurred: user_not_found', isPosted: false },
} as const

/** A channel with one watch per owner, which are paused together. */
async function startPaused({ url, keys }: { url: string; keys: string }, owners: readonly string[]) {
  await using started = new AsyncDisposableStack()
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
  const store = started.use(await openStore({ url, keys, clock: () => new Date(clock.now) }))
  const { watches } = store.watching
  for (const ownerId of owners)
    await watches.add({
      ...AT,
      environment: 'production',
      filter: ALL_CHECKS,
      afterBadPolls: 1,
      notify: 'once',
      reminderHours: 0,
      ownerId,
      madeAt: new Date(clock.now),
    })
  const notified: { to: string; mark: string | undefined }[] = []
  /** How the next message to a person fails. */
  const trouble = new Map<string, (typeof TROUBLE)[keyof typeof TROUBLE]>()
  const poster = {
    ...createChannels().poster,
    async direct(
      _place: unknown,
      to: string,
      _message: unknown,
      { mark }: { mark?: string | undefined } = {},
    ) {
      const meets = trouble.get(to)
      trouble.delete(to)
      if (!meets || meets.isPosted) notified.push({ to, mark })
      if (meets) throw new Error(meets.error)
      return { channelId: `D${to}`, ts: String(notified.length) }
    },
    async findDirect(_place: unknown, to: string, sent: { mark: string }) {
      const index = notified.findIndex((one) => one.to === to && one.mark === sent.mark)
      return index < 0 ? undefined : { channelId: `D${to}`, ts: String(index + 1) }
    },
  }
  const kind = pausedWork({
    watching: store.watching,
    steps: store.recordedSteps,
    keeping: createPostParts(store, poster),
    renderer: modelRenderer,
  })
  async function runUntilDone(): Promise<void> {
    for (let run = 0; run < 5; run += 1) {
      clock.now += HOUR_MS
      const work = await store.work.claim(PAUSED, 'me')
      if (!work) return
      await store.work.release(work.id, 'me', await kind.run(trackLeasedWork('me').add(work)))
    }
    throw new Error('The work is not done after 5 runs.')
  }
  const everything = started.move()
  return {
    trouble,
    notified: () => notified.map(({ to }) => to),
    pause: () => watches.pause(AT.workspaceId, AT.channelId, 'archived', new Date(clock.now)),
    resume: () => watches.resume(AT.workspaceId, AT.channelId, new Date(clock.now)),
    runUntilDone,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

it.each(
  SHARED_DATABASES.flatMap((one) => Object.entries(TROUBLE).map(([what, how]) => ({ ...one, what, how }))),
)(
  'notifies each owner once although Slack $what for one of them, with $name',
  async ({ start, how, what }) => {
    await using database = await start()
    await using paused = await startPaused(database, ['UA', 'UB', 'UC'])
    await paused.pause()
    paused.trouble.set('UB', how)
    await paused.runUntilDone()
    const reached = what === 'does not know the person' ? ['UA', 'UC'] : ['UA', 'UB', 'UC']
    expect(paused.notified().toSorted()).toEqual(reached)
  },
)

it.each(SHARED_DATABASES)('notifies owners of the next pause too, with $name', async ({ start }) => {
  await using database = await start()
  await using paused = await startPaused(database, ['UA', 'UB'])
  for (let time = 1; time <= 2; time += 1) {
    await paused.pause()
    await paused.runUntilDone()
    await paused.resume()
  }
  expect(paused.notified().toSorted()).toEqual(['UA', 'UA', 'UB', 'UB'])
})
