import { parseArgs } from 'node:util'
import { DEFAULT_TOKEN, type SandboxOptions, startSandbox } from './start.ts'

const DEFAULT_PORT = 4010
const DEFAULT_DATA = './data/sandbox.db'
const HELP = `npm run sandbox -- [--port N] [--data FILE] [--token T]

Runs a local stand-in for the service on 127.0.0.1. To stop it, send SIGTERM or SIGINT (Ctrl-C).

  --port N     the port for production; OTE uses the next one; 0 picks two free ports (default: ${DEFAULT_PORT})
  --data FILE  the file to store the data in (default: ${DEFAULT_DATA})
  --token T    a token that both environments accept (default: ${DEFAULT_TOKEN})
`

/** Reads the flags. Undefined for `--help`. */
function readOptions(args: string[]): SandboxOptions | undefined {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: { port: string, data: string, token: string, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return undefined
  const port = Number(values.port ?? DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65_534)
    throw new Error(`--port must be from 0 to 65534, not “${values.port}”. OTE uses the next port.`)
  const { data = DEFAULT_DATA, token = DEFAULT_TOKEN } = values
  return { port, data, token }
}

try {
  const options = readOptions(process.argv.slice(2))
  if (!options) {
    process.stdout.write(HELP)
    process.exit(0)
  }
  const sandbox = await startSandbox(options)
  const stop = (): void => void sandbox[Symbol.asyncDispose]().then(() => process.exit(0))
  process.once('SIGTERM', stop).once('SIGINT', stop)
  process.stdout.write(`sandbox ready: production ${sandbox.productionUrl}, OTE ${sandbox.oteUrl}\n`)
} catch (error) {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : error}\n\n${HELP}`)
  process.exit(1)
}
