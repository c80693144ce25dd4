import { Notice, type SuggestedCommand, UserError } from '@signalman/runtime'
import { clip, LIMITS, literal, type Message, message, sentences } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { findCheckId } from '../../domain/find-check.ts'
import {
  findNameOrTarget,
  hasPart,
  type KnownCheck,
  prepareNames,
  toLetters,
} from '../../domain/known-names.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { joinWords, quotedName, splitWords, type Word } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { isTime, readText } from '../grammar/parameters.ts'
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
import { opensForm, type Reading, readLine, type Verbs } from '../routes/read-line.ts'
import type { Modal, Verb } from '../routes/routes.ts'
import { runLine } from '../routes/run-line.ts'
import { listNamesInTime } from './list-names.ts'
import {
  findAsked,
  findMeant,
  findValue,
  isComplete,
  listCandidates,
  type Meant,
  showsNames,
  skipPolite,
  splitEnvironment,
} from './meant-line.ts'
import { findInstead } from './other-words.ts'
import { QUESTION_MARK } from './question-marks.ts'
import { readTyped } from './read-typed.ts'
import { searchCommands } from './search-commands.ts'

/** A line that wasn't read, or that names nothing there is. */
interface Unread extends ReturnType<typeof splitTyped> {
  readonly command: string
  readonly text: string
  /** What is wrong with it. */
  readonly problem: string
  /** The line that the reader says is meant. */
  readonly meant?: string | undefined
  /** Set if it was read, but names nothing. */
  readonly error?: NothingFound
  /** Whether the answer can be a window. */
  readonly canOpen: boolean
  /** Whether the answer can be the whole help: only for a command, which nobody else reads. */
  readonly isCommand: boolean
}

/** Answers a line that wasn't read. `isCommand`: whether it's a typed command, which can open a window. */
export const answerUnread = (
  context: CommandContext,
  routes: Verbs,
  { line, message: problem, meant }: UnreadLine,
  isCommand: boolean,
): Promise<Message | Modal> =>
  answer(context, routes, {
    ...line,
    ...splitTyped(routes, line),
    problem,
    meant,
    canOpen: isCommand,
    isCommand,
  })

/** Answers a line that was read, but failed. Throws the error again unless it names nothing there is. */
export async function answerUnnamed(
  context: CommandContext,
  routes: Verbs,
  line: CommandLine,
  { error, isCommand }: { readonly error: unknown; readonly isCommand: boolean },
): Promise<Message | Modal> {
  if (!(error instanceof NothingFound)) throw error
  const { problem } = error
  const split = splitTyped(routes, line)
  return answer(context, routes, { ...line, ...split, problem, error, canOpen: false, isCommand })
}

async function answer(context: CommandContext, routes: Verbs, unread: Unread): Promise<Message | Modal> {
  const { command, text, problem, meant, error, known, words, verb } = unread
  // Small words may have been read as part of the name.
  const name = error ? joinWords(words) : text
  const named = !verb && showsNames(known) ? findNameOrTarget(name, await listKnown(context)) : undefined
  if (named !== undefined) return runOwn(context, routes, { command, text: quotedName(named) })
  if (meant !== undefined)
    throw new UserError(`${problem} Did you mean this?`, [suggestLine(meant), helpOf(command)])
  const answered =
    (await answerInstead(context, routes, unread)) ?? (await answerAsMeant(context, routes, unread))
  if (answered) return answered
  const reading = error && verb && readIfPossible(routes, `/${command} ${text}`, readTyped)
  if (reading) throw await explainRest(context, reading, error)
  if (error && error.message !== error.problem) throw error
  if (verb) throw new UserError(problem, [helpOf(command, verb)])
  await explainCandidate(context, routes, unread)
  return answerWithCommands(context, routes, unread)
}

/** Answers with the line that was meant, if all of the words are in it. */
async function answerAsMeant(
  context: CommandContext,
  routes: Verbs,
  unread: Unread,
): Promise<Message | Modal | undefined> {
  const { command, text, problem, error, known, words, subjects } = unread
  const read = (line: string) => readIfPossible(routes, line, readTyped)
  const place = splitEnvironment(words)
  const there = place && findMeant(known, place.words, read)
  if (there)
    throw new UserError(`${problem} An environment is named with a flag. Did you mean this?`, [
      suggestLine(`${there.line} --env ${place.environment}`),
      helpOf(command),
    ])
  for (const subject of subjects) {
    const found = findMeant(known, subject, read)
    if (found && (!error || (await isOther(context, found, read(`/${command} ${text}`)))))
      return answerMeant(context, routes, found, { ...unread, canOpen: unread.canOpen && subject === words })
  }
  return undefined
}

/** The words of a line without small ones, and what they begin with: a verb of ours, or a question about other words. */
function splitTyped(routes: Verbs, { command, text }: CommandLine) {
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  const typed = splitWords(text)
  const words = skipPolite(typed)
  const asked = findAsked(known, typed)
  const verb = asked ? undefined : findVerb(known, words)
  return { known, words, verb, subjects: asked ? [words, asked] : [words] }
}

/** Throws what is wrong with the words behind another tool's word, as the reader says it of our verb. Throws AccessDenied. */
async function explainCandidate(
  context: CommandContext,
  routes: Verbs,
  { known, words }: Unread,
): Promise<void> {
  const [candidate] = listCandidates(known, words)
  if (!candidate?.isNamed) return
  const { verb } = candidate
  await context.authorize(verb)
  try {
    readLine(routes, verb.command, `${verb.verb} ${joinWords(candidate.words)}`.trim())
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const is = `“${clip(words[0]?.text ?? '', 60)}” is \`${cmd(verb.line)}\` here.`
    throw new UserError(`${is} ${error.message}`, [helpOf(verb.command, verb)])
  }
}

/** Whether a line is about something else than the one that was typed, and that exists. */
async function isOther(
  context: CommandContext,
  { reading }: Meant,
  typed: Reading | undefined,
): Promise<boolean> {
  const write = ({ verb, args: { values, lists, flags } }: Reading) =>
    JSON.stringify([verb.line, values, lists, flags])
  if (typed && write(typed) === write(reading)) return false
  const { check } = reading.args.values
  if (check === undefined) return true
  const known = await listKnown(context)
  const part = toLetters(check)
  return findNameOrTarget(check, known) !== undefined || known.some((each) => hasPart(each, part))
}

/** Says what to do instead of what Signalman doesn't do. The verb that comes closest is run if it only reads, or else offered. */
async function answerInstead(
  context: CommandContext,
  routes: Verbs,
  unread: Unread,
): Promise<Message | Modal | undefined> {
  const { command, known, verb, subjects } = unread
  const [found] = (verb ? [] : subjects).flatMap((words) => {
    const instead = findInstead(command, words)
    return instead ? [{ words, ...instead }] : []
  })
  if (!found) return undefined
  const { words, note, line } = found
  const closest = found.verb && [{ text: found.verb, isQuoted: false }, ...words.slice(1)]
  const meant = closest ? findMeant(known, closest, (each) => readIfPossible(routes, each)) : undefined
  if (meant && !meant.reading.mayChange) {
    const shown = await answerMeant(context, routes, meant, unread).catch((error: unknown) => {
      if (error instanceof UserError) return undefined
      throw error
    })
    if (shown) return shown
  }
  const offered = meant?.reading.isAct && isComplete(meant.reading) ? await offerNamed(context, meant) : []
  throw new UserError(note, [...offered, suggestLine(line), helpOf(command)])
}

/** A button for an act, or for each health check that it may be about. */
const offerNamed = (
  context: CommandContext,
  { line, reading }: Meant,
): Promise<readonly SuggestedCommand[]> =>
  findCheckId(context, reading.args).then(
    () => [suggestLine(line)],
    (error: unknown) => {
      if (error instanceof UserError) return error.suggestions
      throw error
    },
  )

const TIME_WORD = /^(?:(until|till?|from|since|every) )?(.*)$/i

/** Explains what stands behind the name of a health check and can't be read, or else that nothing has the whole as its name. */
async function explainRest(
  context: CommandContext,
  { verb, args }: Reading,
  error: NothingFound,
): Promise<UserError> {
  // The filter of a list may be any text.
  const { check } = args.values
  const found = check === undefined ? undefined : findNameAtStart(check.split(' '), await listKnown(context))
  if (!found) return error
  const { name, rest, isWhole } = found
  const [, before, time = ''] = TIME_WORD.exec(rest) ?? []
  const times = verb.parameters?.filter(isTime) ?? []
  const isPlace = before !== undefined || times.every((each) => findValue(each, args) === undefined)
  const isBadTime =
    times.length > 0 &&
    isPlace &&
    /\d/.test(time) &&
    times.every((each) => readText(each, time) === undefined)
  if (error.message !== error.problem && !(isWhole && isBadTime)) return error
  const said = isBadTime
    ? `“${clip(time, 60)}” ${NO_TIME}`
    : `Signalman can’t read “${clip(rest, 60)}” behind “${clip(name, 60)}”.`
  return new UserError(said, [helpOf(verb.command, verb)])
}

/** The longest beginning of some words that is a name or, if none is, a part of one. */
function findNameAtStart(typed: readonly string[], known: readonly KnownCheck[]) {
  const exact = new Set(known.map(({ name }) => name))
  const starts = typed.slice(1, MAX_NAME_WORDS).map((_, at) => typed.slice(0, at + 1))
  const whole = starts.findLast((words) => exact.has(foldName(words.join(' '))))
  const isPart = (words: readonly string[]) => {
    const letters = toLetters(words.join(' '))
    return known.some((each) => hasPart(each, letters))
  }
  const found = whole ?? starts.findLast(isPart)
  if (!found) return undefined
  const rest = typed.slice(found.length).join(' ')
  return { name: found.join(' '), rest, isWhole: whole !== undefined }
}

/** No name of a health check has more words. */
const MAX_NAME_WORDS = 12

const NO_TIME =
  'isn’t a time that Signalman reads. Type one such as `2h`, `18:00`, `Friday 9:00`, or `2026-12-03 18:00`. Times are in your time zone in Slack.'

/** Runs a line that only shows something or opens a window, and says so. An act is only offered. */
async function answerMeant(
  context: CommandContext,
  routes: Verbs,
  { line, reading }: Meant,
  { problem, text, canOpen }: Unread,
): Promise<Message | Modal> {
  const { verb, args, isAct } = reading
  await context.authorize(verb)
  const explain = async (error: unknown): Promise<never> => {
    throw error instanceof NothingFound ? await explainRest(context, reading, error) : error
  }
  if (isAct && args.values.check !== undefined) await findCheckId(context, args).catch(explain)
  const resolved = resolveOwn(routes, splitCommand(line))
  const isAsked = resolved.mayChange && QUESTION_MARK.test(text)
  if (isAct || isAsked || !(canOpen || !opensForm(resolved))) {
    const isOffered = line.length <= MAX_LINE && (!isAct || isComplete(reading))
    if (!isOffered) throw new UserError(problem, [helpOf(verb.command, verb)])
    throw new UserError(`${problem} Did you mean this?`, [suggestLine(line), helpOf(verb.command)])
  }
  const note = `Signalman read this as:\n\`${clip(cmd(line), 200)}\``
  const content = await runLine(context, resolved)
    .catch(explain)
    .catch((error: unknown) => {
      if (error instanceof UserError || error instanceof Notice) error.message = `${note}\n${error.message}`
      throw error
    })
  return addNote(context, note, content)
}

/** How many words somebody types who looks for what there is. */
const MAX_SHORT = 3

/** Answers with the commands that a line comes close to. Without any, a short one gets the whole help. */
async function answerWithCommands(
  context: CommandContext,
  routes: Verbs,
  { command, text, problem, error, known, isCommand }: Unread,
): Promise<Message | Modal> {
  const isShort = splitWords(text).length <= MAX_SHORT && !QUESTION_MARK.test(text)
  const said = isShort || !error ? problem : 'Signalman can’t read this.'
  const found = await searchCommands(context, known, text)
  if (found.length === 0 && !(isCommand && isShort)) throw new UserError(said, [helpOf(command)])
  const asked = found.length > 0 ? ` ${quotedName(text)}` : ''
  return addNote(context, said, await runOwn(context, routes, { command, text: `help${asked}` }))
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
export function mayOpen(routes: Verbs, { line, meant }: UnreadLine): boolean {
  const { known, words, verb, subjects } = splitTyped(routes, line)
  const isAnswered = subjects.some((subject) => findInstead(line.command, subject))
  if (meant !== undefined || verb || isAnswered || QUESTION_MARK.test(line.text)) return false
  const found = findMeant(known, words, (each) => readIfPossible(routes, each, readTyped))
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

/** The health checks. None if there are too many to compare, or if the service doesn't say. */
async function listKnown(context: Pick<CommandContext, 'api'>): Promise<readonly KnownCheck[]> {
  const names = await listNamesInTime(context)
  return names ? prepareNames(names.checks) : []
}
