import { newId } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { changeWatching } from '../../decide.ts'
import { startWorld, WORKSPACE } from '../../world.ts'
import { bringDown, CHANNEL, setStatus, startWatchedWorld, untilPolled, untilText } from './watched-world.ts'

const CHECKS = ['web-1', 'web-2', 'db-1'].map((name) => ({ name }))

it('says who is on what is down, or that nobody is, and takes it from there', async () => {
  const { world, channelId } = await startWatchedWorld({ checks: CHECKS })
  await using _ = world
  const { admin, member } = world.slack
  const ask = (person: typeof member, until: string, channel = CHANNEL) =>
    person.command('/hc', 'who', { channel, until })
  await untilPolled(world)
  await ask(member, 'Nothing that Signalman watches is down.')
  await bringDown(world, 'web-1')
  const card = await untilText(world, channelId, 'web-1 is down')
  const nobody = await ask(member, 'Nobody is on it.')
  expect(nobody.text).toMatch(/web-1.* nobody is on it/s)
  expect(nobody.text).not.toContain('Take over')
  const hasTake = ({ blocks }: { blocks?: unknown } = {}) => JSON.stringify(blocks).includes('I’m on it"')
  for (const line of ['', 'down', 'list'])
    for (const channel of [CHANNEL, 'random']) {
      const { text, message } = await member.command('/hc', line, { channel, until: 'web-1' })
      expect([text.includes('nobody is on it'), hasTake(message)], line).toEqual([true, channel === CHANNEL])
    }
  // Its message is in another channel.
  expect(hasTake((await ask(member, 'Nobody is on it.', 'random')).message)).toBe(false)
  await member.click(nobody.message, 'I’m on it', { until: 'You’re on it' })
  const taken = await ask(admin, 'Everything that is down has somebody on it.')
  expect(taken.text).toMatch(/web-1.*Member.* has been on it since/s)
  expect(taken.text).toContain('Take over')
  expect((await ask(member, 'Everything that is down has somebody on it.')).text).toContain('Step down')
  await bringDown(world, 'db-1')
  await untilText(world, channelId, 'db-1')
  const both = await ask(admin, 'Nobody is on 1 of 2 health checks that are down.')
  expect(both.text).toMatch(/db-1.*nobody is on it.*web-1.*Member/s)
  expect(both.text).toMatch(/nobody is on it.*message.*web-1.*message/s)
  await admin.command('/hc', 'assign web-1 @admin', {
    channel: CHANNEL,
    until: 'You can’t put someone else on an outage',
  })

  // Member is on web-1, and once that is up, on nothing that is down.
  const hasStepDown = async () => {
    const posts = Object.values((await member.state()).messages).flat()
    return JSON.stringify(posts.find(({ ts }) => ts === card?.ts)).includes('Step down')
  }
  await expect.poll(hasStepDown).toBe(true)
  await setStatus(world, 'web-1', 'HEALTHY')
  await expect.poll(hasStepDown).toBe(false)
  const up = await member.command('/hc', 'web-1', { channel: CHANNEL, until: 'web-1 is up' })
  expect(up.text).not.toContain('on it since')
})

it('doesn’t take what nobody watches for what isn’t down', async () => {
  await using world = await startWorld({ checks: [{ name: 'shop', status: 'UNHEALTHY' }, { name: 'web' }] })
  const ask = async (line: string) => {
    const { text, message } = await world.slack.member.command('/hc', line, { channel: CHANNEL })
    return `${text} ${JSON.stringify(message?.blocks)}`
  }
  const [check] = await world.service.checksNamed('shop')
  for (const line of ['who shop', 'ack shop']) {
    const answer = await ask(line)
    expect(answer).toContain('shop is down, but no channel watches it.')
    expect(answer).toContain(`"value":"/hc watch ${check?.uuid}`)
  }
  expect(await ask('who web')).toContain('Signalman sees no outage of web.')
  const nothing = await ask('who')
  expect(nothing).toContain('No channel watches anything')
  expect(nothing).toContain('"What is down"')
})

it('waits no longer than a second for a link', async () => {
  const { world, channelId } = await startWatchedWorld({ checks: CHECKS })
  await using _ = world
  await bringDown(world, 'web-1')
  await untilText(world, channelId, 'web-1 is down')
  await world.slack.faults({ method: 'chat.getPermalink', kind: 'delay', ms: 20_000, times: 100 })
  const begun = Date.now()
  const who = await world.slack.member.command('/hc', 'who', { channel: CHANNEL, until: 'Nobody is on it.' })
  expect(Date.now() - begun).toBeLessThan(4000)
  expect(who.text).not.toContain('· message')
})

it('takes over from /hc who, tells whoever was on it, and mutes what a card lists', async () => {
  const { world, channelId, watch } = await startWatchedWorld({ checks: CHECKS })
  await using _ = world
  const { admin, member } = world.slack
  const operations = 'C0OPERATNS'
  await changeWatching(world.app.store, WORKSPACE, ({ watches }) =>
    watches.add({ ...watch, id: newId(), channelId: operations }),
  )
  await untilPolled(world)
  for (const name of ['web-1', 'web-2']) await bringDown(world, name)
  const card = await untilText(world, channelId, ' are down')
  await member.click(card, 'I’m on it', { until: 'You’re on it' })
  const who = await admin.command('/hc', 'who', { channel: CHANNEL, until: 'Everything that is down' })
  await admin.click(who.message, 'Take over', { until: 'You’re on it' })
  await admin.until('the replies', ({ messages }) =>
    [channelId, operations].every((id) =>
      messages[id]?.some(({ text, threadTs }) => threadTs && text.includes('took over from <@U0MEMBER01>: ')),
    ),
  )
  const taken = await untilText(world, channelId, 'Admin has been on it')
  const question = await admin.click(taken, 'Mute all…', { until: 'For how long should 2 health checks' })
  await admin.command('/hc', 'mute web-1 2h', { channel: CHANNEL, until: 'Muted: web-1' })
  await admin.click(question.message, '1 hour', { until: /Muted: web-\d, web-\d/ })
  const watches = await admin.command('/hc', 'watches', { channel: CHANNEL, until: /3 mutes/ })
  expect(watches.text).not.toContain('Muted: everything')
  const labels = JSON.stringify(watches.message?.blocks).match(/Unmute web-1 \(ends [^)]*\)/g)
  expect(new Set(labels).size).toBe(2)
  await admin.command('/hc', 'unmute', { channel: CHANNEL, until: 'Ended: ' })
  await untilText(world, channelId, 'ended the mute of web-1, the mute of web-2.')
})

it('says in watches who set them up, and offers in a direct message nothing that only works in channels', async () => {
  const { world } = await startWatchedWorld({ checks: CHECKS })
  await using _ = world
  const { member } = world.slack
  const read = async (line: string, channel: string) =>
    (await member.command('/hc', line, { channel, until: /1 watch in/ })).message
  const here = await read('watches', CHANNEL)
  expect(here?.text).toContain('set up by <@U0MEMBER01>')
  expect(JSON.stringify(here?.blocks)).toContain('"New watch"')
  for (const line of ['watches', 'watches all']) {
    const blocks = JSON.stringify((await read(line, 'dm'))?.blocks)
    expect(blocks).not.toMatch(/"New watch"|"Plan maintenance"|"This channel"/)
  }
})
