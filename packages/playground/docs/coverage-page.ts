import { USER_EVENTS } from '@signalman/slack/platform'
import { EVENTS, MISSING_EVENTS } from '../src/acts/event-names.ts'
import { METHOD_NAMES } from '../src/api/call.ts'
import { MISSING_METHODS, RETIRED_METHODS, USER_TOKEN_METHODS } from '../src/api/unsupported-methods.ts'
import { UNSUPPORTED_KEYS } from '../src/manifest/manifest.ts'
import { manifestShape } from '../src/manifest/schema.ts'
import { KINDS, REFUSED_BLOCKS } from '../src/rules/kinds.ts'
import type { Kind } from '../src/rules/rule.ts'

/** Manifest keys that change what the playground does. The others are only validated. */
export const KEYS_WITH_EFFECT: readonly string[] = [
  'display_information.name',
  'features.agent_view.agent_description',
  'features.assistant_view.assistant_description',
  'features.bot_user.display_name',
  'features.rich_previews.entity_types',
  'features.rich_previews.is_active',
  'features.shortcuts',
  'features.slash_commands',
  'features.unfurl_domains',
  'functions',
  'mcp_servers',
  'oauth_config.redirect_urls',
  'oauth_config.scopes.bot',
  'oauth_config.scopes.bot_optional',
  'settings.event_subscriptions.request_url',
  'settings.event_subscriptions.bot_events',
  'settings.event_subscriptions.metadata_subscriptions',
  'settings.incoming_webhooks.incoming_webhooks_enabled',
  'settings.interactivity.is_enabled',
  'settings.interactivity.request_url',
  'settings.interactivity.message_menu_options_url',
  'settings.org_deploy_enabled',
  'settings.socket_mode_enabled',
]

interface Shape {
  shape?: Record<string, Shape>
  unwrap?: () => Shape
}

/** The keys of a schema as paths, such as `settings.interactivity.is_enabled`. */
function* keysIn(schema: Shape, path = ''): Generator<string> {
  const inner = schema.shape ? schema : schema.unwrap?.()
  if (!inner?.shape) return yield path
  for (const [name, value] of Object.entries(inner.shape))
    yield* keysIn(value, path === '' ? name : `${path}.${name}`)
}

const code = (names: Iterable<string>): string =>
  [...names]
    .toSorted()
    .map((name) => `\`${name}\``)
    .join(', ')

const typesOf = (family: Kind['family']): string[] =>
  [...KINDS.values()].filter((kind) => kind.family === family).map(({ name, type }) => type ?? name)

/** Renders docs/coverage.md. */
export function coveragePage(): string {
  // Zod's own types don't allow walking a schema.
  const keys = [...keysIn(manifestShape as Shape)]
  const ignored = keys.filter((key) => !KEYS_WITH_EFFECT.includes(key))
  const blocks = new Set(typesOf('block'))
  const elements = new Set(typesOf('element'))
  const rows: [string, Iterable<string>, Iterable<string>][] = [
    ['Methods of the Web API', METHOD_NAMES, MISSING_METHODS],
    ['Methods that need a user token, refused as in Slack', USER_TOKEN_METHODS, []],
    ['Events', EVENTS, MISSING_EVENTS],
    ['Events that only users can subscribe to', USER_EVENTS, []],
    ['Blocks', blocks, Object.keys(REFUSED_BLOCKS)],
    ['Elements', elements, []],
    ['Manifest keys', KEYS_WITH_EFFECT, ignored],
  ]
  const table = rows.map(
    ([title, supported, missing]) => `| ${title} | ${[...supported].length} | ${[...missing].length} |`,
  )
  return `# What the playground supports

**User tokens (\`xoxp-…\`) aren’t supported.** The playground only issues bot and app tokens, so tests that act with a user token fail here.

This page is generated from the playground’s own tables: change them, then run \`node docs/write-coverage.ts\`. A test compares them with
\`@slack/web-api\`, \`@slack/types\`, and the rules.

| | supported | not supported |
| --- | --- | --- |
${table.join('\n')}

## Methods of the Web API

${code(METHOD_NAMES)}.

Methods that need a user token. A bot gets \`not_allowed_token_type\`, as from Slack: ${code(USER_TOKEN_METHODS)}.

Retired by Slack, answered with \`method_deprecated\` and the name of the successor (\`rtm.connect\`: \`not_allowed_token_type\`): ${code(RETIRED_METHODS.keys())}.

Not supported, answered with \`unknown_method\` and a sentence that says so: ${code(MISSING_METHODS)}.

## Events

${code(EVENTS)}.

Not supported, so never sent: ${code(MISSING_EVENTS)}.

Only for \`user_events\`, so Slack doesn’t send them to bots: ${code(USER_EVENTS)}. A manifest that
subscribes to one of them as a bot is refused.

## Blocks and elements

Their fields and limits are in [rules.md](rules.md). Blocks: ${code(blocks)}. Elements: ${code(elements)}.

Not supported:

${Object.entries(REFUSED_BLOCKS)
  .map(([name, reason]) => `- \`${name}\`: ${reason}`)
  .join('\n')}

## Manifest keys

Used by the playground: ${code(KEYS_WITH_EFFECT)}.

Validated, but otherwise ignored: ${code(ignored)}.

For these, the playground prints a note at the start:

${Object.entries(UNSUPPORTED_KEYS)
  .map(([key, sentence]) => `- \`${key}\`: ${sentence}`)
  .join('\n')}
`
}
