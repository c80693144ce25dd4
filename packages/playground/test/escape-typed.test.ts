import { describe, expect, it } from 'vitest'
import { escapeTyped } from '../src/rules/values/escape-typed.ts'
import { createPeople } from '../src/state/people.ts'
import { startWorld } from './app.ts'

const { all: allPeople, channels } = createPeople('Signal-Man')

describe('typed text', () => {
  it.each([
    ['a & b < c', 'a &amp; b &lt; c'],
    ['see https://example.com/?a=1&b=2', 'see <https://example.com/?a=1&amp;b=2>'],
    ['@admin look', '<@U0ADMIN001> look'],
    ['@signal-man threat', '<@U0PLAYGBOT> threat'],
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

  it('links only the channels that its author can see', async () => {
    await using world = await startWorld()
    await world.slack.member.say('#operations')
    const texts = (await world.slack.member.messages('general')).map(({ text }) => text)
    expect(texts.at(-1)).toBe('<#C0OPERATNS|operations>')
  })
})
