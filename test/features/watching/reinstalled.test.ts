import type { Message } from '@signalman/playground'
import { expect, it } from 'vitest'
import { createBrowser, startUninstalledWorld } from '../../slack-installation.ts'
import { untilPolled } from './watched-world.ts'

const TEAM = 'T0WORKSHOP'
const ADMIN = 'U0WSADMIN1'

it('a card of an installation that was removed takes nothing, and a new watch adopts what is still down', async () => {
  await using world = await startUninstalledWorld({ workTimes: { pollMs: 50 }, watchEveryMs: 100 })
  const { slack, service } = world
  const browser = createBrowser()
  const admin = slack.user(ADMIN)
  async function install(): Promise<void> {
    await browser.install(world, `${TEAM} ${ADMIN}`)
    await admin.command('/hc', 'connect')
    await admin.submit({ Token: world.sandbox.token }, { until: /stored/ })
    await admin.close({ all: true })
  }
  const watch = async () => (await admin.command('/hc', 'watch web*', { channel: 'general' })).text
  async function findCard(text: string): Promise<Message | undefined> {
    const { channels, messages } = await admin.state()
    const channelId = channels.find(({ name }) => name === 'general')?.id ?? ''
    return messages[channelId]?.find((message) => !message.ephemeral && message.text.includes(text))
  }
  await install()
  await watch()
  // A check that is down at the first poll isn't reported.
  await untilPolled(world, TEAM)
  const uuid = await service.addCheck({ name: 'web', status: 'UNHEALTHY', target: 'shop.example.com' })
  await expect.poll(() => findCard('web is down')).toBeDefined()
  const card = await findCard('web is down')
  await slack.uninstall(TEAM)
  await install()
  expect((await admin.click(card, 'I’m on it')).text).toContain(
    'This card is no longer stored. Nothing was changed.',
  )
  expect(await watch()).toContain('Already down, so not posted now: web. I’ll post when it’s up again.')
  await service.setStatus(uuid, 'HEALTHY')
  await expect.poll(() => findCard('web is up again')).toBeDefined()
  expect((await findCard('web is down'))?.ts).toBe(card?.ts)
})
