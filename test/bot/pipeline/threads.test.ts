import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'
import { requestOrder, startOrders } from '../../features/cert-orders/order-helpers.ts'
import { createThreatEvent } from '../../features/threats/events.ts'
import { bringDown } from '../../features/watching/watched-world.ts'
import type { World } from '../../world.ts'

const CHANNEL = 'C0GENERAL1'
const EVENTS = ['3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d', '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0e']

/** The messages that everybody in the channel reads, with this text. */
const findPosts = async ({ slack }: World, part: string) =>
  (await slack.admin.state()).messages[CHANNEL]?.filter(
    ({ app, ephemeral, text, blocks }) =>
      app && !ephemeral && `${text}${JSON.stringify(blocks)}`.includes(part),
  ) ?? []

const LINES = ['anything new here?', 'why did the check fail', 'on it', 'looks like somebody broke it again']

it('what isn’t read in the thread of an order or a threat case is about that one, as it is now', async () => {
  await using world = await startOrders(
    { channelId: CHANNEL },
    { checks: [{ name: 'web' }, { name: 'shop' }] },
  )
  const { admin, member } = world.slack
  const ask = async (line: string, threadTs: string) =>
    (await (await admin.say(`@signalman ${line}`, { channel: 'general', threadTs })).answer()).message
  for (const domain of ['one.example', 'two.example'])
    await requestOrder(member, { csr: makeCsr({ names: [domain] }) })
  for (const [at, id] of EVENTS.entries()) {
    await world.service.storeThreat(id, createThreatEvent(`phish-${at}.example`))
    await member.command('/threat', `${id} --share --yes`, { channel: 'general', until: 'Shared by' })
  }
  // What was understood opens the window of what was meant.
  for (const line of ['approve 1', 'approve 1 please']) {
    const { view } = await admin.command('/cert-order', line, { until: (answer) => Boolean(answer.view) })
    expect(readText(view)).toContain('one.example')
    await admin.close({ all: true })
  }
  await bringDown(world, 'web')
  for (const [about, others, button] of [
    ['one.example', 'two.example', 'Reject'],
    ['two.example', 'one.example', 'Reject'],
    [EVENTS[0] ?? '', EVENTS[1] ?? '', 'Take'],
    [EVENTS[1] ?? '', EVENTS[0] ?? '', 'Take'],
  ] as const) {
    const [post] = await findPosts(world, about)
    for (const line of LINES) {
      const message = await ask(line, post?.ts ?? expect.fail(about))
      expect(readText(message)).toContain(about)
      expect(readText(message)).not.toContain(others)
      expect(JSON.stringify(message?.blocks)).toContain(button)
      expect(readText(message)).not.toMatch(/No health check|isn’t a command|whether a health check is up/)
    }
  }
  // As it is now, also if it was decided elsewhere.
  await member.command('/cert-order', 'withdraw 1', { until: /ithdrawn/ })
  const [first] = await findPosts(world, 'one.example')
  expect(readText(await ask('and now?', first?.ts ?? ''))).toMatch(/ithdrawn/)
})
