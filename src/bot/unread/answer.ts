import { Notice, type SuggestedCommand, UserError } from '@signalman/runtime'
import {
  actions,
  clip,
  commandButton,
  controlRow,
  LIMITS,
  literal,
  type Message,
  message,
  oneLine,
  sentences,
} from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { environmentSuffix } from '../../domain/environment.ts'
import { findCheckId } from '../../domain/find-check.ts'
import {
  findNameOrTarget,
  findSimilarChecks,
  type KnownCheck,
  type NamedCheck,
  prepareNames,
  toLetters,
} from '../../domain/known-names.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { quoted, quotedName, splitWords, type Word } from '../../domain/quoting.ts'
import { takesName } from '../grammar/parameters.ts'
import type { CommandContext } from '../routes/command-context.ts'
import {
  type CommandLine,
  readIfPossible,
  resolveOwn,
  splitCommand,
  suggestLine,
  type UnreadLine,
} from '../routes/lines.ts'
import { nameInText } from '../routes/name-mentions.ts'
import { opensForm, type Reading, type Verbs } from '../routes/read-line.ts'
import type { Modal, Verb } from '../routes/routes.ts'
import { runLine } from '../routes/run-line.ts'
import { listNamesInTime } from './list-names.ts'
import { findMeant, isComplete, type Meant, skipPolite } from './meant-line.ts'
import { findInstead } from './other-words.ts'
import { findPlace, type Places } from './place.ts'
import { QUESTION_MARK } from './question-marks.ts'
import { readTyped } from './read-typed.ts'

/** A line that wasn't read, or that names nothing there is. */
interface Unread extends CommandLine {
  /** What is wrong with it. */
  readonly problem: string
  /** The line that the reader says is meant. */
  readonly meant?: string | undefined
  /** Set if it was read, but names nothing. */
  readonly error?: NothingFound
  /** What was read as the name of a health check. */
  readonly name?: string | undefined
  /** Whether the answer can be a window. */
  readonly canOpen: boolean
}

/** Answers a line that wasn't read. `canOpen`: whether it's a typed command, which can open a window. */
export const answerUnread = (
  context: CommandContext,
  routes: Places,
  { line, message: problem, meant }: UnreadLine,
  canOpen: boolean,
): Promise<Message | Modal> => answer(context, routes, { ...line, problem, meant, canOpen })

/** Answers a line that was read, but names nothing there is. Throws any other error again. */
export async function answerUnnamed(
  context: CommandContext,
  routes: Places,
  line: CommandLine,
  error: unknown,
): Promise<Message | Modal> {
  if (!(error instanceof NothingFound)) throw error
  return answer(context, routes, { ...line, problem: error.problem, error, canOpen: false })
}

/** Answers with the line that was meant, if all of the words are in that, or with what is wrong and what there is. */
async function answer(context: CommandContext, routes: Places, unread: Unread): Promise<Message | Modal> {
  const { command, text, problem, meant, error } = unread
  const { known, words, verb, instead } = splitTyped(routes, unread)
  const isName = !error && !verb && takesName(known.get('')?.parameters ?? [])
  const name = isName ? findNameOrTarget(text, await listKnown(context)) : undefined
  if (name !== undefined) {
    const own = resolveOwn(routes, { command, text: quotedName(name) })
    await context.authorize(own.verb)
    return runLine(context, own)
  }
  if (meant !== undefined)
    throw new UserError(`${problem} Did you mean this?`, [suggestLine(meant), helpOf(command)])
  const read = (line: string) => readIfPossible(routes, line, readTyped)
  const found = await findReading(context, known, words, read)
  if (instead) {
    const acts = found?.reading.isAct ? [suggestLine(found.line)] : []
    const { card } = await findPlace(context, routes, command)
    if (card) return addNote(context, instead.note, card, acts)
    throw new UserError(instead.note, [...acts, suggestLine(instead.line), helpOf(command)])
  }
  const typed = error && read(`/${command} ${text}`)
  if (!found || (error && !(await isOther(context, found, typed))))
    return answerByPlace(context, routes, { ...unread, name: typed?.args.values.check }, verb)
  await context.authorize(found.reading.verb)
  return answerMeant(context, routes, found, unread).catch((thrown: unknown) => {
    if (!(thrown instanceof NothingFound)) throw thrown
    const { verb, args } = found.reading
    const named = { ...unread, error: thrown, name: args.values.check }
    return answerByPlace(context, routes, named, verb.verb === '' ? undefined : verb)
  })
}

/** The line that was meant, as far as the names of health checks say. An act that lacks something is only a guess. */
async function findReading(
  context: CommandContext,
  known: ReadonlyMap<string, Verb>,
  words: readonly Word[],
  read: (line: string) => Reading | undefined,
): Promise<Meant | undefined> {
  const guess = findMeant(known, words, read, [])
  const hasNames = takesName(known.get('')?.parameters ?? [])
  const found = guess && hasNames ? findMeant(known, words, read, await listKnown(context)) : guess
  return found?.reading.isAct && !isComplete(found.reading) ? undefined : found
}

/** The words of a line without small ones, and what they begin with: a verb of ours, or a word for what Signalman doesn't do. */
function splitTyped(routes: Verbs, { command, text }: CommandLine) {
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  const words = skipPolite(splitWords(text))
  const [first] = words
  const verb = first && !first.isQuoted ? known.get(first.text.toLowerCase()) : undefined
  return { known, words, verb, instead: verb ? undefined : findInstead(command, words) }
}

/** Whether a line is about something else than the one that was typed, and that exists, at least as whole words of a name. */
async function isOther(
  context: CommandContext,
  { reading, environment }: Meant,
  typed: Reading | undefined,
): Promise<boolean> {
  const write = ({ verb, args: { values, lists, flags } }: Reading) =>
    JSON.stringify([verb.line, values, lists, flags])
  if (typed && write(typed) === write(reading)) return false
  const { check } = reading.args.values
  // The other environment has other names.
  if (check === undefined || environment) return true
  const known = await listKnown(context)
  const part = ` ${toLetters(check)} `
  return (
    findNameOrTarget(check, known) !== undefined ||
    known?.some(({ letters }) => ` ${letters} `.includes(part)) === true
  )
}

/** Runs a line that only shows something or opens a window, for a person who was authorized, and says so. An act is only offered. */
async function answerMeant(
  context: CommandContext,
  routes: Verbs,
  { line, reading, environment }: Meant,
  { problem, text, canOpen }: Unread,
): Promise<Message | Modal> {
  const { verb, args, isAct } = reading
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
  if (isAct || isAsked || !(canOpen || !opensForm(resolved))) {
    if (args.values.check !== undefined) await findCheckId(context, args).catch(addToError)
    if (line.length > MAX_LINE) throw new UserError(problem, [helpOf(verb.command, verb)])
    throw new UserError(`${problem} Did you mean this?`, [suggestLine(line), helpOf(verb.command)])
  }
  return addNote(context, note, await runLine(context, resolved).catch(addToError))
}

/**
 * Answers a line of which nothing was read: says what is wrong, and shows the health checks that it names and what people do where they
 * are. `verb`: what it begins with.
 */
async function answerByPlace(
  context: CommandContext,
  routes: Places,
  unread: Unread,
  verb: Verb | undefined,
): Promise<Message | Modal> {
  const { command, text, error } = unread
  const { card, waiting, buttons } = await findPlace(context, routes, command)
  const said = describeUnread(context, unread, verb, card !== undefined)
  const near = verb && error ? error.suggestions : []
  const effect = verb?.mayChange ? ' Nothing was changed.' : ''
  if (card) return addNote(context, `${said}${effect}`, card, near)
  const checks = verb || command !== 'hc' ? [] : await findSimilarChecks(await listChecks(context), text)
  const named = checks.slice(0, MAX_CHECKS).map(({ uuid, name, target = uuid }) => ({
    label: `Show ${name || target}`,
    line: `/hc show ${quoted(uuid)}`,
  }))
  const all = [...near, ...named, ...buttons, helpOf(command, error ? undefined : verb)]
  if (!waiting) throw new UserError(said, all)
  return addNote(context, `${said}${effect}`, waiting, all)
}

const MAX_CHECKS = 3
/** More words are a sentence. */
const MAX_WORDS = 4

/** What is wrong with a line, in one sentence. What is too long for a name, or was said about a card, isn't called one. */
function describeUnread(
  { environment }: CommandContext,
  { text, problem, error, name = text }: Unread,
  verb: Verb | undefined,
  isAboutCard: boolean,
): string {
  const isSentence = isAboutCard || splitWords(name).length > MAX_WORDS
  if (verb && isSentence && error?.problem.includes(name))
    return `What follows “${skipPolite(splitWords(text))[0]?.text}” isn’t the name of a health check.`
  if (verb) return error?.message ?? problem
  if (isSentence) return 'Signalman reads commands, not sentences.'
  if (!error) return problem
  return `“${clip(oneLine(name), 80)}” isn’t a command or a health check${environmentSuffix(environment)}.`
}

/** A button takes 2,000 characters, with the environment. */
const MAX_LINE = LIMITS.buttonValue - 20

/** Whether a line may be answered by a window, as far as it's known before anything is read. */
export function mayOpen(routes: Verbs, { line, meant }: UnreadLine): boolean {
  const { known, words, verb, instead } = splitTyped(routes, line)
  if (meant || verb || instead || QUESTION_MARK.test(line.text)) return false
  const found = findMeant(known, words, (each) => readIfPossible(routes, each, readTyped), [])
  return found !== undefined && !found.environment && opensForm(found.reading)
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
async function listKnown(context: Pick<CommandContext, 'api'>): Promise<readonly KnownCheck[] | undefined> {
  const names = await listNamesInTime(context)
  return names && prepareNames(names.checks)
}

/** The same, or none. */
const listChecks = async (context: Pick<CommandContext, 'api'>): Promise<readonly NamedCheck[]> =>
  (await listNamesInTime(context))?.checks ?? []
