import { isDeepStrictEqual } from 'node:util'
import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../domain/private-key.ts'
import type { Word } from '../../domain/quoting.ts'
import { formatCount } from '../../domain/wording.ts'
import { type FlagSpecs, flagType, isNumberFlag, matchFlag } from '../grammar/flags.ts'
import type { Arguments } from '../grammar/read-words.ts'
import { Refused } from '../grammar/refused.ts'
import { writeWords } from './line-words.ts'
import { commonFlags, isActOf, type Reading, readWritten, type Verbs } from './read-line.ts'
import { readTyped } from './read-typed.ts'
import { type Verb, verbName } from './routes.ts'

export interface CommandLine {
  /** The command, without its slash and the deployment's prefix. */
  command: string
  text: string
}

/** A parsed line. */
export interface ResolvedLine {
  verb: Verb
  args: Arguments
  /** The verb as typed: `/hc list`. */
  name: string
  /** The line as it can be typed again, without its environment and `--share`. */
  line: string
  /** The environment that the line names. */
  environment: Environment | undefined
  /** The line of the answer whose button opened the window. */
  origin: string | undefined
  /** True if it changes something in the service, the store or, beyond its own answer, in Slack. */
  isAct: boolean
  /** True also when it opens the window of an act. */
  mayChange: boolean
  /** For a line without a verb: what to show if nothing has the name. */
  otherwise?: UserError | undefined
}

/** A line that is parsed only after the person is admitted. Until then, only its command is known. */
export interface DeferredLine {
  /** The command, as typed: `/hc`. */
  name: string
  isAct: false
  mayChange: boolean
  /**
   * Parses the line. Throws the error to show if it can't be parsed. In the person's time zone, a date without a year may be in another
   * year than in UTC.
   */
  resolve(timeZone?: string): Promise<ResolvedLine>
}

/** Parses a line immediately, without reading anything. Never throws. `isTyped` for text that a person typed. */
export type ResolveLine = (line: CommandLine, options?: { isTyped?: boolean }) => ResolvedLine | DeferredLine

/** Splits a stored line or a button's line, such as `/hc list web-*`. */
export function splitCommand(line: string): CommandLine {
  const [command = '', ...words] = line.replace(/^\//, '').split(' ')
  return { command, text: words.join(' ') }
}

/** The command without this deployment's prefix, as in the routing table. */
export const withoutPrefix = (command: string, prefix: string): string =>
  command.startsWith(prefix) ? command.slice(prefix.length) : command

/** Finds the command that a word names, with or without the slash and a prefix (`/x-hc`). Undefined if there is none. */
export const findCommand = (word: string, commands: readonly string[]): string | undefined =>
  commands.find((command) => word === command || (word.startsWith('/') && word.endsWith(command)))

export function createResolveLine(routes: Verbs): ResolveLine {
  function resolve({ command, text }: CommandLine, isTyped: boolean): ResolvedLine {
    // Checked before any of it is quoted, stored, or searched for.
    if (containsPrivateKey(text)) throw new UserError(LEAKED_KEY_WARNING)
    const read = isTyped ? readTyped : readWritten
    const { verb, args, words, otherwise } = read(routes, command, text)
    const { env, from, share } = args.flags
    const isAct = share === true || isActOf(verb, args)
    return {
      verb,
      args,
      name: verbName(verb),
      line: `${verbName(verb)} ${writeWords(verb, removeFlags(commonFlags(verb), words))}`.trim(),
      // The parser accepts only `production` and `ote`, so the cast is safe.
      environment: env as Environment | undefined,
      origin: verb.opensModal && typeof from === 'string' ? originLine(command, from) : undefined,
      isAct,
      mayChange: isAct || verb.opensModal === true,
      ...(otherwise && { otherwise: explain(routes, command, otherwise) }),
    }
  }

  return (line, { isTyped = false } = {}) => {
    try {
      return resolve(line, isTyped)
    } catch (error) {
      const verb = findVerbOfLine(routes, `/${line.command} ${line.text}`)
      const mayChange = Boolean(verb?.isAct) || verb?.opensModal === true
      const refuse = async (timeZone?: string) => {
        if (!(error instanceof Refused)) throw error
        throw explain(routes, line.command, findRefusal(line, isTyped, timeZone) ?? error)
      }
      return { ...createDeferredLine(`/${line.command}`, refuse), mayChange }
    }
  }

  /** Why a line can't be read in a time zone. Undefined if it can: then the refusal in UTC stands, because the line was never an act. */
  function findRefusal(
    { command, text }: CommandLine,
    isTyped: boolean,
    timeZone: string | undefined,
  ): Refused | undefined {
    const read = isTyped ? readTyped : readWritten
    try {
      read(routes, command, text, timeZone)
      return undefined
    } catch (error) {
      if (error instanceof Refused) return error
      throw error
    }
  }
}

/** Thrown if a line can't be read. Its buttons are lines that the person may have meant. */
export class NotUnderstood extends UserError {
  override readonly name = 'NotUnderstood'
}

/** How many lines are suggested. More wouldn't help. */
export const MAX_SUGGESTIONS = 2

/** The error to show, with a button for each suggested line that can be typed, and the help. */
function explain(routes: Verbs, command: string, { message, lines }: Refused): NotUnderstood {
  const written = new Set(lines.flatMap((line) => toWritten(routes, line) ?? []))
  const suggestions = [...written].map((line) => ({
    label: `Run ${clip(cmd(line), MAX_LABEL_LENGTH)}`,
    line,
  }))
  return new NotUnderstood(message, [...suggestions, { label: 'Help', line: `/${command} help` }])
}

const MAX_LABEL_LENGTH = 70

/** The line of a button that does what typing a line does. Undefined if that would be refused. */
export function toWritten(routes: Verbs, line: string): string | undefined {
  const typed = tryRead(readTyped, routes, line)
  if (!typed || (typed.otherwise && typed.verb.verb !== '') || !hasNumbers(typed.verb, typed.args))
    return undefined
  const { verb, args, words } = typed
  const written = tryRead(readWritten, routes, line)
  if (written?.verb === verb && isDeepStrictEqual(written.args, args)) return line
  const own = `${verbName(verb)} ${writeWords(verb, words)}`.trim()
  return tryRead(readWritten, routes, own)?.verb === verb ? own : undefined
}

function tryRead(read: typeof readTyped, routes: Verbs, line: string): Reading | undefined {
  const { command, text } = splitCommand(line)
  try {
    return read(routes, command, text)
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}

/** Whether the flags for numbers have numbers: `--days 24h` isn’t understood. */
const hasNumbers = ({ flags: specs = {} }: Verb, { flags }: Arguments): boolean =>
  Object.entries(specs).every(
    ([name, spec]) => !isNumberFlag(spec) || /^(?:\d+|undefined)$/.test(String(flags[name])),
  )

export const createDeferredLine = (
  name: string,
  read: (timeZone?: string) => Promise<ReturnType<ResolveLine>>,
): DeferredLine => ({
  name,
  isAct: false,
  mayChange: false,
  async resolve(timeZone) {
    const line = await read(timeZone)
    return 'resolve' in line ? line.resolve(timeZone) : line
  },
})

/** Parses a typed line, unless it is too long. Lines that the app created may be longer. */
export const resolveTyped = (resolve: ResolveLine, line: CommandLine): ReturnType<ResolveLine> =>
  line.text.length > TEXT_LIMITS.line
    ? createDeferredLine(`/${line.command}`, async () => Promise.reject(createTooLongError(line.text)))
    : resolve(line, { isTyped: true })

/** The error for a text that is too long. A private key in it is reported instead, because that is more urgent. */
export function createTooLongError(text: string): UserError {
  if (containsPrivateKey(text.slice(0, TEXT_LIMITS.message))) return new UserError(LEAKED_KEY_WARNING)
  const [maxLength, length] = [TEXT_LIMITS.line, text.length].map(formatCount)
  return new UserError(
    `A command can have at most ${maxLength} characters, and this one has ${length}. It wasn’t run. Shorten it.`,
  )
}

/** Finds the verb of a line on one of our own buttons by its first words; undefined if there is none. */
export function findVerbOfLine(routes: Verbs, line: string): Verb | undefined {
  // Fast path: a menu may have a hundred lines, and nearly all of them start with a verb in its normal spelling.
  const [slashed = '', word = ''] = line.split(' ', 2)
  const command = slashed.slice(1)
  const named = word === '' || word.startsWith('-') ? undefined : routes.findWords(command).get(word)
  if (named && !named.redirect) return named
  try {
    return readWritten(routes, command, line.slice(slashed.length + 1)).verb
  } catch {
    return named
  }
}

/** The line of an answer as a value of `--from`: without the command if the button has the same one. */
export function originText(origin: string, command: string): string {
  const prefix = `/${command} `
  return origin.startsWith(prefix) ? origin.slice(prefix.length) : origin
}

const originLine = (command: string, from: string): string =>
  from.startsWith('/') ? from : `/${command} ${from}`

/** Removes these flags and their values from the words. */
function removeFlags(flags: FlagSpecs, words: readonly Word[]): Word[] {
  const remaining: Word[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]
    if (!word) continue
    const flag = matchFlag(word)
    const spec = flag && Object.hasOwn(flags, flag.name) ? flags[flag.name] : undefined
    if (!spec) remaining.push(word)
    else if (flagType(spec) !== 'switch' && flag?.value === undefined) index += 1
  }
  return remaining
}
