import { StoreError } from '@signalman/durable'
import { ConfigError } from '../config.ts'
import { readBuild } from '../version.ts'
import { withEnvFile } from './env-file.ts'
import { OperatorError, say } from './operator.ts'
import { hearStopSignals } from './stop-signals.ts'
import { findVerb, VERBS } from './verbs.ts'

const GONE_AFTER_MS = 2000

const isHelp = (word: string): boolean => word === '--help' || word === '-h'

/** Heard before anything else is looked at: a start that somebody takes back at once ends like any other stop. */
const signals = process.argv[2] === 'serve' ? hearStopSignals() : undefined

/** The one program: `signalman VERB [flags]`, the same from npm and in the image. */
async function signalman(words: readonly string[]): Promise<number> {
  const [first] = words
  if (first === undefined || isHelp(first) || first === 'help') {
    say(overview())
    return first === undefined ? 2 : 0
  }
  if (first === '--version') {
    const { version, sha256 } = readBuild()
    say(`signalman ${version} (SHA-256 ${sha256})`)
    return 0
  }
  const found = findVerb(words)
  if (!found) return noSuchVerb(first, words.some(isHelp))
  const { verb, args } = found
  const { help, run } = await verb.load()
  if (args.some(isHelp)) {
    say(
      `signalman ${[verb.name, verb.takes].join(' ').trim()}: ${verb.does}\n\n${help.replace(/^\n/, '').trimEnd()}`,
    )
    return 0
  }
  return run(args, verb.makesEnvFile ? process.env : withEnvFile(process.env), signals)
}

/** A word that begins verbs is no verb yet: what can follow it is said. */
function noSuchVerb(first: string, isAsking: boolean): number {
  const family = familyOf(first)
  if (family.length === 0) throw new OperatorError(`signalman has no verb "${first}".\n\n${overview()}`, 2)
  if (!isAsking) throw new OperatorError(`"${first}" needs one more word.\n\n${overview(family)}`, 2)
  say(overview(family))
  return 0
}

/** The verbs that begin with a word which alone is none, such as `audit`. */
const familyOf = (first: string): typeof VERBS => VERBS.filter(({ name }) => name.startsWith(`${first} `))

function overview(family: typeof VERBS = []): string {
  const verbs = family.length > 0 ? family : VERBS
  const width = Math.max(...verbs.map(({ name }) => name.length))
  return [
    'signalman VERB, where VERB is one of',
    '',
    ...verbs.map(({ name, does }) => `  ${name.padEnd(width)}  ${does}`),
    '',
    'signalman VERB --help says more, signalman --version which one this is. From npm: npx signalman VERB, or npm run signalman -- VERB.',
  ].join('\n')
}

try {
  process.exitCode = await signalman(process.argv.slice(2))
} catch (error) {
  // What the operator can mend is one plain message; anything else is a bug and shows its stack.
  process.stderr.write(`${canBeMended(error) ? wordsOf(error) : stackOf(error)}\n`)
  process.exitCode = exitCodeOf(error)
  // Whatever is still open does not hold it.
  setTimeout(() => process.exit(), GONE_AFTER_MS).unref()
}

/** 2 for what was typed wrongly, 1 for anything else. */
function exitCodeOf(error: unknown): number {
  if (error instanceof OperatorError) return error.exitCode
  return isWrongFlag(error) ? 2 : 1
}

/** By whoever runs the program; its message alone says how. */
function canBeMended(error: unknown): error is Error {
  if (error instanceof OperatorError || error instanceof ConfigError || error instanceof StoreError)
    return true
  if (!(error instanceof Error)) return false
  return isWrongFlag(error) || isOfPort(error)
}

/** Of a port that cannot be had: Node's own words name it, and not what to do. */
function isOfPort(error: Error): error is Error & { code?: string; port?: number } {
  return 'syscall' in error && error.syscall === 'listen'
}

function wordsOf(error: Error): string {
  if (!isOfPort(error) || error.code !== 'EADDRINUSE') return error.message
  return `Port ${error.port} is taken (EADDRINUSE), perhaps by another copy of Signalman: stop that, or give another PORT or METRICS_PORT.`
}

/** What `parseArgs` throws: a flag that the verb has not, one without its value, or a word too many. */
function isWrongFlag(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

function stackOf(error: unknown): string {
  return String(error instanceof Error ? (error.stack ?? error) : error)
}
