import { expect, it } from 'vitest'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'

const OPERATIONS = { channel: 'general' } as const
const TIMEOUT_MS = 60_000

async function startWatched(options: WorldOptions = {}): Promise<World> {
  const world = await startWorld({
    checks: [
      { name: 'web-1', status: 'HEALTHY' },
      { name: 'web-2', status: 'HEALTHY' },
    ],
    workTimes: { pollMs: 50 },
    watchEveryMs: 200,
    ...options,
  })
  await world.slack.member.command('/hc', 'watch web-*', { ...OPERATIONS, until: 'now watches' })
  return world
}

async function setStatus(world: World, name: string, status: 'HEALTHY' | 'UNHEALTHY') {
  const [check] = await world.service.checksNamed(name)
  await world.service.setStatus(check?.uuid ?? '', status)
}

/** What the app posted in the channel, oldest first. */
async function readTexts({ slack }: World): Promise<string[]> {
  const messages = await slack.member.messages('general')
  return messages
    .filter(({ app, deleted, ephemeral, text }) => app && !deleted && !ephemeral && !SAID.test(text))
    .map(({ text }) => text)
}

/** What the channel reads about a change of settings. */
const SAID = /began to watch|changed the watch|ended the|^🔕|^🔧|^🔔/
const isUp = (text: string): boolean => text.startsWith('🟢') && text.includes('again after')

const untilTexts = (world: World, isExpected: (texts: readonly string[]) => boolean) =>
  expect.poll(async () => isExpected(await readTexts(world)), { timeout: TIMEOUT_MS }).toBe(true)

it('posts one card, edits it in place, and shows who is on it', async () => {
  await using world = await startWatched()
  await setStatus(world, 'web-1', 'UNHEALTHY')
  await untilTexts(world, ([text = '']) => text.includes('web-1 is down'))
  await setStatus(world, 'web-2', 'UNHEALTHY')
  await untilTexts(world, ([text = '']) => text.includes('are down'))
  const [message] = (await world.slack.member.messages('general')).filter(
    ({ app, ephemeral, text }) => app && !ephemeral && !SAID.test(text),
  )
  if (!message) throw new Error('There is no card.')
  await world.slack.member.click(message, 'I’m on it', { until: 'You’re on it' })
  await untilTexts(world, ([text = '']) => text.includes('is on it'))
  await setStatus(world, 'web-1', 'HEALTHY')
  await setStatus(world, 'web-2', 'HEALTHY')
  await untilTexts(world, ([text = '']) => text.includes('are up again'))
  await untilTexts(world, (texts) => texts.filter(isUp).length > 0)
  const edited = (await world.slack.member.messages('general')).find(({ ts }) => ts === message.ts)
  expect(JSON.stringify(edited?.blocks)).not.toMatch(/I’m on it|Take over/)
  const texts = await readTexts(world)
  expect(texts.filter((text) => !isUp(text))).toHaveLength(1)
  // What somebody is on is said to be up at once, so there may be one reply for each.
  expect(texts.filter(isUp).join()).toMatch(/web-1.*<@U\w+> was on (?:it|them)/s)
  const replies = (await world.slack.member.messages('general')).filter(({ text }) => isUp(text))
  expect(replies.every(({ threadTs }) => threadTs === message.ts)).toBe(true)
})

it('posts once if Slack’s reply was lost', async () => {
  await using world = await startWatched()
  await world.slack.faults({ method: 'chat.postMessage', kind: 'drop-reply', times: 1 })
  await setStatus(world, 'web-1', 'UNHEALTHY')
  await untilTexts(world, ([text = '']) => text.includes('web-1 is down'))
  await setStatus(world, 'web-1', 'HEALTHY')
  await untilTexts(world, ([text = '']) => text.includes('web-1 is up again'))
  await untilTexts(world, (texts) => texts.filter(isUp).length === 1)
  expect(await readTexts(world)).toHaveLength(2)
})

it('pauses a channel that accepts nothing, and posts one card with what it missed', async () => {
  await using world = await startWatched()
  const { watches } = world.app.store.watching
  await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error: 'is_archived', times: 1000 })
  await setStatus(world, 'web-1', 'UNHEALTHY')
  await expect
    .poll(async () => (await watches.list(WORKSPACE))[0]?.paused?.reason, { timeout: TIMEOUT_MS })
    .toBe('archived')
  await setStatus(world, 'web-2', 'UNHEALTHY')
  await expect
    .poll(
      async () =>
        (
          await world.app.store.watching.history.findDownSince(
            { workspaceId: WORKSPACE, environment: 'production' },
            (
              await Promise.all(['web-1', 'web-2'].map((name) => world.service.checksNamed(name)))
            )
              .flat()
              .map(({ uuid }) => uuid),
          )
        ).size,
      { timeout: TIMEOUT_MS },
    )
    .toBe(2)
  await world.slack.faults()
  const [{ channelId = '' } = {}] = await watches.list(WORKSPACE)
  await world.slack.member.command('/hc', `watch-resume ${channelId}`, { ...OPERATIONS, until: 'Resumed' })
  await untilTexts(world, ([text = '']) => text.includes('are down'))
  expect(await readTexts(world)).toHaveLength(1)
})

it('says nothing during a mute, and afterwards what is still down', async () => {
  await using world = await startWatched()
  const muted = await world.slack.member.command('/hc', 'mute web-* 2h', { ...OPERATIONS, until: 'Muted' })
  await setStatus(world, 'web-1', 'UNHEALTHY')
  const { history } = world.app.store.watching
  const [check] = await world.service.checksNamed('web-1')
  await expect
    .poll(
      async () =>
        (
          await history.findDownSince({ workspaceId: WORKSPACE, environment: 'production' }, [
            check?.uuid ?? '',
          ])
        ).size,
      { timeout: TIMEOUT_MS },
    )
    .toBe(1)
  expect(await readTexts(world)).toEqual([])
  await world.slack.member.click(muted.message, 'Unmute', { until: 'Ended' })
  await untilTexts(world, ([text = '']) => text.includes('web-1 is down'))
})

it('says once that it can’t see the checks, and that it can again', async () => {
  await using world = await startWatched()
  await world.service.faults({
    path: '/healthcheck/v1/healthchecks',
    kind: 'status',
    status: 401,
    times: 1000,
  })
  await untilTexts(world, ([text = '']) => text.includes('I can’t see the health checks'))
  await world.service.faults()
  await untilTexts(world, ([text = '']) => text.includes('I can see the health checks again'))
  await untilTexts(world, (texts) => texts.filter(isUp).length === 1)
  expect(await readTexts(world)).toHaveLength(2)
})

it('shows the history of a check', async () => {
  await using world = await startWatched()
  await setStatus(world, 'web-1', 'UNHEALTHY')
  await untilTexts(world, ([text = '']) => text.includes('web-1 is down'))
  // Until a second poll, nothing was observed.
  const readHistory = async () =>
    (await world.slack.member.command('/hc', 'history web-1', { ...OPERATIONS, until: 'last 7 days' })).text
  await expect.poll(readHistory, { timeout: TIMEOUT_MS }).toMatch(/web-1/)
})
