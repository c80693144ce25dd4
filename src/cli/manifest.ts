import { createManifest } from '../bot/install/manifest.ts'
import { Variables } from '../config/variables.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'

const HELP = `
Prints the manifest as JSON, for Slack: Create New App → From a manifest, or App Manifest of an existing app. Every workspace
accepts it, even on the free plan. The person who installs the app can decline the optional scopes.

  --url https://host   where Slack reaches the app. Default: PUBLIC_URL. Not needed with --socket
  --socket             Socket Mode, which needs no public address (OAuth still needs --url)
  --prefix x-          a prefix for every command. Default: COMMAND_PREFIX

Read from the environment: PUBLIC_URL, COMMAND_PREFIX, SLACK_APP_TOKEN (if set, implies --socket, unless --url is given).
`

export const manifest = operatorVerb({
  help: HELP,
  flags: {
    url: { type: 'string' },
    prefix: { type: 'string' },
    socket: { type: 'boolean' },
  },
  async run({ values }, environment) {
    const isSocketMode =
      values.socket ?? (values.url === undefined && Boolean(environment.SLACK_APP_TOKEN?.trim()))
    const expected = createManifest({
      url: readAddress(values.url ?? environment.PUBLIC_URL, isSocketMode),
      prefix: readPrefix(values.prefix ?? environment.COMMAND_PREFIX?.trim() ?? ''),
      isSocketMode,
    })
    printLine(JSON.stringify(expected, null, 2))
    return 0
  },
})

/** Validates a prefix like `COMMAND_PREFIX`. With any other prefix, the app wouldn't recognize its own commands. */
export function readPrefix(text: string): string {
  const { success, error } = Variables.shape.COMMAND_PREFIX.safeParse(text || undefined)
  if (success) return text
  throw new OperatorError(`--prefix (or COMMAND_PREFIX) ${error.issues[0]?.message}.`, 2)
}

function readAddress(text: string | undefined, isSocketMode: boolean): string | undefined {
  if (text === undefined || text.trim() === '') {
    if (isSocketMode) return undefined
    throw new OperatorError('Use --url https://your-host, or --socket for Socket Mode.', 2)
  }
  const url = URL.parse(text.trim())
  const isLocal = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1'
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) && url.pathname === '/')
    return url.origin
  throw new OperatorError(
    `"${text}" isn’t an https:// address without a path, such as https://signalman.example.com.`,
    2,
  )
}
