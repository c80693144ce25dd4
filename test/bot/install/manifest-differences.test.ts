import { expect, it } from 'vitest'
import { createManifest } from '../../../src/bot/install/manifest.ts'
import { manifestDifferences, scopeDifferences } from '../../../src/bot/install/manifest-differences.ts'
import { findDisabledFeatures } from '../../../src/domain/optional-features.ts'
import { createPrintedManifest } from '../../manifest.ts'

const createExpectedManifest = (...without: string[]) => {
  const choice = { with: new Set<string>(), without: new Set(without), isSocketMode: false }
  const url = 'https://bot.example.com'
  return createManifest({
    url,
    prefix: '',
    isSocketMode: false,
    disabledFeatures: findDisabledFeatures(choice),
  })
}

/** A manifest that has only these scopes. */
const createInstalledManifest = (bot: readonly string[], bot_optional?: readonly string[]) => ({
  oauth_config: { scopes: { bot, bot_optional } },
})

const { bot, bot_optional = [] } = createExpectedManifest().oauth_config.scopes
const omit = (list: readonly string[], scope: string) => list.filter((listed) => listed !== scope)

it.each([
  { name: 'the same', installed: createExpectedManifest(), expected: [] },
  {
    name: 'the same in another order',
    installed: createInstalledManifest(bot.toReversed(), bot_optional.toReversed()),
    expected: [],
  },
  {
    name: 'a required scope is missing',
    installed: createInstalledManifest(omit(bot, 'users:read'), bot_optional),
    expected: ['oauth_config.scopes: users:read is missing, and nothing works without it'],
  },
  {
    name: 'a required scope is optional',
    installed: createInstalledManifest(bot, [...bot_optional, 'users:read']),
    expected: ['oauth_config.scopes: users:read is optional there, but nothing works without it'],
  },
  {
    name: 'an optional scope is required',
    installed: createInstalledManifest(bot, omit(bot_optional, 'files:write')),
    expected: [
      'oauth_config.scopes: files:write is required there, but only file-exports, screenshots needs it',
    ],
  },
  {
    name: 'an optional scope is missing',
    installed: createInstalledManifest(omit(bot, 'files:write'), omit(bot_optional, 'files:write')),
    expected: ['oauth_config.scopes: files:write is missing: without it, file-exports, screenshots is off'],
  },
  {
    name: 'an optional scope isn’t among the requested ones',
    installed: createInstalledManifest(omit(bot, 'files:write'), bot_optional),
    expected: ['oauth_config.scopes: files:write is missing: without it, file-exports, screenshots is off'],
  },
  {
    name: 'a scope that nothing needs',
    installed: createInstalledManifest([...bot, 'admin'], bot_optional),
    expected: ['oauth_config.scopes: admin is requested, but not needed'],
  },
])('compares the scopes of two manifests: $name', ({ installed, expected }) => {
  expect(scopeDifferences(createExpectedManifest(), installed)).toEqual(expected)
})

it('reports scopes of features that are turned off', () => {
  expect(
    scopeDifferences(createExpectedManifest('file-exports', 'screenshots'), createExpectedManifest()),
  ).toEqual(['oauth_config.scopes: files:write is requested, but not needed'])
})

it.each([null, 'text', [], {}, { oauth_config: null }, { oauth_config: { scopes: { bot: 'chat:write' } } }])(
  'reports every scope as missing if the value isn’t a manifest: %j',
  (installed) => {
    expect(scopeDifferences(createExpectedManifest(), installed)).toHaveLength(bot.length)
  },
)

/** Returns the manifest as Slack exports it: with its keys reordered, default values, `is_required` in each parameter, and new keys. */
function reformatLikeSlack(manifest: ReturnType<typeof createPrintedManifest>): object {
  const reverseKeys = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reverseKeys)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, inner]) => [key, reverseKeys(inner)]),
    )
  }
  const { _metadata: _, settings, features, oauth_config, ...rest } = manifest
  return reverseKeys({
    ...rest,
    _metadata: { major_version: 1, minor_version: 1 },
    features: { ...features, unfurl_domains: [], assistant_view: null },
    oauth_config: {
      ...oauth_config,
      scopes: { ...oauth_config.scopes, bot: oauth_config.scopes.bot.toReversed(), user: [] },
      pkce_enabled: false,
    },
    settings: {
      ...settings,
      event_subscriptions: {
        ...settings.event_subscriptions,
        bot_events: settings.event_subscriptions.bot_events.toReversed(),
        user_events: [],
      },
      hermes_app_type: 'remote',
      function_runtime: 'remote',
      is_hosted: false,
      is_mcp_enabled: false,
      siws_links: {},
    },
  }) as object
}

it.each([[[]], [['organizations']]])(
  'finds no difference in a manifest that Slack reformatted: %j',
  (features) => {
    const expected = createPrintedManifest(features)
    const installed = reformatLikeSlack(expected)
    expect(JSON.stringify(installed)).not.toBe(JSON.stringify(expected))
    expect(manifestDifferences(expected, installed)).toEqual([])
    expect(scopeDifferences(expected, installed)).toEqual([])
  },
)

it('reports only differences that aren’t due to Slack’s formatting', () => {
  const expected = createPrintedManifest(['organizations'])
  const installed = JSON.parse(JSON.stringify(reformatLikeSlack(expected)))
  installed.settings.interactivity.message_menu_options_url = 'https://other.example.com/'
  installed.functions.check_status.input_parameters.check.is_required = false
  installed.features.slash_commands[0].should_escape = true
  delete installed.features.app_home.home_tab_enabled
  expect(manifestDifferences(expected, installed).toSorted()).toEqual([
    expect.stringMatching(/^features\.app_home\.home_tab_enabled: nothing is installed, expected true/),
    expect.stringMatching(
      /^features\.slash_commands \/\S+\.should_escape: true is installed, expected nothing/,
    ),
    expect.stringMatching(
      /^functions\.check_status\.input_parameters\.check\.is_required: nothing is installed/,
    ),
    expect.stringMatching(/^settings\.interactivity\.message_menu_options_url: "https:\/\/other/),
  ])
})
