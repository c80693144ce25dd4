import { MISSING_EVENTS } from '../acts/event-names.ts'
import { readDocument } from '../document.ts'
import { isFields } from '../json.ts'
import type { Shortcut, SlashCommand, StepFunction } from '../protocol.ts'
import { stepsOf } from './functions.ts'
import { type ManifestFile, manifestFile } from './schema.ts'

/** Where the manifest sends the app's requests; undefined for what it omits. */
export interface RequestUrls {
  /** Command → its own address. */
  commands: Readonly<Record<string, string>>
  events: string | undefined
  interactivity: string | undefined
  /** The tools server for Slackbot. */
  tools: string | undefined
  /** For the options of external selects. */
  options: string | undefined
}

export interface Manifest {
  botName: string
  commands: SlashCommand[]
  shortcuts: Shortcut[]
  /** Event names that the app subscribes to. */
  botEvents: string[]
  /** The types of message metadata whose events it subscribes to. */
  metadataTypes: string[]
  /** What the bot token can do. */
  scopes: string[]
  /** Those that a person can decline when installing. */
  optionalScopes: string[]
  /** It can be installed in a whole organization. */
  isOrgReady: boolean
  /** The workflow steps that it provides. */
  steps: StepFunction[]
  /** Work objects that it can send. */
  entityTypes: readonly string[]
  /** It can post to one channel without a token. */
  hasWebhook: boolean
  /** Domains whose addresses it unfurls. */
  unfurlDomains: readonly string[]
  /** People can start threads with it. */
  isAssistant: boolean
  /** What it expects that doesn't exist here, as sentences. */
  gaps: readonly string[]
  /** Its buttons, menus, and shortcuts work. */
  isInteractive: boolean
  /** It receives requests over a WebSocket that it opens, and has no request addresses. */
  isSocketMode: boolean
  /** It has addresses for people who return from installing it. */
  usesOAuth: boolean
  requestUrls: RequestUrls
}

/** Keys for features that don't exist here, and what is said about each when the playground starts. */
export const GAPS: Readonly<Record<string, string>> = {
  'features.search':
    'Nobody searches here: the functions of features.search are run as steps, with Steps on the page.',
  workflows: 'A manifest’s workflows are not run here; each of its functions is, with Steps on the page.',
  datastores: 'There are no datastores here.',
  'oauth_config.scopes.user': 'Nobody’s own token is given out here: the scopes of people have no effect.',
}

const at = (value: unknown, key: string): unknown => (isFields(value) ? value[key] : undefined)

const ABOUT = {
  what: 'manifest',
  flag: '--manifest',
  mend: 'Slack describes manifests at https://docs.slack.dev/reference/app-manifest.',
}

const commandOf = (
  one: NonNullable<NonNullable<ManifestFile['features']>['slash_commands']>[number],
): SlashCommand => ({
  command: one.command,
  description: one.description,
  usageHint: one.usage_hint ?? '',
  ...(one.should_escape === true && { shouldEscape: true }),
})

function requestUrls({ features, settings, mcp_servers }: ManifestFile): RequestUrls {
  const commands = features?.slash_commands ?? []
  return {
    commands: Object.fromEntries(commands.flatMap(({ command, url }) => (url ? [[command, url]] : []))),
    tools: Object.values(mcp_servers ?? {})[0]?.url,
    events: settings?.event_subscriptions?.request_url,
    interactivity: settings?.interactivity?.request_url,
    options: settings?.interactivity?.message_menu_options_url ?? settings?.interactivity?.request_url,
  }
}

/**
 * What the playground needs from an app manifest, in JSON or YAML. Throws DocumentFault if the file is missing, is neither, or
 * breaks one of Slack's rules: with the file, the position, the problem, and the rule's name.
 */
export function readManifest(path: string): Manifest {
  const file = readDocument(path, manifestFile, ABOUT)
  const { display_information, features, oauth_config, settings } = file
  const { bot: scopes = [], bot_optional: optionalScopes = [] } = oauth_config?.scopes ?? {}
  return {
    botName: features?.bot_user?.display_name ?? display_information.name,
    commands: (features?.slash_commands ?? []).map(commandOf),
    shortcuts: (features?.shortcuts ?? []).map(({ name, type, callback_id, description }) => ({
      name,
      callbackId: callback_id,
      description,
      kind: type,
    })),
    botEvents: settings?.event_subscriptions?.bot_events ?? [],
    metadataTypes: (settings?.event_subscriptions?.metadata_subscriptions ?? []).map(
      ({ event_type }) => event_type,
    ),
    scopes,
    optionalScopes,
    isOrgReady: settings?.org_deploy_enabled === true,
    steps: stepsOf(file.functions),
    entityTypes: features?.rich_previews?.is_active ? (features.rich_previews.entity_types ?? []) : [],
    hasWebhook:
      settings?.incoming_webhooks?.incoming_webhooks_enabled !== false && scopes.includes('incoming-webhook'),
    unfurlDomains: features?.unfurl_domains ?? [],
    isAssistant: (features?.assistant_view ?? features?.agent_view) !== undefined,
    gaps: [
      ...Object.entries(GAPS).flatMap(([key, gap]) =>
        key.split('.').reduce(at, file) === undefined ? [] : [gap],
      ),
      ...(settings?.event_subscriptions?.bot_events ?? [])
        .filter((name) => MISSING_EVENTS.has(name))
        .map((name) => `${name} is never sent here: docs/coverage.md says what is.`),
    ],
    isInteractive: settings?.interactivity?.is_enabled !== false,
    usesOAuth: (oauth_config?.redirect_urls ?? []).length > 0,
    isSocketMode: settings?.socket_mode_enabled === true,
    requestUrls: requestUrls(file),
  }
}
