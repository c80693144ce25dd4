import type { RequestUrls } from '../manifest/manifest.ts'

/** Bolt's default path. */
const DEFAULT_PATH = '/slack/events'

/** The parts of a request that determine its URL. */
export interface RequestKind {
  /** The kind of request, as in the journal: `command`, `event:app_mention`, `block_suggestion`, `block_actions`, … */
  kind: string
  /** The slash command, if the kind is `command`. */
  command?: string
}

function manifestUrl(
  { commands, events, interactivity, options }: RequestUrls,
  { kind, command }: RequestKind,
) {
  if (kind === 'command') return commands[command ?? '']
  if (kind.startsWith('event:')) return events
  return kind === 'block_suggestion' ? options : interactivity
}

/**
 * Returns the URL for a request: the manifest's URL, with the host of `appUrl` if that is set. Undefined if neither is set, in which case
 * Slack couldn't send the request either.
 */
export function requestUrl(
  urls: RequestUrls,
  appUrl: string | undefined,
  request: RequestKind,
): string | undefined {
  const url = manifestUrl(urls, request)
  if (appUrl === undefined) return url
  if (url === undefined) return new URL(DEFAULT_PATH, appUrl).href
  const { pathname, search } = new URL(url)
  return new URL(pathname + search, appUrl).href
}
