import { describe, expect, it } from 'vitest'
import { escapeArguments, escapeTyped } from '../src/rules/values/escape-typed.ts'
import { createPeople } from '../src/state/people.ts'
import { startWorld } from './app.ts'

const { all: allPeople, channels } = createPeople('Signal-Man', {
  now: () => new Date(),
  url: () => 'http://127.0.0.1',
})

describe('typed text', () => {
  it.each([
    ['a & b < c', 'a &amp; b &lt; c'],
    ['see https://example.com/?a=1&b=2', 'see <https://example.com/?a=1&amp;b=2>'],
    ['@admin look', '<@U0ADMIN001> look'],
    ['@ADMIN look', '<@U0ADMIN001> look'],
    ['@signal-man threat', '<@U0PLAYGBOT> threat'],
    ['@Signal-Man threat', '<@U0PLAYGBOT> threat'],
    ['@nobody', '@nobody'],
    ['👋 👍🏽 ❤️ ©', ':wave: :+1::skin-tone-4: :heart: ©'],
    ['<@U0ADMIN001> <!here> <b>', '<@U0ADMIN001> <!here> &lt;b&gt;'],
    ['@here see #general, @admin.', '<!here> see <#C0GENERAL1|general>, <@U0ADMIN001>.'],
    ['(https://example.com/a.) #nowhere', '(<https://example.com/a>.) #nowhere'],
    ['mail a.b@example.com.', 'mail <mailto:a.b@example.com|a.b@example.com>.'],
    ['`#general @here <b>` ```@admin```', '`#general @here &lt;b&gt;` ```@admin```'],
  ])('is converted for the app: %j to %j', (typed, sent) => {
    const people = allPeople().filter(({ teamId }) => teamId === 'T0PLAYGRND')
    expect(escapeTyped(typed, people, channels())).toBe(sent)
  })

  it('can mention a bot whose handle has capital letters', () => {
    const [bot] = allPeople().filter(({ id }) => id === 'U0PLAYGBOT')
    expect(escapeTyped('@signalman hi', bot ? [{ ...bot, name: 'Signalman' }] : [])).toBe('<@U0PLAYGBOT> hi')
  })

  it.each([
    ['show @admin in #operations', 'show <@U0ADMIN001|admin> in <#C0OPERATNS|operations>'],
    ['https://example.com/?a=1&b=2', '<https://example.com/?a=1&amp;b=2>'],
    ['a < b', 'a &lt; b'],
    ['#nowhere @nobody', '#nowhere @nobody'],
  ])('is escaped in the arguments of a command with should_escape: %j to %j', (typed, sent) => {
    expect(escapeArguments(typed, allPeople(), channels())).toBe(sent)
  })

  it('is escaped in a command only if the manifest sets should_escape', async () => {
    const command = { description: '', usageHint: '' }
    const commands = [
      { command: '/raw', ...command },
      { command: '/escaped', ...command, shouldEscape: true },
    ]
    await using world = await startWorld(() => ({ text: 'ok' }), { commands })
    await world.slack.member.command('/raw', 'a < @admin')
    await world.slack.member.command('/escaped', 'a < @admin in #general')
    expect(world.sent.map(({ body }) => body.text)).toEqual([
      'a < @admin',
      'a &lt; <@U0ADMIN001|admin> in <#C0GENERAL1|general>',
    ])
  })

  it('links only the channels that its author can see', async () => {
    await using world = await startWorld()
    await world.slack.member.say('#operations')
    const texts = (await world.slack.member.messages('general')).map(({ text }) => text)
    expect(texts.at(-1)).toBe('<#C0OPERATNS|operations>')
  })
})
