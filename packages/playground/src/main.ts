#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { type PlaygroundOptions, startPlayground } from './start.ts'

const USAGE = `Usage: npm run playground -- --port 3100 [--app-url URL] --signing-secret SECRET [--bot-token TOKEN] [--client-id ID --client-secret SECRET] [--manifest FILE] [--store FILE]
`

const FLAGS = {
  port: { type: 'string' },
  'app-url': { type: 'string' },
  'signing-secret': { type: 'string' },
  'bot-token': { type: 'string' },
  'client-id': { type: 'string' },
  'client-secret': { type: 'string' },
  manifest: { type: 'string' },
  store: { type: 'string' },
} as const

/** The flags as options; all faults together in one Error. */
function readFlags(args: string[]): PlaygroundOptions {
  const { values } = parseArgs({ args, options: FLAGS })
  const faults: string[] = []
  const port = Number(values.port ?? 3100)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    faults.push(`--port must be 0 to 65535, not "${values.port}".`)
  const appUrl = values['app-url']
  if (appUrl !== undefined && (!/^https?:\/\//.test(appUrl) || !URL.canParse(appUrl)))
    faults.push(`--app-url must be the app's address, such as http://127.0.0.1:3000, not "${appUrl}".`)
  const signingSecret = values['signing-secret'] ?? ''
  if (signingSecret === '')
    faults.push('--signing-secret is missing: the secret that the app checks signatures with.')
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return {
    port,
    ...(appUrl !== undefined && { appUrl }),
    signingSecret,
    // That of the project in whose folder it is started.
    manifestPath: values.manifest || 'manifest.yml',
    ...(values.store && { storePath: values.store }),
    ...(values['bot-token'] && { botToken: values['bot-token'] }),
    ...(values['client-id'] && { clientId: values['client-id'] }),
    ...(values['client-secret'] && { clientSecret: values['client-secret'] }),
  }
}

async function main(): Promise<void> {
  const playground = await startPlayground(readFlags(process.argv.slice(2)))
  process.stdout.write(
    `Playground: ${playground.url}/  (Web API ${playground.apiUrl}, bot token ${playground.botToken})\n`,
  )
  const stop = () => {
    playground[Symbol.asyncDispose]().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const taken = 'code' in error && error.code === 'EADDRINUSE'
  return taken ? 'That port is taken: choose another with --port, or 0 for any free one.' : error.message
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n${USAGE}`)
  process.exit(1)
})
