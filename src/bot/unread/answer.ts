import { Notice, type SuggestedCommand, UserError } from '@signalman/runtime'
import { clip, LIMITS, literal, type Message, message, sentences } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { findCheckId } from '../../domain/find-check.ts'
import { findNameOrTarget, prepareNames } from '../../domain/known-names.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { joinWords, quotedName, splitWords, type Word } from '../../domain/quoting.ts'
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
import { QUESTION_MARK } from './question-marks.ts'
import { readTyped } from './read-typed.ts'
import { searchCommands } from './search-commands.ts'

/**
 * Answers a line that wasn't read: with the line that was meant, if all of its words are in that, or with what is wrong and what there is.
 * `isCommand`: whether it's a typed command, so that the answer can be a window, and nobody else reads it.
 */
export async function answerUnread(
  context: CommandContext,
  routes: Verbs,
  { line, message: problem, meant }: UnreadLine,
  isCommand: boolean,
): Promise<Message | Modal> {
  const { command, text } = line
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  const words = skipPolite(splitWords(text))
  const verb = findVerb(known, words)
  const name = !verb && takesName(known.get('')?.parameters ?? []) && (await findNamed(context, text))
  if (name) return runOwn(context, routes, { command, text: quotedName(name) })
  if (meant) throw new UserError(`${problem} Did you mean this?`, [suggestLine(meant), helpOf(command)])
  const instead = verb ? undefined : findInstead(command, words)
  if (instead) throw new UserError(instead.note, [suggestLine(instead.line), helpOf(command)])
  const found = findMeant(known, words, (each) => readIfPossible(routes, each, readTyped))
  if (found) return answerMeant(context, routes, found, { problem, text, canOpen: isCommand })
  if (verb) throw new UserError(problem, [helpOf(command, verb)])
  return answerWithCommands(context, routes, line, { problem, isCommand })
}

/** Answers a line that was read, but names nothing there is. Throws any other error again. */
export async function answerUnnamed(
  context: CommandContext,
  routes: Verbs,
  line: CommandLine,
  { error, isCommand }: { readonly error: unknown; readonly isCommand: boolean },
): Promise<Message | Modal> {
  if (!(error instanceof NothingFound)) throw error
  const { command, text } = line
  const words = skipPolite(splitWords(text))
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  const verb = findVerb(known, words)
  // Small words may have been read as part of the name.
  const plain = joinWords(words)
  const name = !verb && plain !== text ? await findNamed(context, plain) : undefined
  if (name !== undefined) return runOwn(context, routes, { command, text: quotedName(name) })
  const meant = findMeant(known, words, (each) => readIfPossible(routes, each, readTyped))
  const typed = readIfPossible(routes, `/${command} ${text}`, readTyped)
  if (meant && (await isOther(context, meant, typed)))
    return answerMeant(context, routes, meant, { problem: error.problem, text, canOpen: false })
  if (verb || error.message !== error.problem) throw error
  return answerWithCommands(context, routes, line, { problem: error.problem, isCommand })
}

/** Whether a line is about something else than the one that was typed, and that exists. */
async function isOther(
  context: CommandContext,
  { reading }: Meant,
  typed: Reading | undefined,
): Promise<boolean> {
  const { check } = reading.args.values
  if (reading.verb === typed?.verb && check === typed.args.values.check) return false
  return check === undefined || (await findNamed(context, check)) !== undefined
}

interface How {
  /** Why the line wasn't read. */
  readonly problem: string
  readonly text: string
  readonly canOpen: boolean
}

/** Runs a line that only shows something or opens a window, and says so. An act is only offered. */
async function answerMeant(
  context: CommandContext,
  routes: Verbs,
  { line, reading }: Meant,
  { problem, text, canOpen }: How,
): Promise<Message | Modal> {
  const { verb, args, isAct } = reading
  await context.authorize(verb)
  if (isAct && args.values.check !== undefined) await findCheckId(context, args)
  const resolved = resolveOwn(routes, splitCommand(line))
  const isAsked = resolved.mayChange && QUESTION_MARK.test(text)
  if (isAct || isAsked || !(canOpen || !opensForm(resolved))) {
    const isOffered = line.length <= MAX_LINE && (!isAct || isComplete(reading))
    if (!isOffered) throw new UserError(problem, [helpOf(verb.command, verb)])
    throw new UserError(`${problem} Did you mean this?`, [suggestLine(line), helpOf(verb.command)])
  }
  const note = `Signalman read this as:\n\`${clip(cmd(line), 200)}\``
  const content = await runLine(context, resolved).catch((error: unknown) => {
    if (error instanceof UserError || error instanceof Notice) error.message = `${note}\n${error.message}`
    throw error
  })
  return addNote(context, note, content)
}

/** How many words somebody types who looks for what there is. */
const MAX_SHORT = 3

/** Answers with the commands that a line comes close to. Without any, a short one that was typed as a command gets the whole help. */
async function answerWithCommands(
  context: CommandContext,
  routes: Verbs,
  { command, text }: CommandLine,
  { problem, isCommand }: { readonly problem: string; readonly isCommand: boolean },
): Promise<Message | Modal> {
  const isShort = splitWords(text).length <= MAX_SHORT && !QUESTION_MARK.test(text)
  const found = await searchCommands(context, routes.findVerbs(command) ?? new Map(), text)
  if (found.length === 0 && !(isCommand && isShort)) throw new UserError(problem, [helpOf(command)])
  const asked = found.length > 0 ? ` ${quotedName(text)}` : ''
  return addNote(context, problem, await runOwn(context, routes, { command, text: `help${asked}` }))
}

/** Runs a line that the person hasn't been authorized for. */
async function runOwn(context: CommandContext, routes: Verbs, line: CommandLine): Promise<Message | Modal> {
  const resolved = resolveOwn(routes, line)
  await context.authorize(resolved.verb)
  return runLine(context, resolved)
}

/** The verb of ours that a line begins with. */
const findVerb = (known: ReadonlyMap<string, Verb>, [first]: readonly Word[]): Verb | undefined =>
  first && !first.isQuoted ? known.get(first.text.toLowerCase()) : undefined

/** A button takes 2,000 characters, with the environment. */
const MAX_LINE = LIMITS.buttonValue - 20

/** Whether a line may be answered by a window, as far as it's known before anything is read. */
export function mayOpen(routes: Verbs, { line: { command, text }, meant }: UnreadLine): boolean {
  const words = skipPolite(splitWords(text))
  const known = routes.findVerbs(command) ?? new Map()
  if (meant || findVerb(known, words) || findInstead(command, words) || QUESTION_MARK.test(text)) return false
  const found = findMeant(known, words, (line) => readIfPossible(routes, line, readTyped))
  return found !== undefined && opensForm(found.reading)
}

/** The help of a verb that the help has, or else that of its command. */
const helpOf = (command: string, verb?: Verb): SuggestedCommand =>
  verb && !verb.hidden
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

/** The name or target of a health check that a text is. Undefined if there are too many to compare, or if the service doesn't say. */
async function findNamed(context: Pick<CommandContext, 'api'>, text: string): Promise<string | undefined> {
  const names = await listNamesInTime(context)
  return names && findNameOrTarget(text, await prepareNames(names.checks))
}
