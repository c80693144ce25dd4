import { expect, it } from 'vitest'
import { createManifest, scopeDifferences } from '../../../src/bot/install/manifest.ts'

const wanted = (...without: string[]) =>
  createManifest({
    url: 'https://bot.example.com',
    prefix: '',
    isSocketMode: false,
    without: new Set(without),
  })

/** A manifest with other scopes in it. */
const installed = (bot: readonly string[], bot_optional?: readonly string[]) => ({
  oauth_config: { scopes: { bot, bot_optional } },
})

const { bot, bot_optional = [] } = wanted().oauth_config.scopes

it.each([
  { what: 'the same', there: wanted(), says: [] },
  {
    what: 'the same, with the optional ones among all',
    there: installed([...bot, ...bot_optional], bot_optional),
    says: [],
  },
  {
    what: 'one that nothing works without is missing',
    there: installed(bot.slice(0, -1), bot_optional),
    says: [`oauth_config.scopes: ${bot.at(-1)} is missing, and nothing works without it`],
  },
  {
    what: 'one that nothing works without may be declined',
    there: installed(bot.slice(0, -1), [...bot_optional, bot.at(-1) ?? '']),
    says: [`oauth_config.scopes: ${bot.at(-1)} may be declined there, and nothing works without it`],
  },
  {
    what: 'an optional one is demanded',
    there: installed(
      [...bot, 'files:write'],
      bot_optional.filter((one) => one !== 'files:write'),
    ),
    says: ['oauth_config.scopes: files:write is demanded there, and only files-out needs it'],
  },
  {
    what: 'an optional one is missing',
    there: installed(
      bot,
      bot_optional.filter((one) => one !== 'files:write'),
    ),
    says: ['oauth_config.scopes: files:write is missing: without it, files-out is off'],
  },
  {
    what: 'one that nothing needs',
    there: installed([...bot, 'admin'], bot_optional),
    says: ['oauth_config.scopes: admin is asked for, and not needed'],
  },
])('what the scopes of two manifests mean is told: $what', ({ there, says }) => {
  expect(scopeDifferences(wanted(), there)).toEqual(says)
})

it('a feature that is left out needs its scopes no more', () => {
  expect(scopeDifferences(wanted('files-out'), wanted())).toEqual([
    'oauth_config.scopes: files:write is asked for, and not needed',
  ])
})

it.each([null, 'text', [], {}, { oauth_config: null }, { oauth_config: { scopes: { bot: 'chat:write' } } }])(
  'of what is no manifest everything is missing: %j',
  (there) => {
    expect(scopeDifferences(wanted(), there)).toHaveLength(bot.length + bot_optional.length)
  },
)
