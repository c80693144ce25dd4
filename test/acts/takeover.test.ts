import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf } from '../long.ts'
import { CHECK_ACTS } from './check-acts.ts'
import { startDeployment } from './deployment.ts'
import { addPairs } from './people.ts'

const CHECKS = '/healthcheck/v1/healthchecks'
const WINDOWS = CHECK_ACTS.filter(({ name }) => /^(?:create|edit|delete)$|alert$/.test(name))

/** Which checks are being read: their UUIDs, and `` for the list. */
const listRead = (requests: readonly { path: string }[]): Set<string> =>
  new Set(requests.map(({ path }) => path.slice(CHECKS.length).split(/[/?]/)[1] ?? ''))

it.each(eitherOf(SHARED_DATABASES))(
  'takes over what windows asked for with the default timeouts if the process dies while it reads before the requests, on $name',
  async ({ start }) => {
    await using database = await start()
    await using deployment = await startDeployment(database, { script: 'src/cli/signalman.ts' })
    await Promise.all([deployment.start(), deployment.start()])
    const { service } = deployment
    const pairs = await addPairs(deployment, WINDOWS.length)
    const acts = await Promise.all(
      pairs.map(async (pair, index) => {
        const kind = WINDOWS[index]
        if (!kind) throw new Error('There are more people than windows.')
        return { name: kind.name, pair, act: await kind.prepare(pair, `api-${index}`) }
      }),
    )
    await service.clearRequests()
    await service.faults({ method: 'GET', path: CHECKS, kind: 'hold' })
    await Promise.all(acts.map(({ act }) => act.send()))
    await expect.poll(async () => listRead(await service.requests('GET')).size).toBe(WINDOWS.length)
    await deployment.kill('first')
    await service.faults()
    const outcomes = await Promise.all(
      acts.map(async ({ name, pair, act }) => {
        const readViews = async () => JSON.stringify(await pair.slack.member.views())
        await expect.poll(readViews).toMatch(act.donePattern)
        return `${name}: ${await act.readEffect('')}`
      }),
    )
    expect(outcomes).toEqual(WINDOWS.map(({ name }) => `${name}: done`))
    // Creating a check and adding an alert.
    expect(await service.requests('POST')).toHaveLength(2)
  },
)
