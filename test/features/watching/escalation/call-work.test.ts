import { expect, it } from 'vitest'
import { createHoldings } from '../../../../packages/durable/src/engine/held-work.ts'
import type { Work } from '../../../../packages/durable/src/work/work-row.ts'
import { when } from '../../../../packages/slack/src/blocks/dates.ts'
import type { Message } from '../../../../packages/slack/src/blocks/message.ts'
import type { OnePost } from '../../../../src/bot/posts/post-once.ts'
import { callWork } from '../../../../src/features/watching/escalation/call-work.ts'
import {
  PATIENCE_MS,
  startWatchedWorld,
  untilPolled,
  untilPolledAgain,
  untilPosted,
} from '../watched-world.ts'

it('calls a user group in the thread of what nobody is on, and nobody once somebody is', async () => {
  const group = { name: '@on-call', id: 'S0ONCALL01', isGroup: true }
  const { world, channelId } = await startWatchedWorld(
    { checks: [{ name: 'web-1', status: 'HEALTHY' }] },
    {
      escalation: [
        { afterMs: 50, call: [group] },
        { afterMs: 3_600_000, call: [{ name: '@admin', id: 'U0ADMIN001' }] },
      ],
    },
  )
  await using _world = world
  const { member } = world.slack
  await untilPolled(world)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
  const [down] = await untilPosted(world, channelId, (posts) => posts.length === 1)
  const called = async () => {
    const { messages } = await member.state()
    return (messages[channelId] ?? []).filter(
      ({ threadTs, text }) => threadTs === down?.ts && text.includes('Nobody has been on it'),
    )
  }
  await expect.poll(called, { timeout: PATIENCE_MS }).toHaveLength(1)
  const [call] = await called()
  expect(call?.text).toMatch(
    /^<!subteam\^S0ONCALL01> Nobody has been on it for .*: web-1 has been down since/,
  )
  const [next] = await untilPosted(
    world,
    channelId,
    ([post]) => /Called next: @\W*admin/.test(post?.text ?? '') === true,
  )
  await member.click(next, 'I’m on it', { until: 'You are on it' })
  const [taken] = await untilPosted(
    world,
    channelId,
    ([post]) => post?.text.includes('On it: member') ?? false,
  )
  expect(taken?.text).not.toContain('Called next')
  expect(await called()).toHaveLength(1)
})

it('tells one person alone: watched, called off and muted in their direct messages', async () => {
  const { world } = await startWatchedWorld({ checks: [{ name: 'web-1', status: 'HEALTHY' }] })
  await using _world = world
  const { member } = world.slack
  const { watches } = world.app.store.watching
  const own = async () =>
    (await watches.list('T0PLAYGRND')).filter(({ channelId }) => channelId.startsWith('D'))
  // Alone it would be everything, which nobody may have meant: the window asks here too.
  const window = await member.command('/hc', 'watch --me')
  expect(window.text).toContain('You are told, in your direct messages')
  await member.close({ all: true })
  await member.command('/hc', 'watch web-* --me', { until: 'you alone are told' })
  expect(await own()).toHaveLength(1)
  const [place = { channelId: '' }] = await own()
  const dm = { channel: place.channelId }
  expect((await member.command('/hc', 'watches', dm)).text).toMatch(/Watched:\W+web-\*/)
  await untilPolledAgain(world, 1)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.hold(check?.uuid ?? '', 'UNHEALTHY')
  const said = async () => (await member.messages('dm')).map(({ text }) => text).join('\n')
  await expect.poll(said, { timeout: PATIENCE_MS }).toContain('🔴 web-1 is down')
  await member.command('/hc', 'unwatch web-*', { ...dm, until: 'Ended 1 watch' })
  expect(await own()).toEqual([])
})

/** What becomes of a step that was begun, and over which its process died. */
async function goneOnWith(isQuiet: boolean, environment = 'production') {
  const did: string[] = []
  const said: string[] = []
  const at = new Date(60_000)
  const alone = {
    place: { workspaceId: 'T1', channelId: 'C1', environment },
    ts: '1.0',
    since: new Date(0),
    down: isQuiet
      ? []
      : [{ check: { uuid: 'a', name: 'shop' }, status: 'UNHEALTHY', startedAt: new Date(45_000) }],
    begun: { afterMs: 60_000, at, call: [{ name: '@ann', id: 'U1' }] },
    isQuiet,
  }
  // What the way to a call does not look at is left out.
  const parts = {
    watching: { calls: { find: async () => alone, told: async () => void did.push('told') } },
    keeping: {
      mayPost: async () => 'yes',
      poster: { reply: async (_place: unknown, _ts: unknown, { text }: Message) => void said.push(text) },
      async postOnce(_held: unknown, { record, send }: Pick<OnePost, 'record' | 'send'>) {
        did.push('called')
        await send({ mark: 'm', beforeRequest: () => undefined })
        await record({ channelId: 'C1', ts: '2.0' }, 1)
        return { posted: { channelId: 'C1', ts: '2.0' }, isFound: false }
      },
    },
  } as unknown as Parameters<typeof callWork>[0]
  const held = createHoldings('me').hold({ workspaceId: 'T1', key: 'card', attempts: 1 } as Work)
  return { end: await callWork(parts).run(held), did, said }
}

it('says since when what is down now is down', async () => {
  const since = when(new Date(45_000))
  expect((await goneOnWith(false)).said).toEqual([
    expect.stringContaining(`Nobody has been on it for 1 min: shop has been down since ${since}.`),
  ])
  // Whoever is called at night reads at once that it is the test environment.
  expect((await goneOnWith(false, 'ote')).said).toEqual([
    expect.stringContaining(`: shop (OTE) has been down since ${since}.`),
  ])
})

it('calls people once it is gone on with, but not about what came up or was muted since', async () => {
  expect((await goneOnWith(false)).did).toEqual(['called', 'told'])
  const { end, did } = await goneOnWith(true)
  expect(did).toEqual([])
  expect(end).toMatchObject({ state: 'waiting', dueInMs: 60_000 })
})
