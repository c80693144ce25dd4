import { parseArgs } from 'node:util'
import { DEFAULT_TOKEN, type SandboxOptions, startSandbox } from './start.ts'

const DEFAULT_PORT = 4010
const DEFAULT_DATA = './data/sandbox.db'

function fail(message: string): never {
  process.stderr.write(`sandbox: ${message}\n`)
  process.exit(1)
}

/** Reads `--port N --data FILE --token T`. */
function readOptions(args: string[]): SandboxOptions {
  const { values } = parseArgs({
    args,
    options: { port: { type: 'string' }, data: { type: 'string' }, token: { type: 'string' } },
  })
  const port = values.port === undefined ? DEFAULT_PORT : Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65_534)
    throw new Error(
      `--port ${values.port} isn’t a valid port. Use a number from 1 to 65534 (OTE uses the next port), or 0 to pick free ports.`,
    )
  if (values.token !== undefined && !/^\S+$/.test(values.token))
    throw new Error('--token is empty or contains spaces. Use a token without spaces, or leave the flag out.')
  if (values.data === '') throw new Error('--data is empty. Use a file path, or leave the flag out.')
  return {
    port,
    data: values.data ?? DEFAULT_DATA,
    token: values.token ?? DEFAULT_TOKEN,
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE')
    return `${error.message}. Stop the program that uses the port, or choose another one with --port.`
  if ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
    return `${error.message}. The flags are --port N, --data FILE, and --token T.`
  return error.message
}

const HELP = `npm run sandbox -- [--port N] [--data FILE] [--token T]

Runs a local stand-in for the service on 127.0.0.1. To stop it, send SIGTERM or SIGINT (Ctrl-C).

  --port N     the port for production; OTE uses the next one; 0 picks two free ports (default: ${DEFAULT_PORT})
  --data FILE  the file to store the data in (default: ${DEFAULT_DATA})
  --token T    a token that both environments accept (default: ${DEFAULT_TOKEN})
`

if (['--help', '-h'].includes(process.argv[2] ?? '')) {
  process.stdout.write(HELP)
  process.exit(0)
}

try {
  const sandbox = await startSandbox(readOptions(process.argv.slice(2)))
  const stop = (): void => {
    sandbox[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error) => fail(explain(error)),
    )
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  process.stdout.write(`sandbox ready: production ${sandbox.productionUrl}, OTE ${sandbox.oteUrl}\n`)
} catch (error) {
  fail(explain(error))
}
