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
import type { Modal, Nearby, Verb } from '../routes/routes.ts'
import { runLine } from '../routes/run-line.ts'
import { listNamesInTime } from './list-names.ts'
import { findMeant, isComplete, isPolite, lacksCheck, type Meant, skipPolite } from './meant-line.ts'
import { MAX_LINE, offerLine, offerNear, WHAT_IS_DOWN } from './offers.ts'
import { findInstead, type Instead } from './other-words.ts'
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
  return guess !== undefined && opensForm(guess.reading)
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
  typed: Unread,
): Promise<Message | Modal> {
  const { command, text, problem, meant, error, verb, instead, reading } = typed
  const isNamed = takesName(typed.known.get('')?.parameters ?? [])
  const names = isNamed && (typed.guess || !verb) ? await listKnown(context) : []
  const near = await routes.findNearby(context)
  const unread = { ...typed, names, near, name: reading?.args.values.check }
  const name = isNamed && !error && !verb ? findNameOrTarget(text, names) : undefined
  const said = verb || near.card ? undefined : findButton(command, text)
  const ours = name === undefined ? said : `/${command} ${quotedName(name)}`
  if (ours !== undefined) return runOwn(context, routes, ours)
  if (meant !== undefined)
    throw new UserError(`${problem} Did you mean this?`, [suggestLine(meant), helpOf(command)])
  const found = findReading(routes, unread)
  if (instead) return answerInstead(context, routes, instead, unread, found)
  if (!found || (error && !isOther(found, reading, names))) return answerByPlace(context, routes, unread)
  await context.authorize(found.reading.verb)
  return answerMeant(context, routes, found, unread).catch((thrown: unknown) => {
    if (!(thrown instanceof NothingFound)) throw thrown
    // The rest of a sentence isn't a name.
    const { verb: meantVerb, args, isAct } = found.reading
    const isSentence = splitWords(args.values.check ?? '').length > 1 && thrown.suggestions.length <= 1
    if (isAct && isSentence) return answerByPlace(context, routes, unread)
    const nothing = { ...unread, error: thrown, name: args.values.check }
    return answerByPlace(context, routes, { ...nothing, verb: meantVerb.verb === '' ? undefined : meantVerb })
  })
}

/** A line that wasn't read, where it was typed. */
interface Placed extends Unread {
  /** All health checks. Undefined if there are too many to compare, or if the service doesn't say. */
  readonly names: KnownChecks
  readonly near: Nearby
  /** What it calls a health check. */
  readonly name: string | undefined
}

type KnownChecks = readonly KnownCheck[] | undefined

/** The line that was meant, as far as the names of health checks say. An act that lacks more than its check is only a guess. */
function findReading(routes: Places, { known, words, guess, names }: Placed): Meant | undefined {
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

/** Says what to do instead, in a thread above its card. An act that does it is the only button. */
async function answerInstead(
  context: CommandContext,
  routes: Places,
  { note, line, act }: Instead,
  { command, words, near: { card } }: Placed,
  found: Meant | undefined,
): Promise<Message | Modal> {
  const people = words.filter((word) => isPerson(word.text)).map(({ text }) => text)
  const named = act && people[0] ? readIfPossible(routes, `${act} ${people[0]}`) : undefined
  const reading = found?.reading.isAct && !lacksCheck(found.reading) ? found.reading : named
  const none = { suggestions: [] }
  const { suggestions } = reading
    ? await offerLine(context, routes, reading, writeTyped(reading)).catch(() => none)
    : none
  if (card) return addNote(context, note, card, suggestions)
  throw new UserError(note, [
    ...suggestions,
    ...(suggestions.length === 0 ? [suggestLine(line), helpOf(command)] : []),
  ])
}

/** Whether a line is about something else than the one that was typed, and that exists, at least as whole words of a name. */
function isOther({ reading }: Meant, typed: Reading | undefined, known: KnownChecks): boolean {
  const write = ({ verb, args: { values, lists, flags } }: Reading) =>
    JSON.stringify([verb.line, values, lists, flags])
  if (typed && write(typed) === write(reading)) return false
  const { check } = reading.args.values
  return check === undefined || isInName(check, known)
}

const isInName = (check: string, known: KnownChecks): boolean =>
  findNameOrTarget(check, known) !== undefined ||
  known?.some(({ letters }) => ` ${letters} `.includes(` ${toLetters(check)} `)) === true

/** Runs a line that only shows something or opens a window, for a person who was authorized, and says so. An act is only offered. */
async function answerMeant(
  context: CommandContext,
  routes: Places,
  { line, reading }: Meant,
  { problem, text, canOpen }: Unread,
): Promise<Message | Modal> {
  const { verb, isAct } = reading
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
 * Answers a line of which nothing was read: says what is wrong, and shows the card of the thread, or the health checks that the line names
 * and what people do where they are.
 */
async function answerByPlace(
  context: CommandContext,
  routes: Places,
  unread: Placed,
): Promise<Message | Modal> {
  const { command, text, error, names, words, verb, near } = unread
  const said = describeUnread(context, unread)
  const similar = verb && error ? error.suggestions : []
  const effect = verb?.mayChange ? ' Nothing was changed.' : ''
  if (near.card) {
    const others = near.checks.length > 0 ? [WHAT_IS_DOWN] : []
    return addNote(context, `${said}${effect}`, near.card, [...similar, ...others])
  }
  if (error?.without && verb)
    return addNote(context, said, await runOwn(context, routes, error.without), similar)
  const checks =
    verb || command !== 'hc' ? [] : await findSimilarChecks(names?.map(({ check }) => check) ?? [], text)
  const named = checks.slice(0, MAX_CHECKS).map(({ uuid, name, target = uuid }) => ({
    label: `Show ${name || target}`,
    line: `/hc show ${quoted(uuid)}`,
  }))
  const place = { command, words: verb ? [] : words, isNamed: named.length > 0 }
  const { waiting, buttons } = await findPlace(context, routes, place, near)
  const all = [...similar, ...named, ...buttons, helpOf(command, error ? undefined : verb)]
  if (!waiting) throw new UserError(said, all)
  return addNote(context, `${said}${effect}`, waiting, all)
}

const MAX_CHECKS = 3

/** More words are a sentence. */
const MAX_WORDS = 4

/** What is wrong with a line, in one sentence. What is too long for a name, has an address, or was said about a card, isn't called one. */
function describeUnread(
  { environment }: CommandContext,
  { text, problem, error, verb, words, near, name = text }: Placed,
): string {
  const isAboutCard = near.card !== undefined
  const isSentence = isAboutCard || splitWords(name).length > MAX_WORDS || name.includes('://')
  if (verb && isSentence && error?.problem.includes(name))
    return `No health check matches what follows “${words[0]?.text}”.`
  if (verb) return error?.message ?? problem
  if (isAboutCard) return 'This is what the thread is about, as it is now.'
  if (words.every((word) => isPolite(word))) return 'Type a command, or press one of these.'
  if (isSentence) return 'Signalman didn’t understand that.'
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
