import type { SuggestedCommand } from '@signalman/runtime'
import { cmd } from '../../domain/command-names.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { type FlagSpecs, flagType, matchFlag } from '../grammar/flags.ts'
import { type Reading, readLine, type Verbs } from './read-line.ts'
import { commonFlags, type Verb } from './routes.ts'

export interface CommandLine {
  /** The command, without its slash and the deployment's prefix. */
  command: string
  text: string
}

/** Parses a line that the app wrote, such as that of a button: it holds no secret, no question, and no word of another tool. */
export const resolveOwn = (routes: Verbs, { command, text }: CommandLine): Reading =>
  readLine(routes, command, text)

/** Splits a button's line, such as `/hc list web-*`. */
export function splitCommand(line: string): CommandLine {
  const [command = ''] = line.split(' ', 1)
  return { command: command.replace(/^\//, ''), text: line.slice(command.length + 1) }
}

/** The command without this deployment's prefix, as in the routing table. */
export const withoutPrefix = (command: string, prefix: string): string =>
  command.startsWith(prefix) ? command.slice(prefix.length) : command

/**
 * The line as it can be typed again, without its environment and `--share`. A text that runs to the end is in quotes, because a button adds
 * an environment behind it.
 */
export function writeLine({ verb, words, args }: Pick<Reading, 'verb' | 'words' | 'args'>): string {
  const { prose = '', proseWords = [], values } = args
  const text = proseWords.length > 0 ? [{ text: values[prose] ?? '', isQuoted: true }] : []
  const others = removeFlags(commonFlags(verb.declared), words.slice(0, words.length - proseWords.length))
  return `${verb.line} ${joinWords([...others, ...text])}`.trim()
}

/** The same, with them if they were typed. */
export function writeTyped(reading: Pick<Reading, 'verb' | 'words' | 'args'>): string {
  const { env, share } = reading.args.flags
  return `${writeLine(reading)}${share ? ' --share' : ''}${env ? ` --env ${env}` : ''}`
}

/** A button for a line that was probably meant. */
export const suggestLine = (line: string): SuggestedCommand => ({ label: cmd(line), line })

/** Undefined if it's refused. */
export function readIfPossible(routes: Verbs, line: string, read = readLine): Reading | undefined {
  const { command, text } = splitCommand(line)
  try {
    return read(routes, command, text)
  } catch {
    return undefined
  }
}

/** Finds the verb of a line on one of our own buttons; undefined if there is none. */
export function findVerbOfLine(routes: Verbs, line: string): Verb | undefined {
  const { command, text } = splitCommand(line)
  // A menu may have a hundred lines, and nearly all of them have a verb that doesn't stand for another one.
  const named = routes.findVerbs(command).get(text.split(' ', 1)[0] ?? '')
  return named && !named.redirect ? named : (readIfPossible(routes, line)?.verb ?? named)
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
