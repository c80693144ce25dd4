// This folder: the app’s manifest.

import type { Shortcut, SlashCommand } from '../protocol/protocol.ts'
import { readManifestFile } from './read-file.ts'
import type { ManifestFile } from './schema.ts'

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
  /** Whether the app uses Socket Mode instead of request URLs. */
  isSocketMode: boolean
  requestUrls: RequestUrls
}

const toCommand = (
  slashCommand: NonNullable<NonNullable<ManifestFile['features']>['slash_commands']>[number],
): SlashCommand => ({
  command: slashCommand.command,
  description: slashCommand.description,
  usageHint: slashCommand.usage_hint ?? '',
  isEscaped: slashCommand.should_escape ?? false,
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
 * Reads an app manifest in JSON or YAML. Throws a ManifestError if the file is missing, can't be parsed, or breaks Slack's rules. The
 * error lists each problem with its field and the name of the rule.
 */
export function readManifest(path: string): Manifest {
  const file = readManifestFile(path)
  const { display_information, features, oauth_config, settings } = file
  return {
    botName: features?.bot_user?.display_name ?? display_information.name,
    commands: (features?.slash_commands ?? []).map(toCommand),
    shortcuts: (features?.shortcuts ?? []).map(({ name, callback_id, description }) => ({
      name,
      callbackId: callback_id,
      description,
    })),
    botEvents: settings?.event_subscriptions?.bot_events ?? [],
    scopes: oauth_config?.scopes?.bot ?? [],
    isSocketMode: settings?.socket_mode_enabled === true,
    requestUrls: readRequestUrls(file),
  }
}
