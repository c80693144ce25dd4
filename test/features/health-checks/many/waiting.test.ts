import { pause } from '@signalman/runtime'
import { describe, expect, it, vi } from 'vitest'
import type { Store } from '../../../../src/app/store.ts'
import { checkKey } from '../../../../src/bot/audit/hold-check.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { createBrowser, startUninstalledWorld } from '../../../slack-installation.ts'
import type { World } from '../../../world.ts'

const FLEET = ['web-1', 'web-2', 'web-3']

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

describe.each(eitherOf(SHARED_DATABASES))(
  'a change whose checks somebody else writes to, on $name',
  ({ start }) => {
    const startFleet = async ({ service }: Pick<World, 'service'>) => {
      const uuids: string[] = []
      for (const name of FLEET) uuids.push(await service.addCheck({ name }))
      return uuids
    }

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
