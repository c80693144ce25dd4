import { CHANNEL_EVENTS, NEEDED_EVENTS } from '@signalman/slack'
import {
  ENTITY_TYPES,
  leftOutOf,
  NEEDED_SCOPES,
  OPTIONAL_FEATURES,
  optionalScopes,
} from '../../domain/optional-features.ts'
import { stepFunctions } from './workflow-steps.ts'

interface ManifestOptions {
  /** Where Slack reaches the app, without a path; undefined in Socket Mode without OAuth. */
  url: string | undefined
  /** Put in front of every command. */
  prefix: string
  /** Requests come over sockets. */
  isSocketMode: boolean
  /** Names of features that are left out. */
  without: ReadonlySet<string>
}

const COMMANDS = [
  {
    name: 'hc',
    description: 'Health checks, their alerts, and the connection to the service',
    usage_hint:
      'list | show NAME | watch NAME | mute NAME 2h | history NAME | create | edit NAME | delete NAME | alerts NAME | export | import | connect | help',
  },
  {
    name: 'threat',
    description: 'Look up threat events by id',
    usage_hint: 'ID… | whois ID | export ID | screenshot ID | help',
  },
  {
    name: 'cert-order',
    description: 'Ask for certificates, approve and list orders',
    usage_hint: 'list | show N | renew CERT_ID | reissue CERT_ID | policy | help',
  },
]

const LONG_DESCRIPTION =
  'Signalman answers slash commands with what the service knows: which health checks are up and which are down and who is mailed about it, what is behind a threat event id, and it places certificate orders. It is run by your own organization. The connection token of the service is stored encrypted and is never shown again.'

/** The manifest of one deployment, as Slack takes it: the scopes that every deployment needs, and the others as optional. */
export function createManifest({ url, prefix, isSocketMode, without: chosen }: ManifestOptions) {
  const without = leftOutOf(chosen, isSocketMode || url === undefined)
  const kept = OPTIONAL_FEATURES.filter(({ name }) => !without.has(name))
  const requests = url === undefined || isSocketMode ? undefined : `${url}/slack/events`
  const events = [
    ...NEEDED_EVENTS,
    ...CHANNEL_EVENTS,
    'user_change',
    ...kept.flatMap(({ events: own = [] }) => own),
  ]
  const optional = optionalScopes(without)
  return {
    _metadata: { major_version: 2, minor_version: 0 },
    display_information: {
      name: 'Signalman',
      description: 'Health checks, threat events and certificate orders in the channel where you work',
      background_color: '#1d3a5f',
      long_description: LONG_DESCRIPTION,
    },
    features: featuresOf(without, prefix, requests),
    oauth_config: {
      ...(url !== undefined && { redirect_urls: [`${url}/slack/oauth_redirect`] }),
      scopes: {
        bot: [...NEEDED_SCOPES],
        ...(optional.length > 0 && { bot_optional: optional }),
      },
    },
    // Slackbot asks the app at this address (https://docs.slack.dev/ai/slackbot-mcp-client, November 2026).
    ...(!without.has('slackbot') && {
      mcp_servers: { signalman: { url: `${url}/slack/mcp`, auth_type: 'slack_identity_auth' } },
    }),
    ...(!without.has('workflows') && { functions: stepFunctions(without) }),
    settings: {
      event_subscriptions: { ...(requests && { request_url: requests }), bot_events: events.toSorted() },
      interactivity: { is_enabled: true, ...(requests && { request_url: requests }) },
      org_deploy_enabled: true,
      socket_mode_enabled: isSocketMode,
      token_rotation_enabled: false,
    },
  }
}

/** Cards of these can be opened beside the conversation (https://docs.slack.dev/reference/app-manifest, November 2026). */
const entityTypes = (without: ReadonlySet<string>): string[] =>
  without.has('work-objects')
    ? []
    : Object.entries(ENTITY_TYPES).flatMap(([feature, type]) => (without.has(feature) ? [] : [type]))

const featuresOf = (without: ReadonlySet<string>, prefix: string, requests: string | undefined) => ({
  app_home: {
    home_tab_enabled: true,
    messages_tab_enabled: true,
    messages_tab_read_only_enabled: without.has('direct-messages'),
  },
  bot_user: { display_name: 'Signalman', always_online: true },
  slash_commands: COMMANDS.filter(({ name }) => !without.has(name)).map(({ name, ...rest }) => ({
    command: `/${prefix}${name}`,
    ...(requests && { url: requests }),
    ...rest,
    should_escape: false,
  })),
  ...(entityTypes(without).length > 0 && {
    rich_previews: { is_active: true, entity_types: entityTypes(without) },
  }),
  ...(!without.has('threat') && {
    shortcuts: [
      {
        name: 'Look up threat event',
        type: 'message',
        callback_id: 'threat.look-up',
        description: 'Shows the threat events whose ids this message holds',
      },
    ],
  }),
})

/**
 * Where two manifests differ, as a person would look for it: `features.slash_commands: …`. Order of lists does not count. Scopes
 * are compared by `scopeDifferences`.
 */
export function manifestDifferences(wanted: unknown, installed: unknown, path = ''): string[] {
  if (path === 'oauth_config.scopes') return []
  if (isObject(wanted) && isObject(installed))
    return [...new Set([...Object.keys(wanted), ...Object.keys(installed)])].flatMap((key) =>
      manifestDifferences(wanted[key], installed[key], path === '' ? key : `${path}.${key}`),
    )
  if (Array.isArray(wanted) && Array.isArray(installed)) return listDifferences(wanted, installed, path)
  if (same(wanted, installed)) return []
  return [`${path}: ${shown(installed)} is installed, ${shown(wanted)} is wanted`]
}

function listDifferences(wanted: readonly unknown[], installed: readonly unknown[], path: string): string[] {
  // Commands and shortcuts are known by their names.
  const named = byName(wanted)
  const there = byName(installed)
  if (named && there)
    return [...new Set([...named.keys(), ...there.keys()])].flatMap((name) =>
      manifestDifferences(named.get(name), there.get(name), `${path} ${name}`),
    )
  const missing = wanted.filter((one) => !installed.some((other) => same(one, other)))
  const more = installed.filter((one) => !wanted.some((other) => same(one, other)))
  return [
    ...missing.map((one) => `${path}: ${shown(one)} is missing`),
    ...more.map((one) => `${path}: ${shown(one)} is not needed`),
  ]
}

function byName(list: readonly unknown[]): Map<string, unknown> | undefined {
  const entries = list.map(
    (one) => [isObject(one) ? (one.command ?? one.callback_id) : undefined, one] as const,
  )
  if (entries.some(([name]) => typeof name !== 'string')) return undefined
  return new Map(entries.map(([name, one]) => [String(name), one]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return isObject(value) || Array.isArray(value) ? 'something' : JSON.stringify(value)
}

interface Asked {
  oauth_config?: { scopes?: { bot?: unknown; bot_optional?: unknown } | null } | null
}

const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** The scopes of two manifests, compared by what they mean: one that is optional here may not be demanded there. */
export function scopeDifferences(wanted: object, installed: unknown): string[] {
  // Somebody's file: whatever is no list of texts counts as none.
  const scopesOf = (manifest: unknown) => {
    const { bot, bot_optional } = (manifest as Asked | null)?.oauth_config?.scopes ?? {}
    const optional = new Set(list(bot_optional))
    // Slack lists an optional one among the others too.
    return { optional, needed: new Set(list(bot).filter((scope) => !optional.has(scope))) }
  }
  const ours = scopesOf(wanted)
  const theirs = scopesOf(installed)
  const all = [...new Set([...ours.needed, ...ours.optional, ...theirs.needed, ...theirs.optional])]
  return all.toSorted().flatMap((scope) => {
    const says = differenceOf(scope, ours, theirs)
    return says === undefined ? [] : [`oauth_config.scopes: ${scope} ${says}`]
  })
}

interface Scopes {
  needed: ReadonlySet<string>
  optional: ReadonlySet<string>
}

function differenceOf(scope: string, ours: Scopes, theirs: Scopes): string | undefined {
  const isTheirs = theirs.needed.has(scope) || theirs.optional.has(scope)
  if (ours.needed.has(scope)) {
    if (!isTheirs) return 'is missing, and nothing works without it'
    return theirs.optional.has(scope) ? 'may be declined there, and nothing works without it' : undefined
  }
  if (!ours.optional.has(scope)) return 'is asked for, and not needed'
  if (!isTheirs) return `is missing: without it, ${whatNeeds(scope)} is off`
  return theirs.needed.has(scope) ? `is demanded there, and only ${whatNeeds(scope)} needs it` : undefined
}

const whatNeeds = (scope: string): string =>
  OPTIONAL_FEATURES.filter(({ scopes }) => scopes.includes(scope))
    .map(({ name }) => name)
    .join(', ')
