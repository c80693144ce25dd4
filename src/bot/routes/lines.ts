import { type SuggestedCommand, TEXT_LIMITS, UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import type { NamedCheck } from '../../domain/mistyped-check-name.ts'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../domain/private-key.ts'
import { joinWords, splitWords, type Word } from '../../domain/quoting.ts'
import { cleanTyped } from '../../domain/typed-text/clean.ts'
import { formatCount } from '../../domain/wording.ts'
import { type FlagSpecs, flagType, matchFlag } from '../grammar/flags.ts'
import { InvalidLine } from '../grammar/invalid-line.ts'
import { readText } from '../grammar/parameters.ts'
import { replaceWords } from '../grammar/replace-words.ts'
import { findOffers, type Offers } from './offers.ts'
import { isAboutLine } from './other-tools.ts'
import { beforeQuestion, QUESTION_MARK } from './question-marks.ts'
import { opensForm, type Reading, readLine, type Verbs } from './read-line.ts'
import { commonFlags, type Verb } from './routes.ts'
import { countBeforePattern, NOUNS } from './tokens.ts'

export interface CommandLine {
  /** The command, without its slash and the deployment's prefix. */
  command: string
  text: string
}

/** A parsed line. */
export interface ResolvedLine extends Reading {
  /** The verb as typed: `/hc list`. */
  name: string
  /** The line that was typed. */
  typed: CommandLine
  /** The environment that the line names. */
  environment: Environment | undefined
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
export function resolveLine(
  routes: Verbs,
  { command, text }: CommandLine,
  read: typeof readLine = readAsked,
): ResolvedLine {
  let reading: Reading
  try {
    reading = read(routes, command, text)
  } catch (error) {
    throw error instanceof InvalidLine ? explainUnread(routes, { command, text }, error) : error
  }
  return {
    ...reading,
    name: reading.verb.line,
    typed: { command, text },
    // The parser accepts only `production` and `ote`, so the cast is safe.
    environment: reading.args.flags.env as Environment | undefined,
  }
}

/** Parses a line that the app wrote, such as that of a button: it holds no secret, no question, and no text that may be meant otherwise. */
export const resolveOwn = (routes: Verbs, line: CommandLine): ResolvedLine =>
  resolveLine(routes, line, readLine)

/** Parses a line that a person typed, unless it is too long. Lines that the app created may be longer. */
export function resolveTyped(routes: Verbs, { command, text: typed }: CommandLine): ResolvedLine {
  const { length } = typed
  const isTooLong = length > TEXT_LIMITS.line
  const text = isTooLong ? typed.slice(0, TEXT_LIMITS.message) : cleanTyped(typed)
  // Checked before any of it is quoted, stored, or searched for. A private key is more urgent than the length.
  if (containsPrivateKey(text)) throw new UserError(LEAKED_KEY_WARNING)
  if (!isTooLong) return resolveLine(routes, { command, text })
  throw new UserError(
    `A command can have at most ${formatCount(TEXT_LIMITS.line)} characters, and this one has ${formatCount(length)}. It wasn’t run. Shorten it.`,
  )
}

/** The line as it can be typed again, without its environment and `--share`. */
export const writeLine = ({ verb, words }: Pick<Reading, 'verb' | 'words'>): string =>
  `${verb.line} ${joinWords(removeFlags(commonFlags(verb.declared), words))}`.trim()

/** A line that isn't run, with what to offer for it. */
export class UnreadLine extends UserError {
  override readonly name = 'UnreadLine'
  readonly line: CommandLine
  /** Why it isn't run. */
  readonly problem: InvalidLine
  readonly offers: Offers
  constructor(line: CommandLine, problem: InvalidLine, offers: Offers, lines: readonly string[]) {
    super(describeOffers(problem.message, offers, lines), [
      ...lines.map(suggestLine),
      { label: 'Help', line: `/${line.command} help` },
    ])
    this.line = line
    this.problem = problem
    this.offers = offers
  }
}

/** The lines that are offered or, without one, the help of the verb that was meant. */
export const listOffered = ({ line, others = [], help }: Offers): readonly string[] =>
  line === undefined && help
    ? [`/${help.command} help ${help.verb || help.command}`]
    : [line ?? [], ...others].flat()

/** What happened, or what to know instead, and what the lines that are offered leave out. */
export function describeOffers(
  problem: string,
  { note, line, leftOut = '', help }: Offers,
  lines: readonly string[],
): string {
  const meant = lines.length === 1 ? 'Did you mean this?' : 'Did you mean one of these?'
  const rest = `“${clip(leftOut, 80)}”`
  const missing = leftOut === '' ? '' : `${note === undefined ? 'It' : 'This line'} leaves out ${rest}.`
  if (note?.endsWith(':') && missing !== '') return `${note.slice(0, -1)}, without ${rest}:`
  if (note !== undefined) return [note, missing].filter(Boolean).join(' ')
  // Nobody meant the help.
  return lines.length === 0 || (line === undefined && help)
    ? problem
    : [problem, meant, missing].filter(Boolean).join(' ')
}

/** The error for a line that isn't run, with the line that may have been meant or, if the reader knows them, several. */
export function explainUnread(
  routes: Verbs,
  line: CommandLine,
  problem: InvalidLine,
  checks?: readonly NamedCheck[],
): UnreadLine {
  const offers = offerLine(routes, line, checks)
  const meant = problem.meant.filter((each) => {
    const reading = readIfPossible(routes, each)
    return reading && findRefusal(reading) === undefined
  })
  const isReaders = offers.line === undefined && offers.note === undefined
  const lines = isReaders && meant.length > 0 ? meant : listOffered(offers)
  return new UnreadLine(line, problem, offers, lines)
}

/** The line that may have been meant by one that isn't run. One that would be refused isn't offered: its verb says why. */
export function offerLine(routes: Verbs, typed: CommandLine, checks?: readonly NamedCheck[]): Offers {
  const offers = findOffers(routes, typed, (each) => readIfPossible(routes, each), checks)
  const { line } = offers
  const reading = line === undefined ? undefined : readIfPossible(routes, line)
  const refusal = reading && findRefusal(reading)
  if (!line || refusal === undefined) return offers
  return { note: `Did you mean \`${cmd(line)}\`? ${refusal}`, help: reading?.verb }
}

/** Why a line that can be read would be refused, whatever it's about. */
function findRefusal({ verb, args }: Reading): string | undefined {
  try {
    verb.refuseValues?.(args)
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
  return undefined
}

/**
 * Whether the line that is offered opens its form at once. Not for a question, and not if it does something else than what was typed, or
 * leaves out as many words as it keeps. A verb that takes no words, such as `settings`, keeps none.
 */
export function opensAtOnce(routes: Verbs, { text }: CommandLine, offers: Offers): boolean {
  const { note, line = '', leftOut = '' } = offers
  const reading = QUESTION_MARK.test(text) ? undefined : readIfPossible(routes, line)
  if (!reading || !opensForm(reading)) return false
  if ((reading.verb.parameters ?? []).length === 0) return note === undefined || isAboutLine(offers)
  const kept = reading.words.filter((word) => matchFlag(word) === undefined)
  return note === undefined && (leftOut === '' || splitWords(leftOut).length < kept.length)
}

/** A button for a line that was probably meant. */
export const suggestLine = (line: string): SuggestedCommand => ({ label: clip(cmd(line), 75), line })

/**
 * Reads a line. Throws InvalidLine if it would act or open a form, but ends in a question mark, before its flags or after them: it may be a
 * question. Our own buttons quote theirs.
 */
function readAsked(routes: Verbs, command: string, text: string): Reading {
  if (!QUESTION_MARK.test(text)) return readSurely(routes, command, text)
  const words = splitWords(text)
  const flagAt = words.findIndex((word) => matchFlag(word) !== undefined)
  const [before, flags] = flagAt === -1 ? [words, []] : [words.slice(0, flagAt), words.slice(flagAt)]
  const [asked, askedFlags] = [beforeQuestion(before), beforeQuestion(flags)]
  if (!asked && !askedFlags) return readSurely(routes, command, text)
  const meant = [...(asked ?? before), ...(askedFlags ?? flags)]
  const reading = readIfPossible(routes, `/${command} ${joinWords(meant)}`)
  if (reading?.mayChange) {
    const quoting = reading.words.length > 0 ? ' If the mark belongs to it, use quotes.' : ''
    throw new InvalidLine(`This ends in a question mark, so it may be a question.${quoting}`)
  }
  // A read only loses the mark if its verb has it: `down?`.
  return reading && meant.length === 1 ? reading : readSurely(routes, command, text)
}

/** Reads a line. Throws InvalidLine if a text in it probably isn't one: `create check Shop`, `create name=Shop`, or `export to excel`. */
function readSurely(routes: Verbs, command: string, text: string): Reading {
  const reading = readLine(routes, command, text)
  const { verb, words } = reading
  if (words.length === 0) return reading
  const unsure = findLongPattern(reading) ?? findUnsureText(reading) ?? findOtherFormat(reading)
  if (unsure === undefined) return reading
  const free = listFree(unsure, words)
  throw new InvalidLine(
    `If “${clip(unsure, 60)}” is meant as a whole, put it in quotes.`,
    `${verb.line} ${joinWords(replaceWords(words, free, [{ text: unsure, isQuoted: true }]))}`,
  )
}

const listFree = (text: string, words: readonly Word[]): readonly Word[] =>
  words.filter((word) => text.includes(word.text) && matchFlag(word) === undefined)

/** A text that is hardly one, as it was typed. In quotes, it is. */
function findUnsureText({ verb, args, words, mayChange }: Reading): string | undefined {
  const parameter = verb.parameters?.find(
    ({ kind, isProse, usage }) => kind === 'text' && !isProse && usage !== '',
  )
  const typed = (parameter && (args.values[parameter.name] ?? args.flags[parameter.flag ?? ''])) ?? ''
  if (typeof typed !== 'string' || typed === '' || verb.verb === 'help') return undefined
  const free = listFree(typed, words)
  const isBeside = free.length > 1 && free.some((word) => word.isQuoted)
  const isNoun = free[0] !== undefined && !free[0].isQuoted && NOUNS.has(free[0].text.toLowerCase())
  // A search may begin with one: `audit alert of web`.
  const isAsked = isNoun && (free.length === 1 || mayChange)
  const isPair = free.some((word) => !word.isQuoted && /^[a-z]+=/i.test(word.text))
  // A target or an address is part of no name.
  const host = verb.parameters?.find(({ kind }) => kind === 'host')
  const isOther = ({ text }: Word): boolean =>
    /^\w+:\/\/|\w@/.test(text) || (host !== undefined && readText(host, text) !== undefined)
  const isMixed = free.length > 1 && verb.canOpenForm && free.some(isOther)
  return isBeside || isAsked || isPair || isMixed ? typed : undefined
}

/**
 * A period is hardly a filter: `down since yesterday`. Neither is what ends in one, or is beside `to` or `as`, one of an act: `export web
 * last week`, or `export to excel`.
 */
function findOtherFormat({ isAct, args, words }: Reading): string | undefined {
  const { name } = args.flags
  if (typeof name !== 'string' || listFree(name, words).some(({ isQuoted }) => isQuoted)) return undefined
  const isPeriod = (text: string): boolean => readText({ name, kind: 'period' }, text) !== undefined
  const typed = name.split(' ')
  const isOther =
    isPeriod(name.replace(/^since /i, '')) ||
    (isAct &&
      (/^(?:to|as|into) | (?:to|as|into)$/i.test(name) ||
        (typed.length > 1 && [2, 3].some((count) => isPeriod(typed.slice(-count).join(' '))))))
  return isOther ? name : undefined
}

/** A pattern that holds a value: `shop* from 22:00 to 23:00`. In quotes, it's one. */
const findLongPattern = ({ verb, args: { values, lists } }: Reading): string | undefined =>
  verb.mayChange
    ? [values.pattern, ...(lists.name ?? [])].find((pattern) => pattern && holdsValue(pattern))
    : undefined

function holdsValue(pattern: string): boolean {
  const words = pattern.split(' ')
  // Before its *, a name may have any words: `Status page*`. What is behind it may be meant otherwise: `* daily`.
  return (
    !words.at(-1)?.includes('*') ||
    countBeforePattern(words.map((text) => ({ text }))) > 0 ||
    words.some((text) => /^(?:\d{1,2}(?::\d\d|[ap]m)|@|<[@!])/.test(text) && text !== pattern)
  )
}

/** Undefined if it's refused. */
export function readIfPossible(routes: Verbs, line: string): Reading | undefined {
  const { command, text } = splitCommand(line)
  try {
    return readAsked(routes, command, text)
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
