import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../../world.ts'
import { WAIT_TIMEOUT_MS } from '../watched-world.ts'

it('mutes the thread if it has its own watches, otherwise the channel, and shows which', async () => {
  await using world = await startWorld({ checks: [{ name: 'shop-1', status: 'HEALTHY' }] })
  const { member } = world.slack
  const { silences } = world.app.store.watching
  const root = await member.say('We look after the shop here')
  const mention = async (line: string, until: string) =>
    (await member.say(`<@U0PLAYGBOT> hc ${line}`, { threadTs: root.ts })).answer({ until })
  const muted = await mention('mute shop* 2h', 'Muted shop* in production, in this channel')
  expect(muted.text).toContain('this thread has no watch of its own')
  expect(await silences.list(WORKSPACE)).toMatchObject([{ channelId: 'C0GENERAL1' }])
  await mention('unmute shop*', 'Unmuted shop* in production, in this channel')

  await mention('watch shop*', 'This thread now watches')
  await mention('mute shop* 2h', 'Muted shop* in production, in this thread')
  const mutedChannelIds = (await silences.list(WORKSPACE)).map(({ channelId }) => channelId)
  expect(mutedChannelIds).toContain(`C0GENERAL1/${root.ts}`)
  await mention('unmute shop*', 'Unmuted shop* in production, in this thread')
})

it('posts in the thread where the watch was created, and pauses the watch when the thread is gone', async () => {
  await using world = await startWorld({
    checks: [
      { name: 'shop-1', status: 'HEALTHY' },
      { name: 'shop-2', status: 'HEALTHY' },
      { name: 'shop-3', status: 'HEALTHY' },
    ],
    workTimes: { pollMs: 50 },
    watchEveryMs: 100,
  })
  const { member } = world.slack
  const { watches, history } = world.app.store.watching
  const root = await member.say('We look after the shop here')
  const typed = await member.say('<@U0PLAYGBOT> hc watch shop* --notify every', { threadTs: root.ts })
  await typed.answer({ until: 'This thread now watches' })
  const threadId = `C0GENERAL1/${root.ts}`
  expect(await watches.list(WORKSPACE)).toMatchObject([{ channelId: threadId }])
  expect((await member.command('/hc', 'watches --all')).text).toMatch(/shop\* ·\W+\(a thread\)/)

  const takeDown = async (name: string) => {
    const [check] = await world.service.checksNamed(name)
    await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
    return check?.uuid ?? ''
  }
  const countPolls = async () => (await history.findPollStatus(WORKSPACE, 'production'))?.polls ?? 0
  await expect.poll(countPolls, { timeout: WAIT_TIMEOUT_MS }).toBeGreaterThan(0)
  const uuid = await takeDown('shop-1')
  const listPosts = async (name = 'shop-1') => {
    const { messages } = await member.state()
    return (messages.C0GENERAL1 ?? []).filter(({ app, text }) => app && text.includes(`${name} is`))
  }
  await expect.poll(() => listPosts(), { timeout: WAIT_TIMEOUT_MS }).toMatchObject([{ threadTs: root.ts }])
  await world.service.setStatus(uuid, 'HEALTHY')
  await expect
    .poll(async () => (await listPosts())[0]?.text, { timeout: WAIT_TIMEOUT_MS })
    .toContain('is up again')
  // One card, without a reply that shows details.
  expect(await listPosts()).toHaveLength(1)

  // A deleted first message leaves its thread in place.
  await member.delete({ channel: 'C0GENERAL1', ts: root.ts })
  await takeDown('shop-2')
  await expect
    .poll(() => listPosts('shop-2'), { timeout: WAIT_TIMEOUT_MS })
    .toMatchObject([{ threadTs: root.ts }])
  expect((await watches.list(WORKSPACE))[0]?.paused).toBeUndefined()

  await world.slack.faults({
    method: 'chat.postMessage',
    kind: 'error',
    error: 'thread_not_found',
    times: 100,
  })
  await takeDown('shop-3')
  await expect
    .poll(async () => (await watches.list(WORKSPACE))[0]?.paused?.reason, { timeout: WAIT_TIMEOUT_MS })
    .toBe('thread-gone')
})
