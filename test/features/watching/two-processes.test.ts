import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { connect, startProcessWorld } from '../../process-world.ts'

const POSTGRES = SHARED_DATABASES.find(({ name }) => name === 'PostgreSQL')

it('posts and replies once although two processes share the database, and one of them is killed', async () => {
  if (!POSTGRES) throw new Error('There is no PostgreSQL.')
  await using database = await POSTGRES.start()
  await using world = await startProcessWorld('bin/signalman.cjs')
  const settings = {
    WATCH_INTERVAL_SECONDS: '10',
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: database.keys,
  }
  Object.assign(world.env, settings)
  const first = await world.start()
  const second = await world.start()
  await connect(world)
  const uuids = [
    await world.service.addCheck({ name: 'web-1', status: 'HEALTHY' }),
    await world.service.addCheck({ name: 'web-2', status: 'HEALTHY' }),
  ]
  await world.slack.admin.command('/hc', 'watch all', { channel: 'general', until: 'now watches' })
  const read = async (part: string) =>
    (await world.slack.admin.messages('general')).filter(
      ({ app, ephemeral, deleted, text }) => app && !ephemeral && !deleted && text.includes(part),
    )
  const until = (part: string) =>
    expect.poll(async () => (await read(part)).length, { timeout: 90_000 }).toBeGreaterThan(0)
  await world.service.setStatus(uuids[0] ?? '', 'UNHEALTHY')
  await until('web-1 is down')
  // The process that answers requests stays.
  first.app.child.kill('SIGKILL')
  await world.service.setStatus(uuids[0] ?? '', 'HEALTHY')
  await until('web-1 is up again after')
  await pause(11_000)
  expect((await read('web-1')).map(({ text }) => text.slice(0, 30))).toHaveLength(2)
  second.app.child.kill('SIGKILL')
  await world.service.setStatus(uuids[1] ?? '', 'UNHEALTHY')
  await world.start()
  await until('web-2 is down')
  await pause(3000)
  expect(await read('web-2 is down')).toHaveLength(1)
}, 240_000)
