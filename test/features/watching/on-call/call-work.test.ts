import { expect, it } from 'vitest'
import { createModel } from '../model/model.ts'
import { findSlackPeople } from '../reachable-people.ts'
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
  [
    'pages the owner too if nobody else can be notified',
    'U2',
    'U2',
    '<@U2> <@U1>',
    /pages the owner.*: @\W*bob is deactivated\.$/,
  ],
  ['pages nobody else if someone can be notified', 'U2', 'U3', '<@U2>', /stop escalation\.$/],
  [
    'mentions the owner once if the only person to page is the owner and can’t be notified',
    'U1',
    'U1',
    '<@U1>',
    /stop escalation\.$/,
  ],
])('%s', async (_name, responderId, deactivatedId, mentions, expectedEnd) => {
  const slackPeople = await findSlackPeople()
  await using model = await createModel({
    getSlack: async () => ({
      ...slackPeople,
      readPerson: async (personId) => ({
        ...(await slackPeople.readPerson(personId)),
        isDeactivated: personId === deactivatedId,
      }),
    }),
  })
  await model.watch(0, 0, 1, {
    escalation: [{ afterMs: 5 * 60_000, responders: [{ name: '@bob', id: responderId }] }],
  })
  await model.passMinute()
  // Signalman checks once a day whether the people to page can be notified.
  await model.jumpClock(25 * 60)
  await model.passWithoutFaults(2)
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(8)
  const [page, ...others] = [...model.channels.threads.values()].map(({ text }) => text)
  expect(others).toEqual([])
  expect(page).toMatch(new RegExp(`^${mentions} Nobody has been on it for 5 min`))
  expect(page).toMatch(expectedEnd)
})
