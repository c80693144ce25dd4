import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../domain/private-key.ts'
import { joinWords, type Word, writeTyped } from '../../domain/quoting.ts'
import { cleanTyped } from '../../domain/typed-text/clean.ts'
import { formatCount } from '../../domain/wording.ts'
import { type FlagSpecs, flagType, matchFlag } from '../grammar/flags.ts'
import type { Arguments } from '../grammar/read-words.ts'
import { Refused } from '../grammar/refused.ts'
import { commonFlags, isActOf, readLine, type Verbs } from './read-line.ts'
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
}

/** A line that is parsed only after the person is admitted. Until then, only its command is known. */
export interface DeferredLine {
  /** The command, as typed: `/hc`. */
  name: string
  isAct: false
  mayChange: boolean
  /** Parses the line. Throws the error to show if it can't be parsed. */
  resolve(): Promise<ResolvedLine>
}

/** Parses a line immediately, without reading anything. Never throws. */
export type ResolveLine = (line: CommandLine) => ResolvedLine | DeferredLine

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
  function resolve({ command, text }: CommandLine): ResolvedLine {
    // Checked before any of it is quoted, stored, or searched for.
    if (containsPrivateKey(text)) throw new UserError(LEAKED_KEY_WARNING)
    const { verb, args, words } = readLine(routes, command, text)
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
    }
  }

  return (line) => {
    try {
      return resolve(line)
    } catch (error) {
      const verb = findVerbOfLine(routes, `/${line.command} ${line.text}`)
      const mayChange = Boolean(verb?.isAct) || verb?.opensModal === true
      const refuse = async () => {
        throw error instanceof Refused ? explain(routes, line.command, error) : error
      }
      return { ...createDeferredLine(`/${line.command}`, refuse), mayChange }
    }
  }
}

/** The error to show, with a button for the line that was meant, if it can be typed, and the help. */
function explain(routes: Verbs, command: string, { message, meant }: Refused): UserError {
  const isReadable = meant !== undefined && findVerbOfLine(routes, meant) !== undefined
  const suggestion = isReadable ? [{ label: `Did you mean ${clip(cmd(meant), 60)}?`, line: meant }] : []
  return new UserError(message, [...suggestion, { label: 'Help', line: `/${command} help` }])
}

export const createDeferredLine = (
  name: string,
  read: () => Promise<ReturnType<ResolveLine>>,
): DeferredLine => ({
  name,
  isAct: false,
  mayChange: false,
  async resolve() {
    const line = await read()
    return 'resolve' in line ? line.resolve() : line
  },
})

/** Parses a typed line, unless it is too long. Lines that the app created may be longer. */
export const resolveTyped = (
  resolve: ResolveLine,
  { command, text }: CommandLine,
): ReturnType<ResolveLine> =>
  text.length > TEXT_LIMITS.line
    ? createDeferredLine(`/${command}`, async () => Promise.reject(createTooLongError(text)))
    : resolve({ command, text: cleanTyped(text) })

/** The error for a text that is too long. A private key in it is reported instead, because that is more urgent. */
export function createTooLongError(text: string): UserError {
  if (containsPrivateKey(text.slice(0, TEXT_LIMITS.message))) return new UserError(LEAKED_KEY_WARNING)
  const [maxLength, length] = [TEXT_LIMITS.line, text.length].map(formatCount)
  return new UserError(
    `A command can have at most ${maxLength} characters, and this one has ${length}. It wasn’t run. Shorten it.`,
  )
}

/** Finds the verb of a line on one of our own buttons; undefined if there is none. */
export function findVerbOfLine(routes: Verbs, line: string): Verb | undefined {
  // Fast path: a menu may have a hundred lines, and nearly all of them have a verb that doesn't stand for another one.
  const [slashed = '', word = ''] = line.split(' ', 2)
  const command = slashed.slice(1)
  const named = word === '' || word.startsWith('-') ? undefined : routes.findVerbs(command)?.get(word)
  if (named && !named.redirect) return named
  try {
    return readLine(routes, command, line.slice(slashed.length + 1)).verb
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

/** The words of a verb, so that they can be typed again. Quotes would become part of free text, so it has only those that were typed. */
const writeWords = ({ slots = [] }: Pick<Verb, 'slots'>, words: readonly Word[]): string =>
  slots.some(({ isProse }) => isProse) ? writeTyped(words) : joinWords(words)

/** Removes these flags, which have one value at most, and their values from the words. */
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
