import { expect, it } from 'vitest'
import { readHomeWatches } from '../../../src/features/watching/read-watches.ts'
import { WORKSPACE } from '../../world.ts'
import { startWatchedWorld, untilPosted } from './watched-world.ts'

const PERSON = { workspaceId: WORKSPACE, userId: 'U0MEMBER01', roles: async () => new Map(), now: new Date() }

it('lists what is down and a channel is told of, and nothing else that is down', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `api-${index}`)
  const { world, channelId } = await startWatchedWorld(
    { checks: [...names, 'web-1'].map((name) => ({ name, status: 'HEALTHY' })) },
    { filter: { include: [{ field: 'name', pattern: 'web-*' }], exclude: [] } },
  )
  await using _ = world
  const { watching } = world.app.store
  const down = async () => {
    const home = await readHomeWatches(watching, PERSON)
    return home.down.flatMap(({ outages }) => outages.map(({ check }) => check.name))
  }
  const openNames = async () =>
    (await watching.history.openPage({ workspaceId: WORKSPACE, environment: 'production' })).map(
      ({ check }) => check.name,
    )
  const bringDown = async (name: string) => {
    const [check] = await world.service.checksNamed(name)
    await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
  }
  for (const name of names) await bringDown(name)
  await expect.poll(openNames, { timeout: 20_000 }).toHaveLength(names.length)
  expect(await down()).toEqual([])
  expect((await world.slack.member.openHome()).text).toContain('Nothing that a channel is told of is down.')
  await bringDown('web-1')
  await untilPosted(world, channelId, (posts) => posts.length > 0)
  // Those that went down before it do not take its place.
  expect(await down()).toEqual(['web-1'])
  await watching.watches.pause(WORKSPACE, channelId, 'archived', new Date())
  expect(await down()).toEqual([])
})
