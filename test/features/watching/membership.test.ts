import { expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import { startWatchedWorld } from './watched-world.ts'

const CHANNEL = 'C0OPERATNS'
const NOT_IN_IT = 'You aren’t in that channel'

it('lets nobody change what a channel watches or mutes in which they aren’t', async () => {
  const options = { checks: [{ name: 'web-1' }], access: 'closed' } as const
  const { world, watch } = await startWatchedWorld(options, { channelId: CHANNEL })
  await using _ = world
  const { member, admin } = world.slack
  await admin.command('/hc', 'grant <@U0MEMBER01> operator', { channel: 'general', until: 'operator' })
  await member.leave('operations')
  await admin.command('/hc', 'mute web-* 2h', { channel: 'operations', until: 'Muted' })
  const { watches, silences } = world.app.store.watching
  const [silence] = await silences.list(WORKSPACE, new Date())
  for (const line of [
    `watch web-* --channel ${CHANNEL}`,
    `watch all --replace ${watch.id} --after 2`,
    `watch-edit ${watch.id}`,
    `watch-resume ${CHANNEL}`,
    `unwatch --id ${watch.id}`,
    `unwatch all --channel ${CHANNEL}`,
    `mute web-* 2h --channel ${CHANNEL}`,
    `maintenance web-* --from now --for 2h --channel ${CHANNEL}`,
    `unmute ${silence?.id}`,
  ]) {
    const answer = await member.command('/hc', line, { channel: 'general', until: /\S/ })
    expect([line, answer.text]).toEqual([line, expect.stringContaining(NOT_IN_IT)])
  }
  expect(await watches.list(WORKSPACE)).toHaveLength(1)
  expect(await silences.list(WORKSPACE, new Date())).toHaveLength(1)
  // Admins may end what nobody else can.
  await admin.leave('operations')
  await admin.command('/hc', `unwatch --id ${watch.id}`, { channel: 'general', until: 'Ended 1 watch' })
})
