import { describe, expect, it } from 'vitest'
import { THREAT_TOPIC } from '../../../src/features/threats/event-ids/message-ids.ts'
import { ID, startWorldWithThreat } from './world.ts'

const ID_WITHOUT_DASHES = ID.replaceAll('-', '')

it.each([
  { typed: ID, ids: ID },
  { typed: `<https://portal.example.com/e/${ID}|the event>`, ids: ID },
  { typed: `${ID}, {${ID_WITHOUT_DASHES.toUpperCase()}}`, ids: ID },
  { typed: `<https://portal.example.com/|the event> ${ID}`, ids: ID },
  { typed: `is ${ID} bad?`, ids: ID },
  { typed: 'hello', ids: undefined },
  { typed: '<https://exa.mple/login>', ids: 'https://exa.mple/login' },
  { typed: 'hxxps://exa[.]mple/login', ids: 'hxxps://exa[.]mple/login' },
  { typed: 'exa[.]mple', ids: 'exa[.]mple' },
  { typed: '<http://exa.mple|exa.mple>', ids: undefined },
  { typed: 'is exa[.]mple down?', ids: undefined },
])('finds the threat event IDs, or a reported address alone, in a mention: $typed', ({ typed, ids }) => {
  expect(THREAT_TOPIC.parseIds(typed)).toBe(ids)
})

describe('a threat event mentioned in a message to the app', () => {
  it('is found wherever the mention and the ID are, but not without a mention or without an ID', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    await member.say(`look at ${ID}`)
    for (const [typed, until] of [
      ['@signalman hello there', 'Press one of these, or type a command.'],
      ['@signalman hxxps://exa[.]mple/login', 'The service finds threat events only by ID.'],
    ] as const)
      await (await member.say(typed)).answer({ until })
    const paths = (await world.service.requests()).map(({ path }) => path)
    expect(paths.filter((path) => path.includes(ID))).toEqual([])
    for (const typed of [
      `@signalman: threat ${ID}`,
      `@signalman ${ID}`,
      `threat ${ID} @signalman`,
      `@admin @signalman threat ${ID}`,
      `@signalman threat <https://portal.example.com/e/${ID}|the event>`,
      `@signalman https://portal.example.com/e/${ID}`,
    ]) {
      const { message } = await (await member.say(typed)).answer({ until: 'exa[.]mple' })
      expect(message, typed).toMatchObject({ ephemeral: true, threadTs: null })
    }
  })

  it('is found in a direct message, and the answer isn’t ephemeral', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const listCards = async () =>
      (await member.messages('dm')).filter(({ text }) => text.includes('exa[.]mple'))
    const typed = [ID, `threat ${ID}`, `https://portal.example.com/e/${ID}`]
    for (const [index, text] of typed.entries()) {
      await member.say(text, { channel: 'dm' })
      await expect.poll(async () => (await listCards()).length).toBe(index + 1)
    }
    expect((await listCards()).map(({ ephemeral }) => ephemeral)).toEqual([false, false, false])
  })

  it('in a thread is its own, and otherwise asked for', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const root = await member.say(`Seen: https://portal.example.com/e/${ID}`)
    await (await member.say('@signalman threat', { threadTs: root.ts })).answer({
      until: 'Type its ID after /threat.',
    })
    const mention = await member.say(`@signalman threat details ${ID}`, { threadTs: root.ts })
    // Slack can’t open a window here, so it's a message.
    const { message } = await mention.answer({ until: 'HTTP 301, JavaScript' })
    expect(message).toMatchObject({ ephemeral: true, threadTs: root.ts })
  })
})
