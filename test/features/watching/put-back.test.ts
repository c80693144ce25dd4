import { expect, it } from 'vitest'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { bringDown, CHANNEL, untilText } from './watched-world.ts'

const listDms = async ({ slack }: World) =>
  Object.entries((await slack.member.state()).messages).flatMap(([id, all]) =>
    id.startsWith('D') ? all : [],
  )

it('still watches and mutes a health check that was deleted and put back with “Go back…”', async () => {
  const checks = ['shop-1', 'shop-2', 'mail'].map((name) => ({ name, target: '127.0.0.1' }))
  await using world = await startWorld({ checks, workTimes: { pollMs: 100 }, watchEveryMs: 200 })
  const { member } = world.slack
  const { watching } = world.app.store
  const say = (line: string, until: string) => member.command('/hc', line, { channel: CHANNEL, until })
  await say('watch shop-1', 'now watches')
  await say('watch shop-2', 'now watches')
  await say('mute shop-2 2h', 'Muted')
  const asked = await say('delete shop-*', 'Delete 2')
  await member.click(asked.message, 'Delete 2', { until: 'Started.' })
  const findEnd = async () => (await listDms(world)).find(({ text }) => text.includes('Deleted 2'))
  await expect.poll(findEnd).toBeDefined()
  const preview = await member.click(await findEnd(), 'Go back…', { until: 'Create 2' })
  await member.click(preview.message ?? preview.view, 'Create 2', { until: /Saved\.|Started\./ })
  const findUuids = async () =>
    (await Promise.all(['shop-1', 'shop-2'].map((name) => world.service.checksNamed(name)))).flatMap(
      (found) => found.map(({ uuid }) => uuid),
    )
  await expect.poll(async () => (await findUuids()).length).toBe(2)
  const [first = '', second = ''] = await findUuids()
  const listWatched = async () =>
    (await watching.watches.list(WORKSPACE)).flatMap(({ filter }) =>
      filter.include.map(({ pattern }) => pattern),
    )
  await expect.poll(listWatched).toEqual([first, second])
  expect(await watching.silences.list(WORKSPACE, new Date())).toMatchObject([{ subject: { uuid: second } }])
  await bringDown(world, 'shop-2')
  await bringDown(world, 'shop-1')
  expect((await untilText(world, 'C0GENERAL1', 'shop-1 is down'))?.text).not.toContain('shop-2')
})
