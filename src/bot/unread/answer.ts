import { Notice, type SuggestedCommand, UserError } from '@signalman/runtime'
import {
  actions,
  clip,
  commandButton,
  controlRow,
  literal,
  type Message,
  message,
  oneLine,
  sentences,
} from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { environmentSuffix } from '../../domain/environment.ts'
import { WhichCheck } from '../../domain/find-check.ts'
import {
  findNameOrTarget,
  findSimilarChecks,
  type KnownCheck,
  prepareNames,
  toLetters,
} from '../../domain/known-names.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { quoted, quotedName, splitWords, type Word } from '../../domain/quoting.ts'
import { isPerson, takesName } from '../grammar/parameters.ts'
import type { CommandContext } from '../routes/command-context.ts'
import {
  type CommandLine,
  type ResolvedLine,
  readIfPossible,
  resolveOwn,
  splitCommand,
  suggestLine,
  UnreadLine,
  writeTyped,
} from '../routes/lines.ts'
import { nameInText } from '../routes/name-mentions.ts'
import { opensForm, type Reading } from '../routes/read-line.ts'
import type { Modal, Verb } from '../routes/routes.ts'
import { runLine } from '../routes/run-line.ts'
import { listNamesInTime } from './list-names.ts'
import { findMeant, hasCheck, isComplete, isPolite, type Meant, skipPolite } from './meant-line.ts'
import { MAX_LINE, offerLine, offerNear } from './offers.ts'
import { findInstead, type Instead, isOtherWord } from './other-words.ts'
import { findButton, findPlace, type Places } from './place.ts'
import { QUESTION_MARK } from './question-marks.ts'
import { readOurs } from './read-typed.ts'

/** A line that wasn't read, or that names nothing there is, and what its words may mean. */
export interface Unread extends CommandLine {
  /** What is wrong with it. */
  readonly problem: string
  /** The line that the reader says is meant. */
  readonly meant?: string | undefined
  /** Set if it was read, but names nothing. */
  readonly error?: NothingFound
  readonly reading?: Reading
  readonly known: ReadonlyMap<string, Verb>
  readonly words: readonly Word[]
  /** The verb of ours that it begins with. */
  readonly verb: Verb | undefined
  /** What to do instead of what Signalman doesn't do. */
  readonly instead: Instead | undefined
  /** What it means if none of its words is in the name of a health check. */
  readonly guess: Meant | undefined
  /** Whether the answer can be a window. */
  readonly canOpen: boolean
}

/** What the words of a line may mean. `canOpen`: whether it's a typed command, which can open a window. */
export function findUnread(
  routes: Places,
  { line: { command, text }, message: problem, meant }: UnreadLine,
  canOpen: boolean,
): Unread {
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  const words = skipPolite(splitWords(text))
  const [first] = words
  const verb = first && !first.isQuoted ? known.get(first.text.toLowerCase()) : undefined
  const instead = verb ? undefined : findInstead(command, words)
  const guess = findMeant(known, words, (line) => readIfPossible(routes, line, readOurs), [])
  return { command, text, problem, meant, known, words, verb, instead, guess, canOpen }
}

/** Whether a line may be answered by a window, as far as it's known before anything is read. */
export function mayOpen({ canOpen, text, meant, verb, instead, guess }: Unread): boolean {
  if (!canOpen || meant !== undefined || verb || instead || QUESTION_MARK.test(text)) return false
  return guess !== undefined && !guess.environment && opensForm(guess.reading)
}

/** Runs a line that was read, or answers it if it names nothing, or several. */
export async function runRead(
  context: CommandContext,
  routes: Places,
  resolved: ResolvedLine,
  run: () => Promise<Message | Modal>,
): Promise<Message | Modal> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof WhichCheck) throw await askNear(context, routes, resolved.verb, error)
    if (!(error instanceof NothingFound)) throw error
    const unread = new UnreadLine(resolved.typed, error.problem)
    return answerUnread(context, routes, { ...findUnread(routes, unread, false), error, reading: resolved })
  }
}

async function askNear(context: CommandContext, routes: Places, verb: Verb, error: WhichCheck) {
  const { problem, suggestions } = await offerNear(context, routes, verb, error)
  return new UserError(problem ?? error.message, suggestions)
}

/** Answers with the line that was meant, if all of the words are in that, or with what is wrong and what there is. */
export async function answerUnread(
  context: CommandContext,
  routes: Places,
  unread: Unread,
): Promise<Message | Modal> {
  const { command, text, problem, meant, error, verb, instead } = unread
  const isNamed = takesName(unread.known.get('')?.parameters ?? [])
  const known = isNamed && (unread.guess || !verb) ? await listKnown(context) : []
  const name = isNamed && !error && !verb ? findNameOrTarget(text, known) : undefined
  const said = verb ? undefined : findButton(command, text)
  const ours = name === undefined ? said : `/${command} ${quotedName(name)}`
  if (ours !== undefined) return runOwn(context, routes, ours)
  if (meant !== undefined)
    throw new UserError(`${problem} Did you mean this?`, [suggestLine(meant), helpOf(command)])
  const found = findReading(routes, unread, known)
  if (instead) return answerInstead(context, routes, instead, unread, found)
  if (!found || (error && !isOther(found, unread.reading, known)))
    return answerByPlace(context, routes, { ...unread, known, name: unread.reading?.args.values.check })
  await context.authorize(found.reading.verb)
  return answerMeant(context, routes, found, unread).catch((thrown: unknown) => {
    if (!(thrown instanceof NothingFound)) throw thrown
    const { verb: meantVerb, args } = found.reading
    const nothing = { ...unread, known, error: thrown, name: args.values.check }
    return answerByPlace(context, routes, { ...nothing, verb: meantVerb.verb === '' ? undefined : meantVerb })
  })
}

type KnownChecks = readonly KnownCheck[] | undefined

/** The line that was meant, as far as the names of health checks say. An act that lacks more than its check is only a guess. */
function findReading(routes: Places, { known, words, guess }: Unread, names: KnownChecks): Meant | undefined {
  const read = (line: string) => readIfPossible(routes, line, readOurs)
  const found = guess && names?.length !== 0 ? findMeant(known, words, read, names) : guess
  return found?.reading.isAct && !isComplete(found.reading, 'checks') ? undefined : found
}

/** Runs a line of ours for a person who may use it. */
async function runOwn(context: CommandContext, routes: Places, line: string): Promise<Message | Modal> {
  const resolved = resolveOwn(routes, splitCommand(line))
  await context.authorize(resolved.verb)
  return runRead(context, routes, resolved, () => runLine(context, resolved))
}

/** Says what to do instead, in a thread below which its card is. An act that does it is the only button. */
async function answerInstead(
  context: CommandContext,
  routes: Places,
  { note, line, act }: Instead,
  { command, words }: Unread,
  found: Meant | undefined,
): Promise<Message | Modal> {
  const people = words.filter((word) => isPerson(word.text)).map(({ text }) => text)
  const named = act && people[0] ? readIfPossible(routes, `${act} ${people[0]}`) : undefined
  const reading = found?.reading.isAct && hasCheck(found.reading) ? found.reading : named
  const none = { suggestions: [] }
  const { suggestions } = reading
    ? await offerLine(context, routes, reading, writeTyped(reading)).catch(() => none)
    : none
  const { card } = await routes.findNearby(context)
  if (card) return addNote(context, note, card, suggestions)
  throw new UserError(note, [
    ...suggestions,
    ...(suggestions.length === 0 ? [suggestLine(line), helpOf(command)] : []),
  ])
}

/** Whether a line is about something else than the one that was typed, and that exists, at least as whole words of a name. */
function isOther({ reading, environment }: Meant, typed: Reading | undefined, known: KnownChecks): boolean {
  const write = ({ verb, args: { values, lists, flags } }: Reading) =>
    JSON.stringify([verb.line, values, lists, flags])
  if (typed && write(typed) === write(reading)) return false
  const { check } = reading.args.values
  // The other environment has other names.
  return check === undefined || environment !== undefined || isInName(check, known)
}

const isInName = (check: string, known: KnownChecks): boolean =>
  findNameOrTarget(check, known) !== undefined ||
  known?.some(({ letters }) => ` ${letters} `.includes(` ${toLetters(check)} `)) === true

/** Runs a line that only shows something or opens a window, for a person who was authorized, and says so. An act is only offered. */
async function answerMeant(
  context: CommandContext,
  routes: Places,
  { line, reading, environment }: Meant,
  { problem, text, canOpen }: Unread,
): Promise<Message | Modal> {
  const { verb, isAct } = reading
  if (environment)
    throw new UserError(`${problem} An environment is named with a flag. Did you mean this?`, [
      suggestLine(line),
      helpOf(verb.command),
    ])
  const resolved = resolveOwn(routes, splitCommand(line))
  const isAsked = resolved.mayChange && QUESTION_MARK.test(text)
  const note = `Signalman read this as:\n\`${clip(cmd(line), 200)}\``
  const addToError = (error: unknown): never => {
    if (error instanceof UserError || error instanceof Notice) error.message = `${note}\n${error.message}`
    throw error
  }
  if (isAct || isAsked || (opensForm(resolved) && !canOpen)) {
    const offers = await offerLine(context, routes, reading, line).catch(addToError)
    if (line.length > MAX_LINE) throw new UserError(problem, [helpOf(verb.command, verb)])
    throw new UserError(`${offers.problem ?? `${problem} Did you mean this?`}`, [
      ...offers.suggestions,
      helpOf(verb.command),
    ])
  }
  const shown = await runLine(context, resolved).catch(async (error: unknown) =>
    addToError(error instanceof WhichCheck ? await askNear(context, routes, verb, error) : error),
  )
  return addNote(context, note, shown)
}

/**
 * Answers a line of which nothing was read: says what is wrong, and shows the health checks that it names and what people do where they
 * are, or the same line for another command that reads it.
 */
async function answerByPlace(
  context: CommandContext,
  routes: Places,
  unread: Omit<Unread, 'known'> & { readonly known: KnownChecks; readonly name: string | undefined },
): Promise<Message | Modal> {
  const { command, text, error, known, words, verb } = unread
  const { card, waiting, buttons } = await findPlace(context, routes, command, words)
  const said = describeUnread(context, unread, card !== undefined)
  const near = verb && error ? error.suggestions : []
  const effect = verb?.mayChange ? ' Nothing was changed.' : ''
  if (card) return addNote(context, `${said}${effect}`, card, near)
  if (error?.without && verb)
    return addNote(context, said, await runOwn(context, routes, error.without), near)
  const elsewhere = verb ? [] : await findElsewhere(context, routes, command, words)
  const checks =
    verb || command !== 'hc' ? [] : await findSimilarChecks(known?.map(({ check }) => check) ?? [], text)
  const named = checks.slice(0, MAX_CHECKS).map(({ uuid, name, target = uuid }) => ({
    label: `Show ${name || target}`,
    line: `/hc show ${quoted(uuid)}`,
  }))
  const all = [...near, ...elsewhere, ...named, ...buttons, helpOf(command, error ? undefined : verb)]
  if (!waiting) throw new UserError(said, all)
  return addNote(context, `${said}${effect}`, waiting, all)
}

const MAX_CHECKS = 3

/** The line for another command, whose verb it begins with: `approve 12` in a direct message. */
async function findElsewhere(
  context: CommandContext,
  routes: Places,
  command: string,
  words: readonly Word[],
): Promise<SuggestedCommand[]> {
  const read = (line: string) => readIfPossible(routes, line, readOurs)
  const offers: SuggestedCommand[] = []
  for (const other of routes.commands().filter((name) => name !== command)) {
    const verbs = routes.findVerbs(other) ?? new Map<string, Verb>()
    const [{ text = '', isQuoted = true } = {}] = words
    const isVerb = !isQuoted && (verbs.has(text.toLowerCase()) || isOtherWord(verbs, text))
    const names = other === 'hc' && isVerb ? await listKnown(context) : []
    const found = isVerb ? findMeant(verbs, words, read, names) : undefined
    const { check } = found?.reading.args.values ?? {}
    if (found && isComplete(found.reading) && (check === undefined || isInName(check, names)))
      offers.push(suggestLine(found.line))
  }
  return offers
}

/** More words are a sentence. */
const MAX_WORDS = 4

/** What is wrong with a line, in one sentence. What is too long for a name, has an address, or was said about a card, isn't called one. */
function describeUnread(
  { environment }: CommandContext,
  {
    text,
    problem,
    error,
    verb,
    words,
    name = text,
  }: Pick<Unread, 'text' | 'problem' | 'error' | 'verb' | 'words'> & {
    readonly name: string | undefined
  },
  isAboutCard: boolean,
): string {
  const isSentence = isAboutCard || splitWords(name).length > MAX_WORDS || name.includes('://')
  if (verb && isSentence && error?.problem.includes(name))
    return `What follows “${words[0]?.text}” isn’t the name of a health check.`
  if (verb) return error?.message ?? problem
  if (isAboutCard) return 'This thread is about an outage. Here it is as it is now.'
  if (words.every((word) => isPolite(word))) return 'Type a command, or press one of these.'
  if (isSentence) return 'Signalman reads commands, not sentences.'
  if (!error) return problem
  return `“${clip(oneLine(name), 80)}” isn’t a command or a health check${environmentSuffix(environment)}.`
}

/** The help of a verb that the help has, or else that of its command. */
const helpOf = (command: string, verb?: Verb): SuggestedCommand =>
  verb?.verb && !verb.hidden
    ? suggestLine(`/${command} help ${verb.verb}`)
    : { label: 'Help', line: `/${command} help` }

/** Adds a sentence above an answer, and buttons below it. */
async function addNote(
  context: CommandContext,
  text: string,
  content: Message | Modal,
  suggestions: readonly SuggestedCommand[] = [],
): Promise<Message | Modal> {
  const note = await nameInText(context, text)
  const buttons = suggestions.map(({ label, line }) => commandButton(label, line))
  const blocks = [sentences(note), ...content.blocks.flat(), ...actions(...controlRow(buttons))]
  return 'title' in content ? { ...content, blocks } : message(`${literal(note)}\n${content.text}`, ...blocks)
}

/** The health checks. Undefined if there are too many to compare, or if the service doesn't say. */
async function listKnown(context: Pick<CommandContext, 'api'>): Promise<KnownChecks> {
  const names = await listNamesInTime(context)
  return names && prepareNames(names.checks)
}
