import { type SuggestedCommand, TEXT_LIMITS, UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../domain/private-key.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { cleanTyped } from '../../domain/typed-text/clean.ts'
import { formatCount } from '../../domain/wording.ts'
import { type FlagSpecs, flagType, matchFlag } from '../grammar/flags.ts'
import { InvalidLine } from '../grammar/invalid-line.ts'
import type { Arguments } from '../grammar/read-words.ts'
import { splitWords } from '../grammar/split-words.ts'
import type { OpensModal } from './command-context.ts'
import { beforeQuestion, hasQuestionMark } from './question-marks.ts'
import { canOpenForm, commonFlags, isActOf, opensModalFor, readLine, type Verbs } from './read-line.ts'
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
  /** True if it changes something in the service, the store or, beyond its own answer, in Slack. */
  isAct: boolean
  opensModal: OpensModal | undefined
  /** The line that was meant if what was read as the name of a health check isn't one. */
  suggestedLine: string | undefined
}

/** Splits a button's line, such as `/hc list web-*`. */
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

/** Parses a line immediately, without reading anything. Throws UserError. */
export function resolveLine(routes: Verbs, { command, text }: CommandLine): ResolvedLine {
  // Checked before any of it is quoted, stored, or searched for.
  if (containsPrivateKey(text.slice(0, TEXT_LIMITS.message))) throw new UserError(LEAKED_KEY_WARNING)
  const { verb, args, words, suggestedLine } = readOrExplain(routes, command, text)
  const { env, share } = args.flags
  return {
    verb,
    args,
    name: verbName(verb),
    line: `${verbName(verb)} ${joinWords(removeFlags(commonFlags(verb), words))}`.trim(),
    // The parser accepts only `production` and `ote`, so the cast is safe.
    environment: env as Environment | undefined,
    isAct: share === true || isActOf(verb, args),
    opensModal: opensModalFor(verb, args),
    suggestedLine,
  }
}

/** Parses a line that a person typed, unless it is too long. Lines that the app created may be longer. */
export function resolveTyped(routes: Verbs, { command, text }: CommandLine): ResolvedLine {
  const { length } = text
  if (length <= TEXT_LIMITS.line) return resolveLine(routes, { command, text: cleanTyped(text) })
  // A private key is more urgent than the length.
  if (containsPrivateKey(text.slice(0, TEXT_LIMITS.message))) throw new UserError(LEAKED_KEY_WARNING)
  throw new UserError(
    `A command can have at most ${formatCount(TEXT_LIMITS.line)} characters, and this one has ${formatCount(length)}. It wasn’t run. Shorten it.`,
  )
}

/** Throws the error to show, with a button for the line that was meant, if it can be typed, and the help. */
function readOrExplain(routes: Verbs, command: string, text: string) {
  try {
    return readLine(routes, command, withoutQuestion(routes, command, text))
  } catch (error) {
    if (!(error instanceof InvalidLine)) throw error
    const [word = ''] = text.split(' ', 1)
    const verb = word !== 'help' && routes.findVerbs(command)?.get(word.toLowerCase())
    throw new UserError(error.message, [
      ...[...new Set(error.meant.flatMap((line) => listReadable(routes, line)))].map(suggestLine),
      { label: 'Help', line: `/${command} help${verb && !verb.hidden ? ` ${verb.verb}` : ''}` },
    ])
  }
}

/** A line to offer, if it can be read. Otherwise, those that are offered for it. */
function listReadable(routes: Verbs, line: string, isNested = false): readonly string[] {
  const { command, text } = splitCommand(line)
  try {
    readLine(routes, command, withoutQuestion(routes, command, text))
    return [line]
  } catch (error) {
    if (isNested || !(error instanceof InvalidLine)) return []
    return error.meant.flatMap((meant) => listReadable(routes, meant, true))
  }
}

/** A button for a line that was probably meant. */
export const suggestLine = (line: string): SuggestedCommand => ({
  label: `Did you mean ${clip(cmd(line), 60)}?`,
  line,
})

/**
 * Throws InvalidLine for a line that would act or open a form, but ends in a question mark, before its flags or after them: it may be a
 * question. Our own buttons quote theirs. A read only loses the mark if its verb has it: `down?`.
 */
function withoutQuestion(routes: Verbs, command: string, text: string): string {
  if (!hasQuestionMark(text)) return text
  const words = splitWords(text)
  const flagAt = words.findIndex((word) => matchFlag(word) !== undefined)
  const [before, flags] = flagAt === -1 ? [words, []] : [words.slice(0, flagAt), words.slice(flagAt)]
  const [asked, askedFlags] = [beforeQuestion(before), beforeQuestion(flags)]
  if (!asked && !askedFlags) return text
  const meant = [...(asked ?? before), ...(askedFlags ?? flags)]
  const line = joinWords(meant)
  const reading = readIfPossible(routes, command, line)
  if (!reading) return text
  const { verb, args } = reading
  if (!isActOf(verb, args) && !canOpenForm(verb)) return meant.length === 1 ? line : text
  const isText = verb.slots?.some(({ isProse }) => isProse) && before.length > 2
  throw new InvalidLine(
    'This ends in a question mark, so it may be a question. If the mark belongs to it, use quotes.',
    // A free text may well be a question.
    isText
      ? `/${command} ${joinWords([...before.slice(0, 2), { text: joinWords(before.slice(2)), isQuoted: true }, ...flags])}`
      : `/${command} ${line}`.trim(),
  )
}

function readIfPossible(routes: Verbs, command: string, text: string) {
  try {
    return readLine(routes, command, text)
  } catch {
    return undefined
  }
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
