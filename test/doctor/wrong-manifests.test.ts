import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest } from '@signalman/playground'
import { checkManifest } from '@signalman/slack/platform'
import { webApi } from '@slack/bolt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examine } from '../../src/doctor/examine.ts'
import { runVerb } from '../command-line.ts'
import { makeFolder } from '../databases/databases.ts'
import { IS_LONG } from '../long.ts'
import { createPrintedManifest, OPT_IN } from '../manifest.ts'
import { readSeed } from '../random.ts'
import { type Deployment, startDeployment } from './deployment.ts'

/** A copy of a valid manifest. Each case makes it invalid in a different way. */
// biome-ignore lint/suspicious/noExplicitAny: each case breaks another part of it
type Draft = any

const EVERYTHING = OPT_IN
const removeItem = (list: string[], item: string) => list.splice(list.indexOf(item), 1)
const scopes = (draft: Draft) => draft.oauth_config.scopes
const events = (draft: Draft): string[] => draft.settings.event_subscriptions.bot_events
const dropScope = (scope: string) => (draft: Draft) => {
  removeItem(scopes(draft).bot, scope)
  if (scopes(draft).bot_optional.includes(scope)) removeItem(scopes(draft).bot_optional, scope)
}
const addEvent = (event: string) => (draft: Draft) => void events(draft).push(event)
const createEntries = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, make(index)]))

const WRONG_MANIFESTS: readonly [name: string, rule: string, change: (draft: Draft) => unknown][] = [
  [
    'optional scopes that aren’t requested',
    'optional-scope-not-requested',
    (draft) => {
      scopes(draft).bot = scopes(draft).bot.filter(
        (scope: string) => !scopes(draft).bot_optional.includes(scope),
      )
    },
  ],
  [
    'one optional scope that isn’t requested',
    'optional-scope-not-requested',
    (draft) => scopes(draft).bot_optional.push('pins:read'),
  ],
  [
    'an optional user scope that isn’t requested',
    'optional-scope-not-requested',
    (draft) => Object.assign(scopes(draft), { user_optional: ['chat:write'] }),
  ],
  ['an unknown scope', 'unknown-scope', (draft) => scopes(draft).bot.push('chats:write')],
  ['a user scope', 'unknown-scope', (draft) => scopes(draft).bot.push('search:read')],
  ['an unknown event', 'unknown-event', addEvent('app_mentioned')],
  ['a user event', 'user-event', addEvent('star_added')],
  ['direct messages without their scope', 'event-without-scope', dropScope('im:history')],
  ['mentions without their scope', 'event-without-scope', dropScope('app_mentions:read')],
  ['changes of people without their scope', 'event-without-scope', dropScope('users:read')],
  ['channels without their scope', 'event-without-scope', dropScope('channels:read')],
  ['private channels without their scope', 'event-without-scope', dropScope('groups:read')],
  ['reactions without their scope', 'event-without-scope', addEvent('reaction_added')],
  [
    'files without their scope',
    'event-without-scope',
    (draft) => {
      dropScope('files:read')(draft)
      addEvent('file_shared')(draft)
    },
  ],
  ['links without their scope', 'event-without-scope', addEvent('link_shared')],
  ['commands without their scope', 'slash-commands-without-scope', dropScope('commands')],
  ['shortcuts without their scope', 'shortcuts-without-scope', dropScope('commands')],
  [
    'events without an address',
    'events-without-address',
    (draft) => delete draft.settings.event_subscriptions.request_url,
  ],
  [
    'buttons without an address',
    'interactivity-without-address',
    (draft) => delete draft.settings.interactivity.request_url,
  ],
  [
    'steps without a runtime',
    'functions-without-function-runtime',
    (draft) => delete draft.settings.function_runtime,
  ],
  [
    'steps that would run on Slack',
    'functions-without-function-runtime',
    (draft) => Object.assign(draft.settings, { function_runtime: 'slack' }),
  ],
  [
    'steps without their event',
    'functions-without-event',
    (draft) => removeItem(events(draft), 'function_executed'),
  ],
  [
    'steps of an app for one workspace',
    'functions-without-org-deploy-enabled',
    (draft) => Object.assign(draft.settings, { org_deploy_enabled: false }),
  ],
  [
    'too many steps',
    'too-many-functions',
    (draft) =>
      Object.assign(
        draft.functions,
        createEntries(51, () => draft.functions.check_status),
      ),
  ],
  [
    'a step with too many inputs',
    'too-many-parameters',
    (draft) =>
      Object.assign(
        draft.functions.check_status.input_parameters.properties,
        createEntries(51, () => ({ type: 'string' })),
      ),
  ],
  [
    'a step that requires an undeclared input',
    'undeclared-parameter',
    (draft) => draft.functions.check_status.input_parameters.required.push('nobody'),
  ],
  [
    'work objects without their event',
    'rich-previews-without-event',
    (draft) => removeItem(events(draft), 'entity_details_requested'),
  ],
  [
    'a work object of an unknown kind',
    'unknown-entity-type',
    (draft) => draft.features.rich_previews.entity_types.push('slack#/entities/server'),
  ],
  ['a tools server without its scope', 'mcp-servers-without-scope', dropScope('mcp:connect')],
  [
    'a tools server without https',
    'mcp-server-not-https',
    (draft) => Object.assign(draft.mcp_servers.signalman, { url: 'http://signalman.example.com/slack/mcp' }),
  ],
  [
    'too many tools servers',
    'too-many-mcp-servers',
    (draft) =>
      Object.assign(
        draft.mcp_servers,
        createEntries(21, () => draft.mcp_servers.signalman),
      ),
  ],
  [
    'too many commands',
    'too-many-slash-commands',
    (draft) => {
      draft.features.slash_commands = Array.from({ length: 51 }, (_, index) => ({
        ...draft.features.slash_commands[0],
        command: `/c${index}`,
      }))
    },
  ],
  [
    'a command with a name that is too long',
    'too-long',
    (draft) => Object.assign(draft.features.slash_commands[0], { command: `/${'c'.repeat(32)}` }),
  ],
  [
    'a description that is too long',
    'too-long',
    (draft) => Object.assign(draft.display_information, { description: 'd'.repeat(140) }),
  ],
  [
    'a long description that is too short',
    'too-short',
    (draft) => Object.assign(draft.display_information, { long_description: 'd'.repeat(174) }),
  ],
]

let deployment: Deployment
const folder = makeFolder()
beforeAll(async () => {
  deployment = await startDeployment()
})
afterAll(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** The doctor and `manifest --diff` show what the check above finds, so a quick run gives them only one of these, chosen by the seed. */
const isShown = (change: unknown): boolean =>
  IS_LONG || WRONG_MANIFESTS[readSeed() % WRONG_MANIFESTS.length]?.[2] === change

describe.each(WRONG_MANIFESTS)('a manifest with %s', (_, rule, change) => {
  const draft: Draft = structuredClone(createPrintedManifest(EVERYTHING))
  change(draft)
  const path = join(folder.path, 'wrong.json')
  const namesRule = expect.stringContaining(`(${rule})`)

  it(`breaks the rule ${rule}`, () => {
    expect(checkManifest(draft).map((fault) => fault.rule)).toContain(rule)
  })

  it('is rejected by the playground, both when loaded and when validated', async () => {
    writeFileSync(path, JSON.stringify(draft))
    expect(() => readManifest(path)).toThrow(`(${rule})`)
    const slack = new webApi.WebClient('xoxe.xoxp-playground', {
      slackApiUrl: deployment.world.playground.apiUrl,
    })
    const validated = slack.apiCall('apps.manifest.validate', { manifest: JSON.stringify(draft) })
    await expect(validated).rejects.toMatchObject({
      data: {
        error: 'invalid_manifest',
        errors: expect.arrayContaining([expect.objectContaining({ message: namesRule })]),
      },
    })
  })

  it.runIf(isShown(change))('is reported by the doctor', async () => {
    const findings = await examine({ environment: deployment.variables, installedManifest: draft })
    expect(findings).toContainEqual(
      expect.objectContaining({ part: 'manifest', state: 'fault', message: namesRule }),
    )
  })

  it.runIf(isShown(change))('is reported by manifest --diff', async () => {
    writeFileSync(path, JSON.stringify(draft))
    const url = 'https://signalman.example.com'
    const args = [
      'manifest',
      '--url',
      url,
      ...EVERYTHING.flatMap((feature) => ['--with', feature]),
      '--diff',
      path,
    ]
    expect(await runVerb(args)).toMatchObject({ code: 1, stdout: namesRule })
  })
})

it('covers at least thirty wrong manifests', () => {
  expect(WRONG_MANIFESTS.length).toBeGreaterThanOrEqual(30)
})

it('derives the wrong manifests from a valid one', () => {
  expect(checkManifest(createPrintedManifest(EVERYTHING))).toEqual([])
})
