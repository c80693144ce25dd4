import { expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import { bringDown, startWatchedWorld, untilPolled, untilText } from './watched-world.ts'

const CHANNEL = 'C0OPERATNS'
const HERE = { channel: 'operations' } as const
const HOUR = 3_600_000
const PRODUCTION = { workspaceId: WORKSPACE, environment: 'production' } as const
const ON_CALL = { name: '@on-call', id: 'S0ONCALL01', isGroup: true }

/** A watch that pages @on-call, whose only member has left the channel. */
async function startDeserted(ownerId = 'U0ADMIN001') {
  const page = [{ afterMs: HOUR, responders: [ON_CALL] }]
  const watch = { page, channelId: CHANNEL, ownerId }
  const { world } = await startWatchedWorld({ checks: [{ name: 'web-1' }, { name: 'mail' }] }, watch)
  await untilPolled(world)
  await world.slack.member.leave('operations')
  await bringDown(world, 'web-1')
  return world
}

it('says who gets a page that nobody in the channel would hear of', async () => {
  await using world = await startDeserted()
  const { admin } = world.slack
  const state = await admin.until('the card', ({ messages }) =>
    (messages[CHANNEL] ?? []).some(({ text }) => text.includes('web-1 is down')),
  )
  const card = state.messages[CHANNEL]?.find(({ text }) => text.includes('web-1 is down'))
  const DIRECT = 'Nobody in the channel can be paged: @on-call has nobody who can be notified there.'
  const asked = await admin.click(card, 'Page now', { until: 'can be paged' })
  expect(asked.text).toContain(DIRECT)
  const pressed = await admin.click(asked.message, 'Page now', { until: DIRECT })
  expect(pressed.text).toContain(', who owns the watch, gets the page in a DM.')
  const typed = await admin.command('/hc', 'page web-1', { ...HERE, until: 'can be paged' })
  expect(typed.text).toContain(DIRECT)
  const named = await admin.command('/hc', 'page web-1 @on-call', { ...HERE, until: 'notify them here' })
  expect(named.text).toContain('Slack can’t notify them here: @on-call has nobody')
})

it('marks whom a watch pages, and who owns it, if Slack can’t notify them', async () => {
  await using world = await startDeserted('U0LEFT0001')
  const { text } = await world.slack.admin.command('/hc', 'watches', { ...HERE, until: '1 watch' })
  expect(text).toMatch(
    /⚠️ @\u2060?on-call has nobody who can be notified there · set up by .*, who is deactivated ⚠️/s,
  )
})

it('names an owner of the watch only if they can get the page', async () => {
  await using world = await startDeserted('U0LEFT0001')
  const { admin } = world.slack
  await expect.poll(() => world.app.store.watching.history.listDown(PRODUCTION)).toHaveLength(1)
  const typed = await admin.command('/hc', 'page web-1', { ...HERE, until: 'can be paged' })
  expect(typed.text).toContain('An admin gets the page in a DM.')
  expect(typed.text).not.toContain('owns the watch')
})

it('pages nobody in a channel that the app was removed from, and says so', async () => {
  const page = [{ afterMs: HOUR, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }]
  const { world } = await startWatchedWorld({ checks: [{ name: 'web-1' }] }, { page })
  await using _ = world
  await bringDown(world, 'web-1')
  const card = await untilText(world, 'C0GENERAL1', 'web-1 is down')
  const { admin, faults } = world.slack
  await faults({ method: 'conversations.info', kind: 'error', error: 'channel_not_found', times: 100 })
  const pressed = await admin.click(card, 'Page now', { until: 'paged' })
  expect(pressed.text).toContain('Signalman isn’t in the channel. Nobody was paged.')
})
