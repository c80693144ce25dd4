import { METHOD_NAMES } from '../src/api/call.ts'
import { MISSING_METHODS, RETIRED_METHODS, USER_TOKEN_METHODS } from '../src/api/unsupported-methods.ts'
import { UNSUPPORTED_KEYS } from '../src/manifest/manifest.ts'
import { manifestShape } from '../src/manifest/schema.ts'
import { USER_EVENTS } from '../src/platform/events.ts'
import { EVENTS, MISSING_EVENTS } from '../src/protocol/event-names.ts'
import { KINDS, UNSUPPORTED_BLOCKS } from '../src/rules/kinds.ts'
import type { Kind } from '../src/rules/rule.ts'

/** Manifest keys that affect the playground. All other keys are validated and then ignored. */
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

interface SchemaNode {
  shape?: Record<string, SchemaNode>
  unwrap?: () => SchemaNode
}

/** Yields the path of each key in a schema, such as `settings.interactivity.is_enabled`. */
function* schemaPaths(schema: SchemaNode, path = ''): Generator<string> {
  const inner = schema.shape ? schema : schema.unwrap?.()
  if (!inner?.shape) return yield path
  for (const [name, value] of Object.entries(inner.shape))
    yield* schemaPaths(value, path === '' ? name : `${path}.${name}`)
}

const codeList = (names: Iterable<string>): string =>
  [...names]
    .toSorted()
    .map((name) => `\`${name}\``)
    .join(', ')

const listTypes = (family: Kind['family']): string[] =>
  [...KINDS.values()].filter((kind) => kind.family === family).map(({ name, type }) => type ?? name)

/** Renders docs/coverage.md. */
export function renderCoveragePage(): string {
  // Zod's public types don't expose nested schemas, so this casts to the two members that it needs.
  const keys = [...schemaPaths(manifestShape as SchemaNode)]
  const ignored = keys.filter((key) => !KEYS_WITH_EFFECT.includes(key))
  const blocks = new Set(listTypes('block'))
  const elements = new Set(listTypes('element'))
  const rows: [string, Iterable<string>, Iterable<string>][] = [
    ['Methods of the Web API', METHOD_NAMES, MISSING_METHODS],
    ['Methods that reject a bot token, as in Slack', USER_TOKEN_METHODS, []],
    ['Events', EVENTS, MISSING_EVENTS],
    ['Events that only user tokens can subscribe to, rejected as in Slack', USER_EVENTS, []],
    ['Blocks', blocks, Object.keys(UNSUPPORTED_BLOCKS)],
    ['Elements', elements, []],
    ['Manifest keys', KEYS_WITH_EFFECT, ignored],
  ]
  const table = rows.map(
    ([title, supported, missing]) => `| ${title} | ${[...supported].length} | ${[...missing].length} |`,
  )
  return `# What the playground supports

**User tokens (\`xoxp-…\`) aren’t supported.** The playground only issues bot and app tokens, so tests that use a user token fail here.

This page is generated from tables in the playground’s code. To change it, change the tables and run \`node docs/write-coverage.ts\`.
A test compares the tables with \`@slack/web-api\`, \`@slack/types\`, and the validation rules in [rules.md](rules.md).

| | works as in Slack | not supported |
| --- | --- | --- |
${table.join('\n')}

## Methods of the Web API

${codeList(METHOD_NAMES)}.

If a call contains arguments that the playground ignores, the inspector lists them.

Methods that need a user token. A bot token gets \`not_allowed_token_type\`, as in Slack: ${codeList(USER_TOKEN_METHODS)}.

Retired by Slack. The response is \`method_deprecated\` with the name of the replacement (for \`rtm.connect\`, \`not_allowed_token_type\`): ${codeList(RETIRED_METHODS.keys())}.

Not supported. The response is \`unknown_method\` with an explanation: ${codeList(MISSING_METHODS)}.

## Events

${codeList(EVENTS)}.

Not supported, so never sent: ${codeList(MISSING_EVENTS)}.

Slack sends these only to subscriptions in \`user_events\`, not to bots: ${codeList(USER_EVENTS)}. A manifest
with one of them in \`bot_events\` is rejected.

## Blocks and elements

Their fields and limits are in [rules.md](rules.md). Blocks: ${codeList(blocks)}. Elements: ${codeList(elements)}.

Not supported:

${Object.entries(UNSUPPORTED_BLOCKS)
  .map(([name, reason]) => `- \`${name}\`: ${reason}`)
  .join('\n')}

## Manifest keys

Used by the playground: ${codeList(KEYS_WITH_EFFECT)}.

Validated, then ignored: ${codeList(ignored)}.

If a manifest has one of these keys, the playground prints a note when it starts:

${Object.entries(UNSUPPORTED_KEYS)
  .map(([key, sentence]) => `- \`${key}\`: ${sentence}`)
  .join('\n')}
`
}
