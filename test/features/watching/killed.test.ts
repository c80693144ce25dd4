import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connect, startProcessWorld } from '../../process-world.ts'

it('posts one card although the process is killed before it knows that the card was posted', async () => {
  await using world = await startProcessWorld('bin/signalman.cjs')
  Object.assign(world.env, { WATCH_INTERVAL_SECONDS: '10' })
  const first = await world.start()
  await connect(world)
  const uuid = await world.service.addCheck({ name: 'web-1', status: 'HEALTHY' })
  await world.slack.admin.command('/hc', 'watch all', { channel: 'general', until: 'now watches' })
  const readCards = async () =>
    (await world.slack.admin.messages('general')).filter(
      ({ app, ephemeral, deleted, text }) => app && !ephemeral && !deleted && text.includes('web-1'),
    )
  const readReplies = async () =>
    (await readCards()).filter(({ ts, threadTs }) => threadTs && threadTs !== ts)
  await world.slack.faults({ method: 'chat.postMessage', kind: 'drop-reply', times: 1 })
  await world.service.setStatus(uuid, 'UNHEALTHY')
  await expect.poll(async () => (await readCards()).length, { timeout: 60_000 }).toBe(1)
  first.app.child.kill('SIGKILL')
  await world.service.setStatus(uuid, 'HEALTHY')
  await world.start()
  await expect
    .poll(async () => (await readCards()).map(({ text }) => text).join(), { timeout: 90_000 })
    .toContain('web-1 is up again')
  await expect.poll(async () => (await readReplies()).length, { timeout: 60_000 }).toBe(1)
  await pause(3000)
  expect(await readCards()).toHaveLength(2)
  expect(await readReplies()).toHaveLength(1)
}, 180_000)
