import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { startLatePolls } from '../../../../src/features/watching/polling/late-polls.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { createLog } from '../../../../src/log.ts'
import { makeFolder, SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { WITHOUT_LAME_DUCK } from '../../../world.ts'
import { writeFromOutside } from '../../../write-from-outside.ts'
import { startWatchedWorld, untilPolled, untilPosted, WAIT_TIMEOUT_MS } from '../watched-world.ts'

const WATCH = {
  workspaceId: 'T1',
  channelId: 'C1',
  environment: 'production',
  filter: ALL_CHECKS,
  afterBadPolls: 1,
  notify: 'once',
  reminderHours: 0,
  ownerId: 'U1',
  madeAt: new Date(),
} as const

describe.each(eitherOf(SHARED_DATABASES))('overdue polls, with $name', ({ start }) => {
  it.each([
    {
      condition: 'nobody leases them',
      leaseOwner: 'another',
      isReleased: true,
      dueMs: undefined,
      isUnderWay: false,
      lateCount: 1,
    },
    {
      condition: 'a dead process leases them',
      leaseOwner: 'a dead process',
      dueMs: undefined,
      isUnderWay: false,
      lateCount: 1,
    },
    {
      condition: 'another live process leases them',
      leaseOwner: 'another',
      dueMs: undefined,
      isUnderWay: false,
      lateCount: 0,
    },
    {
      condition: 'this process leases them and hasn’t started them',
      leaseOwner: 'me',
      dueMs: 0,
      isUnderWay: false,
      lateCount: 1,
    },
    { condition: 'this process is running them', leaseOwner: 'me', dueMs: 0, isUnderWay: true, lateCount: 0 },
    {
      condition: 'this process has run them, but not saved them',
      leaseOwner: 'me',
      dueMs: 3_600_000,
      isUnderWay: false,
      lateCount: 0,
    },
  ])(
    'give a late count of $lateCount if $condition',
    async ({ leaseOwner, isReleased, dueMs, isUnderWay, lateCount }) => {
      await using database = await start()
      await using store = await openStore(database)
      await store.watching.watches.add(WATCH)
      if (leaseOwner !== 'a dead process') await store.processes.heartbeat(leaseOwner)
      const claimed = await store.work.claimDue(leaseOwner, [WATCH_WORK.poll], 9)
      expect(claimed).toHaveLength(1)
      if (isReleased) await store.work.release(claimed[0]?.id ?? '', leaseOwner, { state: 'done' })
      let overdueQueries = 0
      const { polls } = store.watching
      const scope = { workspaceId: 'T1', environment: 'production' } as const
      const ownScope = { scope, isUnderWay, isFailing: false, unsavedPoll: undefined }
      const ownScopes = dueMs === undefined ? [] : [['T1 production', { ...ownScope, dueMs }] as const]
      using latePolls = startLatePolls({
        polls: {
          ...polls,
          async listOverdue() {
            overdueQueries += 1
            return polls.listOverdue()
          },
        },
        leased: new Map([['work ID', new Map(ownScopes)]]),
        intervalMs: 10,
        minLateMs: 0,
        wake: () => undefined,
        log: createLog('silent'),
      })
      const isBlind = async () =>
        (await store.watching.history.findPollStatus('T1', 'production'))?.unseen !== undefined
      if (lateCount > 0) await expect.poll(isBlind, { timeout: WAIT_TIMEOUT_MS }).toBe(true)
      else await expect.poll(() => overdueQueries, { timeout: WAIT_TIMEOUT_MS }).toBeGreaterThan(5)
      expect(latePolls.count()).toBe(lateCount)
      expect(await isBlind()).toBe(lateCount > 0)
    },
  )
})

it('shows overdue polls in /readyz, a metric, and a card, until the next poll', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  const { world, channelId } = await startWatchedWorld({
    environment: { DATABASE_URL: `sqlite:${file}` },
    ...WITHOUT_LAME_DUCK,
  })
  await using _world = world
  const { url } = world.app
  const readReadiness = async () => (await fetch(`${url}/readyz`)).json()
  const readMetrics = async () => (await fetch(`${url}/metrics`)).text()
  await untilPolled(world)
  expect(await readReadiness()).toMatchObject({ polls: 'ok' })
  expect(await readMetrics()).toContain('signalman_polls_late 0')
  using database = new DatabaseSync(file)
  const setPollState = (state: string) =>
    writeFromOutside(database, `update work set state = '${state}', owner = null where kind = 'watch.poll'`)
  await setPollState('stopped')
  await expect.poll(readReadiness, { timeout: WAIT_TIMEOUT_MS }).toMatchObject({ polls: 'failing' })
  expect(await readMetrics()).toContain('signalman_polls_late 1')
  const [card] = await untilPosted(world, channelId, (posts) => posts.length === 1)
  expect(card?.text).toContain('I can’t see the health checks')
  expect(card?.text).toContain('Signalman didn’t check the service in time')
  await setPollState('waiting')
  await untilPosted(
    world,
    channelId,
    ([post]) => post?.text.includes('I can see the health checks again') ?? false,
  )
  await expect.poll(readReadiness, { timeout: WAIT_TIMEOUT_MS }).toMatchObject({ polls: 'ok' })
  expect(await readMetrics()).toContain('signalman_polls_late 0')
})
