import { describe, expect, it } from 'vitest'
import { THREAT_MENTIONS } from '../../../src/features/threats/event-ids/message-ids.ts'
import { ID, startWorldWithThreat } from './world.ts'

const ID_WITHOUT_DASHES = ID.replaceAll('-', '')

it.each([
  { said: ID, ids: ID },
  { said: `<https://portal.example.com/e/${ID}|the event>`, ids: ID },
  { said: `${ID}, {${ID_WITHOUT_DASHES.toUpperCase()}}`, ids: ID },
  { said: `<https://portal.example.com/|the event> ${ID}`, ids: undefined },
  { said: `is ${ID} bad?`, ids: undefined },
  { said: 'hello', ids: undefined },
])('reads a mention as threat event IDs only if it contains nothing else: $said', ({ said, ids }) => {
  expect(THREAT_MENTIONS.parseIdsOnly(said)).toBe(ids)
})

describe('a threat event mentioned in a message to the app', () => {
  it.each([
    { said: `@signalman: threat ${ID}` },
    { said: `@signalman ${ID}` },
    { said: `threat ${ID} @signalman` },
    { said: `@admin @signalman threat ${ID}` },
    { said: `@signalman threat <https://portal.example.com/e/${ID}|the event>` },
    { said: `@signalman https://portal.example.com/e/${ID}` },
    { said: `@signalman ${ID_WITHOUT_DASHES}` },
    { said: `@signalman threat ${ID_WITHOUT_DASHES.toUpperCase()}` },
  ])('is found: $said', async ({ said }) => {
    await using world = await startWorldWithThreat()
    const { message } = await (await world.slack.member.say(said)).answer({ until: 'exa[.]mple' })
    expect(message).toMatchObject({ ephemeral: true })
  })

  it.each([{ said: `${ID}` }, { said: `threat ${ID}` }, { said: `https://portal.example.com/e/${ID}` }])(
    'is found in a direct message, where the answer stays: $said',
    async ({ said }) => {
      await using world = await startWorldWithThreat()
      const { member } = world.slack
      await member.say(said, { channel: 'dm' })
      await member.until('the card is there', ({ messages }) =>
        JSON.stringify(messages).includes('exa[.]mple'),
      )
      const card = (await member.messages('dm')).find(({ text }) => text.includes('exa[.]mple'))
      expect(card).toMatchObject({ ephemeral: false })
    },
  )

  it.each([
    { said: '@signalman threat', says: 'Leads to hxxps://exa[.]mple/login' },
    { said: '@signalman threat details', says: 'Brand grouping key' },
    { said: '@signalman threat whois', says: 'owner[@]exa[.]mple' },
  ])('is taken from the first message of the thread: $said', async ({ said, says }) => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const root = await member.say(`Seen: https://portal.example.com/e/${ID}`)
    const { message } = await (await member.say(said, { threadTs: root.ts })).answer({ until: says })
    expect(message).toMatchObject({ ephemeral: true, threadTs: root.ts })
  })

  it('is requested if the thread’s first message contains no ID', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const root = await member.say('Has anybody seen this?')
    const { text } = await (await member.say('@signalman threat', { threadTs: root.ts })).answer({
      until: /Type its ID|include the ID/,
    })
    expect(text).toContain('Type its ID after /threat.')
  })

  it('isn’t found if the app lacks the scope to read the thread’s first message, and the response shows that scope', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const root = await member.say(`Seen: ${ID}`)
    await world.slack.faults({ method: 'conversations.replies', kind: 'error', error: 'missing_scope' })
    const { text } = await (await member.say('@signalman threat', { threadTs: root.ts })).answer({
      until: /Type its ID|include the ID/,
    })
    expect(text).toContain('the app lacks the scope channels:history')
  })

  it('isn’t looked up if the message doesn’t mention the app or contains no event ID', async () => {
    await using world = await startWorldWithThreat()
    await world.slack.member.say(`look at ${ID}`)
    const { text } = await (await world.slack.member.say('@signalman hello there')).answer({ until: '/hc' })
    expect(text).not.toContain('exa[.]mple')
    expect(await world.service.requests()).toEqual([])
  })
})
