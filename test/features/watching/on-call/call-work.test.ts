import { expect, it } from 'vitest'
import { createModel } from '../model/model.ts'
import { createFakeReachability } from '../reachable-people.ts'
import {
  startWatchedWorld,
  untilPolled,
  untilPolledAgain,
  untilPosted,
  WAIT_TIMEOUT_MS,
} from '../watched-world.ts'

it('pages a user group in the card’s thread, and stops paging once someone is on it', async () => {
  const group = { name: '@on-call', id: 'S0ONCALL01', isGroup: true }
  const { world, channelId } = await startWatchedWorld(
    { checks: [{ name: 'web-1', status: 'HEALTHY' }] },
    {
      escalation: [
        { afterMs: 50, responders: [group] },
        { afterMs: 3_600_000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] },
      ],
    },
  )
  await using _world = world
  const { member } = world.slack
  await untilPolled(world)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const [down] = await untilPosted(world, channelId, (posts) => posts.length === 1)
  const listPages = async () => {
    const { messages } = await member.state()
    return (messages[channelId] ?? []).filter(
      ({ threadTs, text }) => threadTs === down?.ts && text.includes('Nobody has been on it'),
    )
  }
  await expect.poll(listPages, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
  const [page] = await listPages()
  expect(page?.text).toMatch(
    /^<!subteam\^S0ONCALL01> Nobody has been on it for .*: web-1 has been down since/,
  )
  const [pagedNext] = await untilPosted(world, channelId, ([post]) =>
    /Paged next: @\W*admin/.test(post?.text ?? ''),
  )
  await member.click(pagedNext, 'I’m on it', { until: 'You’re on it' })
  const [acknowledged] = await untilPosted(
    world,
    channelId,
    ([post]) => post?.text.includes('On it: member') ?? false,
  )
  expect(acknowledged?.text).not.toContain('Paged next')
  expect(await listPages()).toHaveLength(1)
})

it('lets a person watch health checks in their direct messages', async () => {
  const { world } = await startWatchedWorld({ checks: [{ name: 'web-1', status: 'HEALTHY' }] })
  await using _world = world
  const { member } = world.slack
  const { watches } = world.app.store.watching
  const listOwnWatches = async () =>
    (await watches.list('T0PLAYGRND')).filter(({ channelId }) => channelId.startsWith('D'))
  // Without other arguments, the command would watch everything, so Signalman opens a modal.
  const form = await member.command('/hc', 'watch --me')
  expect(form.text).toContain('Signalman posts in your direct messages')
  await member.close({ all: true })
  await member.command('/hc', 'watch web-* --me', { until: 'You now watch in your direct messages' })
  expect(await listOwnWatches()).toHaveLength(1)
  const [ownWatch = { channelId: '' }] = await listOwnWatches()
  const dm = { channel: ownWatch.channelId }
  expect((await member.command('/hc', 'watches', dm)).text).toMatch(/Watched:\W+web-\*/)
  await untilPolledAgain(world, 1)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const readDms = async () => (await member.messages('dm')).map(({ text }) => text).join('\n')
  await expect.poll(readDms, { timeout: WAIT_TIMEOUT_MS }).toContain('🔴 web-1 is down')
  await member.command('/hc', 'unwatch web-*', { ...dm, until: 'Ended 1 watch' })
  expect(await listOwnWatches()).toEqual([])
})

it.each([
  {
    name: 'pages the owner if nobody in the step can be notified',
    unreachable: ['U2'],
    start: '<@U1> Nobody has been on it for 5 min',
    end: /Slack can’t notify @\W*bob, who is deactivated, so this pages the owner of the watch\.$/,
  },
  { name: 'pages nobody else if someone can be notified', unreachable: ['U3'], start: '<@U2> Nobody' },
  {
    name: 'pages an admin in a DM if the owner can’t be notified either',
    unreachable: ['U1', 'U2'],
    to: 'UADMIN',
    start: '<@UADMIN> Nobody has been on it for 5 min',
    end: /Slack can’t notify @\W*bob, who is deactivated, so this pages an admin\.$/,
  },
])('$name', async ({ unreachable, start, end = /escalation\.$/, to }) => {
  await using model = await createModel({
    reachability: createFakeReachability(
      (id) => (unreachable.includes(id) ? 'is deactivated' : undefined),
      ['UADMIN'],
    ),
  })
  await model.watch(0, 0, 1, {
    escalation: [{ afterMs: 5 * 60_000, responders: [{ name: '@bob', id: 'U2' }] }],
  })
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(8)
  const inThread = [...model.channels.threads.values()].map(({ text }) => text)
  const direct = model.channels.direct.map((sent) => sent.text)
  const [page = '', ...others] = to ? direct : inThread
  expect(others).toEqual([])
  expect(to ? inThread : direct).toEqual([])
  if (to) expect(model.channels.direct.map((sent) => sent.to)).toEqual([to])
  expect(page.startsWith(start)).toBe(true)
  expect(page).toMatch(end)
})

it('uses up no step while nobody can be paged, and pages as soon as someone can', async () => {
  let isAnyoneReachable = false
  await using model = await createModel({
    reachability: createFakeReachability(() => (isAnyoneReachable ? undefined : 'is deactivated')),
  })
  await model.watch(0, 0, 1, {
    escalation: [{ afterMs: 5 * 60_000, responders: [{ name: '@bob', id: 'U2' }] }],
  })
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(20)
  expect([...model.channels.threads.values()]).toEqual([])
  isAnyoneReachable = true
  await model.passWithoutFaults(10)
  expect([...model.channels.threads.values()].map(({ text }) => text)).toEqual([
    expect.stringContaining('<@U2> Nobody has been on it'),
  ])
})
