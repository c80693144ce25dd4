import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createThreatEvent } from '../../features/threats/events.ts'
import { ID, startWorldWithThreat } from '../../features/threats/world.ts'
import { startWorld, type World } from '../../world.ts'

const LONG = 'word '.repeat(2000)

it('a mention isn’t run if it is too long, if it contains a private key, or if it is from another organization', async () => {
  await using world = await startWorldWithThreat()
  const { member } = world.slack
  for (const text of [`mute web 1h ${LONG}`, LONG]) {
    const mention = await member.say(`@signalman ${text}`)
    const { message } = await mention.answer({ until: 'A command can have at most 4,000 characters' })
    expect(message?.text).toContain('It wasn’t run')
  }
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  const leaked = await member.say(`@signalman ${LONG} ${pem}`)
  await leaked.answer({ until: 'treat it as leaked' })
  const sender = world.slack.user('U0FOREIGN1')
  const mention = await sender.say(`@signalman ${LONG} ${ID}`, { channel: 'partner' })
  await mention.answer({ until: 'Signalman only works for people of this workspace' })
})

it('a message that is edited to mention the app is answered like any other', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }] })
  const { member } = world.slack
  const sent = await member.say('hc list')
  await member.edit(sent, '@signalman hc list')
  await member.see('1 health check')
})

describe('an ID without a command', () => {
  // Shared, because each case reads only the answer to its own message.
  let world: World
  beforeAll(async () => {
    world = await startWorldWithThreat()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  it.each([
    `${ID} please`,
    `can you look at ${ID}?`,
    `<https://portal.example.com/events/${ID}> looks bad`,
    `${'word '.repeat(900)} ${ID}`,
  ])('is looked up in a sentence: %s', async (text) => {
    for (const [typed, channel] of [
      [`@signalman ${text}`, 'general'],
      [text, 'dm'],
    ] as const) {
      const sent = await world.slack.member.say(typed, { channel })
      expect((await sent.answer({ until: 'exa[.]mple' })).text).toContain('domain reported')
    }
  })

  it('is looked up together with the others in the sentence', async () => {
    const other = ID.replace(/.$/, ID.endsWith('b') ? 'c' : 'b')
    await world.service.storeThreat(other, { ...createThreatEvent('second.example'), id: other })
    const both = await world.slack.member.say(`@signalman compare ${ID} and ${other} please`)
    expect((await both.answer({ until: 'second[.]example' })).text).toContain('exa[.]mple')
  })

  it('belongs to the verb of a line that has one', async () => {
    const sent = await world.slack.member.say(`@signalman show ${ID}`)
    expect((await sent.answer()).text).not.toContain('exa[.]mple')
  })
})

describe('a direct message', () => {
  it('lists the commands that accept files if it contains only a file', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const { id } = await member.upload('checks.csv', 'name\n', 'text/csv')
    const send = async (words: string) =>
      (await (await member.say(words, { channel: 'dm', files: [id] })).answer()).text
    const text = await send('')
    expect(text).toContain('doesn’t read files attached to a message')
    expect(text).not.toContain('Nothing was changed.')
    expect(await send('hc access')).toContain('You can ')
  })

  it('can set the environment for the next command in its conversation', async () => {
    await using world = await startWorld({ checks: [{ name: 'web' }] })
    const { member } = world.slack
    const send = async (words: string, until: RegExp) =>
      (await (await member.say(words, { channel: 'dm' })).answer({ until })).text
    const set = async (environment: string) => {
      const offer = await (await member.say(`hc env ${environment}`, { channel: 'dm' })).answer()
      return member.click(offer.message, `/hc env ${environment}`, { until: 'This channel now uses' })
    }
    expect((await set('ote')).text).not.toContain('couldn’t tell anyone else')
    expect(await send('hc list', /health check/)).not.toContain('web')
    await set('production')
    expect(await send('hc list', /health check/)).toContain('web')
  })
})

it('recognizes the commands of its deployment', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }], environment: { COMMAND_PREFIX: 'x-' } })
  for (const command of ['x-hc list', '/x-hc list', 'hc list']) {
    const answer = await (await world.slack.member.say(`@signalman ${command}`)).answer()
    expect(answer.text, command).toContain('1 health check')
  }
})
