import { isFields } from '../protocol/json.ts'
import type { Shortcut, SlashCommand } from '../protocol/protocol.ts'
import { readDocument } from './document.ts'
import { type ManifestFile, manifestFile } from './schema.ts'

/** The manifest's URLs for requests to the app. */
export interface RequestUrls {
  /** The request URL of each slash command. */
  commands: Readonly<Record<string, string>>
  events: string | undefined
  interactivity: string | undefined
  /** The URL for `block_suggestion`, which loads the options of external selects. */
  options: string | undefined
}

export interface Manifest {
  botName: string
  commands: SlashCommand[]
  shortcuts: Shortcut[]
  /** Event names that the app subscribes to. */
  botEvents: string[]
  /** The scopes of the bot token. */
  scopes: string[]
  /** Scopes that a person can decline when installing. */
  optionalScopes: string[]
  /** Whether the app can be installed in a whole organization. */
  /** A warning for each feature in the manifest that the playground doesn't support. */
  unsupported: readonly string[]
  /** Whether interactivity is on. Without it, buttons, menus, and shortcuts don't work. */
  isInteractive: boolean
  /** Whether the app uses Socket Mode instead of request URLs. */
  isSocketMode: boolean
  /** Whether the manifest has redirect URLs. */
  usesOAuth: boolean
  requestUrls: RequestUrls
}

/** Manifest keys of unsupported features, with the message that the playground shows when it starts. */
export const UNSUPPORTED_KEYS: Readonly<Record<string, string>> = {
  functions: 'The playground runs no workflow steps.',
  workflows: 'The playground doesn’t run the manifest’s workflows.',
  datastores: 'The playground has no datastores.',
  mcp_servers: 'The playground has no Slackbot, so it calls no tools.',
  'features.search': 'The playground has no search.',
  'features.unfurl_domains': 'The playground unfurls no links.',
  'features.rich_previews': 'The playground shows no work objects.',
  'features.assistant_view': 'The playground has no assistant threads.',
  'features.agent_view': 'The playground has no assistant threads.',
  'oauth_config.scopes.user': 'The playground issues no user tokens, so user scopes have no effect.',
}

/** Whether the manifest contains a key, given as a path such as `features.search`. */
function hasKey(manifest: unknown, path: string): boolean {
  let value = manifest
  for (const key of path.split('.')) value = isFields(value) ? value[key] : undefined
  return value !== undefined
}

const MANIFEST_DOCUMENT = {
  name: 'manifest',
  flag: '--manifest',
  advice: 'Slack documents manifests at https://docs.slack.dev/reference/app-manifest.',
}

const toCommand = (
  slashCommand: NonNullable<NonNullable<ManifestFile['features']>['slash_commands']>[number],
): SlashCommand => ({
  command: slashCommand.command,
  description: slashCommand.description,
  usageHint: slashCommand.usage_hint ?? '',
  ...(slashCommand.should_escape === true && { shouldEscape: true }),
})

function readRequestUrls({ features, settings }: ManifestFile): RequestUrls {
  const commands = features?.slash_commands ?? []
  return {
    commands: Object.fromEntries(commands.flatMap(({ command, url }) => (url ? [[command, url]] : []))),
    events: settings?.event_subscriptions?.request_url,
    interactivity: settings?.interactivity?.request_url,
    options: settings?.interactivity?.message_menu_options_url ?? settings?.interactivity?.request_url,
  }
}

/**
 * Reads an app manifest in JSON or YAML. Throws a DocumentError if the file is missing, can't be parsed, or breaks Slack's rules. The
 * error lists each problem with its position and the name of the rule.
 */
export function readManifest(path: string): Manifest {
  const file = readDocument(path, manifestFile, MANIFEST_DOCUMENT)
  const { display_information, features, oauth_config, settings } = file
  const { bot: scopes = [], bot_optional: optionalScopes = [] } = oauth_config?.scopes ?? {}
  return {
    botName: features?.bot_user?.display_name ?? display_information.name,
    commands: (features?.slash_commands ?? []).map(toCommand),
    shortcuts: (features?.shortcuts ?? []).map(({ name, type, callback_id, description }) => ({
      name,
      callbackId: callback_id,
      description,
      kind: type,
    })),
    botEvents: settings?.event_subscriptions?.bot_events ?? [],
    scopes,
    optionalScopes,
    unsupported: [
      ...Object.entries(UNSUPPORTED_KEYS).flatMap(([key, sentence]) => (hasKey(file, key) ? [sentence] : [])),
    ],
    isInteractive: settings?.interactivity?.is_enabled !== false,
    usesOAuth: (oauth_config?.redirect_urls ?? []).length > 0,
    isSocketMode: settings?.socket_mode_enabled === true,
    requestUrls: readRequestUrls(file),
  }
}
