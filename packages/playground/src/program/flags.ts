import { parseArgs } from 'node:util'
import { RATE_LIMIT_MODES } from '../api/rate-limits.ts'
import type { PlaygroundOptions } from './start.ts'

export const USAGE = `Usage: signalman-playground [--manifest FILE] [--port 3100] -- COMMAND…
       signalman-playground [--manifest FILE] [--port 3100] --app-url URL --signing-secret SECRET

The first form starts an app with COMMAND. It sets SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, SLACK_API_URL,
PORT, and more, and keeps running when the app exits. The second form connects to an app that is already running.

  --manifest FILE         the app's manifest, JSON or YAML (default: manifest.yml)
  --port N                the port of the page and the Web API; 0 for any free one (default: 3100)
  --app-url URL           the app's base URL, instead of the hosts in the manifest
  --signing-secret S, --bot-token T, --app-token T, --client-id ID, --client-secret S
                          your own credentials, instead of the playground's
  --rate off|slack        rate limits: none, or one post per second and channel (default: slack)
  --version               print the version
`

const FLAGS = {
  port: { type: 'string' },
  'app-url': { type: 'string' },
  'signing-secret': { type: 'string' },
  'bot-token': { type: 'string' },
  'app-token': { type: 'string' },
  'client-id': { type: 'string' },
  'client-secret': { type: 'string' },
  manifest: { type: 'string' },
  rate: { type: 'string' },
  help: { type: 'boolean' },
} as const

export interface Flags {
  options: PlaygroundOptions
  /** The command that starts the app; empty if the app is already running. */
  command: string[]
  wantsHelp: boolean
}

type Values = ReturnType<typeof parse>['values']
const parse = (args: string[]) => parseArgs({ args, options: FLAGS, allowPositionals: false })

function findErrors(values: Values, port: number, hasCommand: boolean): string[] {
  const errors: string[] = []
  const appUrl = values['app-url']
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    errors.push(`--port must be from 0 to 65535, not "${values.port}".`)
  if (appUrl !== undefined && (!/^https?:\/\//.test(appUrl) || !URL.canParse(appUrl)))
    errors.push(`--app-url must be the app's base URL, such as http://127.0.0.1:3000, not "${appUrl}".`)
  if (values.rate !== undefined && !RATE_LIMIT_MODES.some((rate) => rate === values.rate))
    errors.push(`--rate must be off or slack, not "${values.rate}".`)
  if (!hasCommand && !values['signing-secret'])
    errors.push(
      '--signing-secret is missing. Pass the signing secret of the running app, or start the app: -- node app.js',
    )
  return errors
}

/** Parses the flags, and the command after `--`. Throws one Error with all problems. */
export function readFlags(args: readonly string[]): Flags {
  const separator = args.indexOf('--')
  const command = separator < 0 ? [] : args.slice(separator + 1)
  const { values } = parse(separator < 0 ? [...args] : args.slice(0, separator))
  const port = Number(values.port ?? 3100)
  const errors = values.help ? [] : findErrors(values, port, command.length > 0)
  if (separator >= 0 && command.length === 0) errors.push('Add the command that starts the app after --.')
  if (errors.length > 0) throw new Error(errors.join('\n'))
  const textOptions = {
    appUrl: values['app-url'],
    botToken: values['bot-token'],
    appToken: values['app-token'],
    clientId: values['client-id'],
    clientSecret: values['client-secret'],
    rate: values.rate,
  }
  return {
    command,
    wantsHelp: values.help === true,
    options: {
      port,
      signingSecret: values['signing-secret'] || 'playground-signing-secret',
      manifestPath: values.manifest || 'manifest.yml',
      ...Object.fromEntries(
        Object.entries(textOptions).filter(([, value]) => value !== undefined && value !== ''),
      ),
    },
  }
}
