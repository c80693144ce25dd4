import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startPlaygroundFixture } from '../../src/fixture.ts'

const resolveHere = (name: string) => join(import.meta.dirname, name)
const start = (transport: 'http' | 'socket') =>
  startPlaygroundFixture({
    manifestPath: resolveHere(transport === 'http' ? '../manifest.yml' : '../socket-manifest.yml'),
    command: [process.execPath, resolveHere('busy-app.cjs')],
    env: { TRANSPORT: transport },
  })

it.each(['http', 'socket'] as const)(
  'attributes each response over %s to its request, even if others are handled meanwhile or a rate limit delays it',
  async (transport) => {
    await using world = await start(transport)
    const { member, faults } = world.slack
    const first = member.command('/hc', 'first')
    await expect
      .poll(async () => (await world.slack.deliveries('command')).map(({ verdict }) => verdict))
      .toEqual(['ok'])
    const second = await member.command('/hc', 'second')
    expect(second.text).toBe('to the second')
    expect((await first).text).toBe('to the first')
    expect((await member.messages()).map(({ text }) => text).toSorted()).toEqual([
      'by itself',
      'to the first',
      'to the second',
    ])
    await faults({ method: 'chat.postMessage', kind: 'status', status: 429, retryAfter: 1 })
    const words = ['one', 'two', 'three']
    const answers = await Promise.all(words.map((text) => member.command('/hc', text)))
    expect(answers.map(({ text }) => text)).toEqual(words.map((text) => `to ${text}`))
  },
)

it('attributes the answers of an app with an old client for Socket Mode', async () => {
  await using world = await startPlaygroundFixture({
    manifestPath: resolveHere('../socket-manifest.yml'),
    command: [process.execPath, resolveHere('old-client/app.js')],
    rate: 'off',
  })
  expect((await world.slack.member.command('/hc', 'one')).text).toBe('to one')
  const { messages } = await world.slack.member.command('/hc', 'two')
  expect(messages.map(({ text }) => text)).toEqual(['to two'])
})

it('fails immediately when the app exits, instead of waiting for its response', async () => {
  await using world = await start('http')
  const command = world.slack.member.command('/hc', 'die', { until: 'anything' })
  await expect(command).rejects.toThrow(/The app exited with code 9\./)
})

it('treats every message as a response if the app forwards no trace', async () => {
  await using world = await startPlaygroundFixture({ manifestPath: resolveHere('../manifest.yml') })
  const { playground, slack } = world
  const sent = await slack.member.say('hello')
  await fetch(`${playground.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${playground.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'C0GENERAL1', text: 'hello yourself' }),
  })
  expect((await sent.answer()).text).toBe('hello yourself')
})
