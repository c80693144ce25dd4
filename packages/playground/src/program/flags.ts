import { parseArgs } from 'node:util'
import type { PlaygroundOptions } from './start.ts'

export const USAGE = `Usage: npm run playground -- [--manifest FILE] [--port 3100] [--app-url URL] --signing-secret SECRET

Connects to an app that is already running.

  --manifest FILE         the app's manifest, JSON or YAML (default: manifest.yml)
  --port N                the port of the page and the Web API; 0 for any free one (default: 3100)
  --app-url URL           the app's base URL, instead of the hosts in the manifest
  --signing-secret S      the app's signing secret
`

const FLAGS = {
  port: { type: 'string' },
  'app-url': { type: 'string' },
  'signing-secret': { type: 'string' },
  manifest: { type: 'string' },
  help: { type: 'boolean' },
} as const

export interface Flags {
  options: PlaygroundOptions
  wantsHelp: boolean
}

type Values = ReturnType<typeof parse>['values']
const parse = (args: string[]) => parseArgs({ args, options: FLAGS, allowPositionals: false })

function findErrors(values: Values, port: number): string[] {
  const errors: string[] = []
  const appUrl = values['app-url']
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    errors.push(`--port must be from 0 to 65535, not "${values.port}".`)
  if (appUrl !== undefined && (!/^https?:\/\//.test(appUrl) || !URL.canParse(appUrl)))
    errors.push(`--app-url must be the app's base URL, such as http://127.0.0.1:3000, not "${appUrl}".`)
  if (!values['signing-secret'])
    errors.push('--signing-secret is missing. Pass the signing secret of the app.')
  return errors
}

/** Parses the flags. Throws one Error with all problems. */
export function readFlags(args: readonly string[]): Flags {
  const { values } = parse([...args])
  const port = Number(values.port ?? 3100)
  const errors = values.help ? [] : findErrors(values, port)
  if (errors.length > 0) throw new Error(errors.join('\n'))
  const appUrl = values['app-url']
  return {
    wantsHelp: values.help === true,
    options: {
      port,
      signingSecret: values['signing-secret'] ?? '',
      manifestPath: values.manifest || 'manifest.yml',
      ...(appUrl && { appUrl }),
    },
  }
}
