import { errorCode } from '@signalman/durable'
import { readBuild } from '../version.ts'
import { withEnvFile } from './env-file.ts'
import { explainError } from './explain-error.ts'
import { OperatorError, printLine } from './operator.ts'
import { listenForStopSignals } from './stop-signals.ts'
import { VERBS } from './verbs.ts'

const EXIT_AFTER_MS = 2000
const PROXY = /^(?:https?|no)_proxy$/i

const isHelpFlag = (arg: string): boolean => arg === '--help' || arg === '-h'

/** Installed before anything else, so that a signal during startup stops the program normally. */
const signals = process.argv[2] === 'serve' ? listenForStopSignals() : undefined

/** The program: `signalman VERB [flags]`, the same from npm and in the image. */
async function signalman(args: readonly string[]): Promise<number> {
  const [first] = args
  if (first === undefined || isHelpFlag(first) || first === 'help') {
    printLine(formatOverview())
    return first === undefined ? 2 : 0
  }
  if (first === '--version' || first === '-v' || first === 'version') {
    const { version, sha256 } = await readBuild()
    printLine(`signalman ${version} (SHA-256 ${sha256})`)
    return 0
  }
  const verb = VERBS.find(({ name }) => name === first)
  if (!verb) throw new OperatorError(`signalman has no verb "${first}".\n\n${formatOverview()}`, 2)
  const verbArgs = args.slice(1)
  const environment = verb.createsEnvFile ? process.env : withEnvFile(process.env)
  // Connections read them from the process, where `.env` isn't, and some are created when their module is loaded.
  for (const [name, value] of Object.entries(environment)) if (PROXY.test(name)) process.env[name] = value
  const { help, run } = await verb.load()
  if (verbArgs.some(isHelpFlag)) {
    printLine(
      `signalman ${[verb.name, verb.usage].join(' ').trim()}: ${verb.description}\n\n${help.replace(/^\n/, '').trimEnd()}`,
    )
    return 0
  }
  return run(verbArgs, environment, signals)
}

function formatOverview(): string {
  const width = Math.max(...VERBS.map(({ name }) => name.length))
  return [
    'Usage: signalman VERB',
    '',
    ...VERBS.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`),
    '',
    'For details, run signalman VERB --help. For the version, run signalman --version. From npm: npx signalman VERB, or npm run signalman -- VERB.',
  ].join('\n')
}

/** A reader that has read enough, such as `head`, isn't an error. The verb still runs to its end. */
process.stdout.on('error', (error) => {
  if (errorCode(error) !== 'EPIPE') throw error
})

try {
  process.exitCode = await signalman(process.argv.slice(2))
} catch (error) {
  const { text, exitCode } = explainError(error)
  process.stderr.write(`${text}\n`)
  process.exitCode = exitCode
}
// Exits even if something keeps the event loop running, such as a connection that the other side doesn't close. The timer doesn't.
setTimeout(() => process.exit(), EXIT_AFTER_MS).unref()
