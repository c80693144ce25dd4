import { pause } from '@signalman/runtime'
import { describe, expect, it, vi } from 'vitest'
import type { Store } from '../../../../src/app/store.ts'
import { checkKey } from '../../../../src/bot/audit/hold-check.ts'
import { CHANGES_KIND } from '../../../../src/features/health-checks/many/job.ts'
import { type Deployment, startDeployment, WORKSPACE } from '../../../acts/deployment.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { createBrowser, startUninstalledWorld } from '../../../slack-installation.ts'

const FLEET = ['web-1', 'web-2', 'web-3']
const CHANGED = /^Changed 3 health checks\./m

/** Takes the locks of these checks, and renews them like a process that writes to the checks. Returns what releases them. */
async function holdAll({ checkLocks }: Store, address: string, uuids: readonly string[]) {
  const ended = new AbortController()
  const holding = uuids.map((uuid) => {
    const taken = Promise.withResolvers<void>()
    const options = { maxInFlightMs: 1000, waitMs: 0, mayStillRun: () => false }
    const held = checkLocks.hold(checkKey({ address }, uuid), options, async (renew) => {
      taken.resolve()
      for (; !ended.signal.aborted; await pause(50, ended.signal)) await renew()
    })
    return { taken: taken.promise, held }
  })
  await Promise.all(holding.map(({ taken }) => taken))
  return async () => {
    ended.abort()
    await Promise.all(holding.map(({ held }) => held))
  }
}

/** The locks that somebody has. */
const listLocks = ({ postAttempts }: Store) => postAttempts.listPending('', 'lock ')

/** Waits until a process runs the job, for the nth time. */
const untilRunning = ({ work }: Store, attempts: number) =>
  expect.poll(() => work.listOpen(WORKSPACE, [CHANGES_KIND])).toMatchObject([{ state: 'running', attempts }])

describe.each(eitherOf(SHARED_DATABASES))(
  'a change whose checks somebody else writes to, on $name',
  ({ start }) => {
    const startFleet = async ({ service }: Pick<Deployment, 'service'>) => {
      const uuids: string[] = []
      for (const name of FLEET) uuids.push(await service.addCheck({ name }))
      return uuids
    }

    it('goes on in another process if its own is killed while it waits, or while it has their locks', async () => {
      await using database = await start()
      await using deployment = await startDeployment(database)
      const { slack, service, store } = deployment
      const { member } = slack
      await deployment.start()
      const uuids = await startFleet(deployment)
      const preview = await member.command('/hc', 'edit web-* --frequency 30')
      const release = await holdAll(store, new URL(deployment.serviceUrl).origin, uuids)
      await service.clearRequests()
      await member.click(preview.message, 'Change 3', { until: 'Started.' })
      await untilRunning(store, 1)
      await deployment.kill('first')
      expect(await service.requests()).toEqual([])
      await service.faults({ method: 'GET', path: '/healthcheck', kind: 'hold' })
      await deployment.start()
      await untilRunning(store, 2)
      await release()
      // Now it has the locks, and reads.
      await expect.poll(async () => (await service.requests('GET')).length).toBeGreaterThan(0)
      await deployment.kill('first')
      await service.faults()
      await deployment.start()
      const readDms = async () => (await member.messages('dm')).map(({ text }) => text).join('\n')
      await expect.poll(readDms).toMatch(CHANGED)
      await deployment.waitUntilSettled()
      expect(await service.requests('PUT')).toHaveLength(3)
      expect(await listLocks(store)).toEqual([])
    })

    it('sends nothing if its workspace uninstalls the app meanwhile, and ends', async () => {
      await using database = await start()
      await using world = await startUninstalledWorld({
        environment: { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys },
        workTimes: { leaseMs: 300, maxInFlightMs: 60_000 },
      })
      const { service, app, slack } = world
      const [team, admin] = ['T0WORKSHOP', slack.user('U0WSADMIN1')]
      await createBrowser().install(world, `${team} ${admin.id}`)
      await admin.command('/hc', 'connect')
      await admin.submit({ Token: world.sandbox.token }, { until: /stored/ })
      await admin.close({ all: true })
      const uuids = await startFleet(world)
      const preview = await admin.command('/hc', 'edit web-* --frequency 30')
      const release = await holdAll(app.store, new URL(world.sandbox.productionUrl).origin, uuids)
      const hold = vi.spyOn(app.store.checkLocks, 'hold')
      await service.clearRequests()
      await admin.click(preview.message, 'Change 3', { until: 'Started.' })
      await expect.poll(() => hold.mock.results.length).toBe(3)
      await slack.uninstall(team)
      // Its process learns that the job is gone, and gives up the wait, although nobody has released the locks.
      const waits = await Promise.allSettled(hold.mock.results.map(({ value }) => value as Promise<unknown>))
      expect(waits).toMatchObject(FLEET.map(() => ({ status: 'rejected', reason: { name: 'AbortError' } })))
      await release()
      expect(await listLocks(app.store)).toEqual([])
      expect(await service.requests()).toEqual([])
    })
  },
)
