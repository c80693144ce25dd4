import { describe, it } from 'vitest'
import { startApp } from '../../../src/app.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf, IS_LONG } from '../../long.ts'
import { readSeed } from '../../random.ts'
import { WORKSPACE } from '../../world.ts'
import { startWatchedWorld, untilPolledAgain, untilPosted } from './watched-world.ts'

const MINUTE_MS = 60_000
const JUMPS = [
  ...[-120, -10].flatMap((minutes) => [true, false].map((isRestarted) => ({ minutes, isRestarted }))),
  ...[10, 120].flatMap((minutes) => [false, true].map((isRestarted) => ({ minutes, isRestarted }))),
]
/** A quick run makes one jump back and one forward, one of them large and one of them with a restart, on one kind of database. */
const CHOSEN_JUMPS = JUMPS.filter((_, nth) => IS_LONG || nth % 4 === readSeed() % 4)

/** Concurrent, because each test has its own world and mostly waits. */
describe.concurrent.each(eitherOf(SHARED_DATABASES))('a clock change, with $name', ({ start }) => {
  it.for(CHOSEN_JUMPS)(
    'of $minutes minutes leaves each outage on exactly one card (app restarted in the meantime: $isRestarted)',
    async ({ minutes, isRestarted }, { expect }) => {
      await using database = await start()
      const clock = { ms: 0 }
      const now = () => new Date(Date.now() + clock.ms)
      const environment = { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys }
      const { world, channelId } = await startWatchedWorld({ now, environment })
      await using resources = new AsyncDisposableStack()
      resources.use(world)
      const [first, second] = [
        await world.service.addCheck({ name: 'first', status: 'HEALTHY' }),
        await world.service.addCheck({ name: 'second', status: 'HEALTHY' }),
      ]
      await untilPolledAgain(world, 1)
      await world.service.setStatus(first, 'UNHEALTHY')
      await untilPosted(world, channelId, (posts) => posts.some(({ text }) => text.includes('first')))

      if (isRestarted) await world.app[Symbol.asyncDispose]()
      clock.ms = minutes * MINUTE_MS
      const { config } = world
      const deps = { config, log: createLog('silent'), now, workTimes: { pollMs: 50 } }
      const app = isRestarted ? resources.use(await startApp(deps)) : world.app
      await untilPolledAgain(world, 1)
      await world.service.setStatus(second, 'UNHEALTHY')
      const showsAsDown = (name: string) => {
        const line = new RegExp(`🔴 (?:Down · )?${name}\\b`)
        return ({ text }: { text: string }) => line.test(text)
      }
      const posts = await untilPosted(world, channelId, (all) => all.some(showsAsDown('second')))
      // If the clock was set back, the first card is still recent, so the second outage is added to it.
      for (const name of ['first', 'second'])
        expect(
          posts.filter(showsAsDown(name)).map(({ text }) => text),
          `cards on which ${name} is down`,
        ).toHaveLength(1)
      // The second outage starts at a time on the changed clock.
      const scope = { workspaceId: WORKSPACE, environment: 'production' } as const
      const details = await app.store.watching.readCheckDetails({
        ...scope,
        ...{ uuid: second, channelId, outageLimit: 1 },
      })
      const [outage] = details.latest
      expect(Math.abs((outage?.startedAt.getTime() ?? 0) - now().getTime())).toBeLessThan(5 * MINUTE_MS)
    },
  )
})
