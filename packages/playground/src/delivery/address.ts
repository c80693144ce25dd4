import type { RequestUrls } from '../manifest/manifest.ts'

/** Where every app listened that the playground supported before, and where Bolt listens by default. */
const CUSTOMARY_PATH = '/slack/events'

/** What of a request decides where it goes. */
export interface Addressed {
  /** As the journal names it: `command`, `event:app_mention`, `block_suggestion`, `block_actions`, … */
  kind: string
  /** The slash command, for a request of that kind. */
  command?: string
}

function inManifest(
  { commands, events, interactivity, options, tools }: RequestUrls,
  { kind, command }: Addressed,
) {
  if (kind === 'command') return commands[command ?? '']
  if (kind.startsWith('event:') || kind === 'url_verification') return events
  if (kind.startsWith('mcp:')) return tools
  return kind === 'block_suggestion' ? options : interactivity
}

/**
 * Where a request goes: to the manifest's address for it, on the app's own host if that is known. Undefined without either: Slack
 * wouldn't know where to send it.
 */
export function addressOf(
  urls: RequestUrls,
  appUrl: string | undefined,
  request: Addressed,
): string | undefined {
  const given = inManifest(urls, request)
  if (appUrl === undefined) return given
  if (given === undefined) return new URL(CUSTOMARY_PATH, appUrl).href
  const { pathname, search } = new URL(given)
  return new URL(pathname + search, appUrl).href
}
