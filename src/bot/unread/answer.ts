import { Notice, type SuggestedCommand, UserError } from '@signalman/runtime'
import { clip, LIMITS, literal, type Message, message, sentences } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { findCheckId } from '../../domain/find-check.ts'
import { findNameOrTarget, type KnownCheck, prepareNames, toLetters } from '../../domain/known-names.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { quotedName, splitWords } from '../../domain/quoting.ts'
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
import { findInstead, findVerbs } from './other-words.ts'
import { QUESTION_MARK } from './question-marks.ts'
import { readTyped } from './read-typed.ts'
import { searchCommands } from './search-commands.ts'

/** A line that wasn't read, or that names nothing there is. */
interface Unread extends CommandLine {
  /** What is wrong with it. */
  readonly problem: string
  /** The line that the reader says is meant. */
  readonly meant?: string | undefined
  /** Set if it was read, but names nothing. */
  readonly error?: NothingFound
  /** Whether the answer can be a window. */
  readonly canOpen: boolean
}

/** Answers a line that wasn't read. `canOpen`: whether it's a typed command, which can open a window. */
export const answerUnread = (
  context: CommandContext,
  routes: Verbs,
  { line, message: problem, meant }: UnreadLine,
  canOpen: boolean,
): Promise<Message | Modal> => answer(context, routes, { ...line, problem, meant, canOpen })

/** Answers a line that was read, but names nothing there is. Throws any other error again. */
export async function answerUnnamed(
  context: CommandContext,
  routes: Verbs,
  line: CommandLine,
  error: unknown,
): Promise<Message | Modal> {
  if (!(error instanceof NothingFound)) throw error
  return answer(context, routes, { ...line, problem: error.problem, error, canOpen: false })
}

/** Answers with the line that was meant, if all of the words are in that, or with what is wrong and what there is. */
async function answer(context: CommandContext, routes: Verbs, unread: Unread): Promise<Message | Modal> {
  const { command, text, problem, meant, error } = unread
  const { known, words, verb, other, instead } = splitTyped(routes, unread)
  const offer = (note: string, ...lines: string[]) =>
    new UserError(note, [...lines.map(suggestLine), helpOf(command)])
  const isName = !error && !verb && takesName(known.get('')?.parameters ?? [])
  const name = isName ? findNameOrTarget(text, await listKnown(context)) : undefined
  if (name !== undefined) return runOwn(context, routes, { command, text: quotedName(name) })
  if (meant !== undefined) throw offer(`${problem} Did you mean this?`, meant)
  const read = (line: string) => readIfPossible(routes, line, readTyped)
  const guess = findMeant(known, words, read, [])
  const closest = guess?.reading.verb ?? other
  if (closest) await context.authorize(closest)
  const found = await findNamed(context, { known, words, guess }, read)
  if (instead) {
    const acts = found?.reading.isAct && isComplete(found.reading) ? [found.line] : []
    throw offer(instead.note, ...acts, instead.line)
  }
  const isMeant = found && (!error || (await isOther(context, found, read(`/${command} ${text}`))))
  return isMeant
    ? answerMeant(context, routes, found, unread)
    : answerWithCommands(context, routes, unread, verb ?? other)
}

/** The line that was meant, as far as the names of health checks say, for a person who may use what it came closest to. */
async function findNamed(
  context: CommandContext,
  {
    known,
    words,
    guess,
  }: Pick<ReturnType<typeof splitTyped>, 'known' | 'words'> & { guess: Meant | undefined },
  read: (line: string) => Reading | undefined,
): Promise<Meant | undefined> {
  if (!guess || !takesName(known.get('')?.parameters ?? [])) return guess
  const found = findMeant(known, words, read, await listKnown(context))
  if (found && found.reading.verb !== guess.reading.verb) await context.authorize(found.reading.verb)
  return found
}

/** The words of a line without small ones, and what they begin with: a verb of ours, another tool's, or a word for what Signalman doesn't do. */
function splitTyped(routes: Verbs, { command, text }: CommandLine) {
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  const words = skipPolite(splitWords(text))
  const [first] = words
  const verb = first && !first.isQuoted ? known.get(first.text.toLowerCase()) : undefined
  const instead = verb ? undefined : findInstead(command, words)
  const [other] = first && !first.isQuoted && !verb && !instead ? findVerbs(known, first.text) : []
  return { known, words, verb, instead, other: other?.verb }
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
    const isOffered = line.length <= MAX_LINE && (!isAct || isComplete(reading))
    if (!isOffered) throw new UserError(problem, [helpOf(verb.command, verb)])
    throw new UserError(`${problem} Did you mean this?`, [suggestLine(line), helpOf(verb.command)])
  }
  return addNote(context, note, await runLine(context, resolved).catch(addToError))
}

/** Answers with what is wrong and, without a verb of ours, with the commands that a line comes close to. */
async function answerWithCommands(
  context: CommandContext,
  routes: Verbs,
  { command, text, problem, error }: Unread,
  verb: Verb | undefined,
): Promise<Message | Modal> {
  const refusal = error ?? new UserError(problem, [helpOf(command, verb)])
  if (verb || refusal.message !== problem) throw refusal
  const found = await searchCommands(context, routes.findVerbs(command) ?? new Map(), text)
  if (found.length === 0) throw refusal
  const help = await runOwn(context, routes, { command, text: `help ${quotedName(text)}` })
  return addNote(context, problem, help)
}

/** Runs a line that the person hasn't been authorized for. */
async function runOwn(context: CommandContext, routes: Verbs, line: CommandLine): Promise<Message | Modal> {
  const resolved = resolveOwn(routes, line)
  await context.authorize(resolved.verb)
  return runLine(context, resolved)
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

async function addNote(
  context: CommandContext,
  text: string,
  content: Message | Modal,
): Promise<Message | Modal> {
  const note = await nameInText(context, text)
  const blocks = [sentences(note), ...content.blocks.flat()]
  return 'title' in content ? { ...content, blocks } : message(`${literal(note)}\n${content.text}`, ...blocks)
}

/** The health checks. Undefined if there are too many to compare, or if the service doesn't say. */
async function listKnown(context: Pick<CommandContext, 'api'>): Promise<readonly KnownCheck[] | undefined> {
  const names = await listNamesInTime(context)
  return names && prepareNames(names.checks)
}
