import { Notice, type SuggestedCommand, UserError } from '@signalman/runtime'
import { clip, LIMITS, literal, type Message, message, sentences } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { NoSuchCheck } from '../../domain/find-check.ts'
import { type KnownCheck, prepareNames } from '../../domain/known-names.ts'
import { joinWords, quotedName, splitWords, type Word } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { matchFlag } from '../grammar/flags.ts'
import { isTime, readText, takesName } from '../grammar/parameters.ts'
import type { CommandContext } from './command-context.ts'
import {
  type Draft,
  draftLine,
  findDraft,
  findNameOrTarget,
  findValue,
  isComplete,
  isNamed,
  skipPolite,
} from './draft.ts'
import {
  type CommandLine,
  type ResolvedLine,
  readIfPossible,
  resolveOwn,
  splitCommand,
  suggestLine,
  type UnreadLine,
} from './lines.ts'
import { listNamesInTime } from './list-names.ts'
import { nameInText } from './name-mentions.ts'
import { findAnyInstead, findInstead } from './other-words.ts'
import { QUESTION_MARK } from './question-marks.ts'
import { opensForm, type Reading, type Verbs } from './read-line.ts'
import type { Modal, Verb } from './routes.ts'
import { runLine } from './run-line.ts'
import { searchCommands, suggestVerb } from './search-commands.ts'

/**
 * Answers a line that wasn't read. With another verb, or without some of its words, it may be a line that shows something or opens a
 * window: that is run, and says so. An act is only offered, if it has all of the words. `canOpen`: whether the answer can be a window.
 */
export async function answerUnread(
  context: CommandContext,
  routes: Verbs,
  { line: { command, text }, message: problem, meant }: UnreadLine,
  canOpen: boolean,
): Promise<Message | Modal> {
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  const bare = known.get('')
  const words = skipPolite(splitWords(text))
  const verb = findVerb(known, words)
  const checks = command === 'hc' && !verb ? await listKnown(context) : undefined
  const name = takesName(bare?.parameters ?? []) ? findNameOrTarget(text, checks) : undefined
  if (name !== undefined) return runOwn(context, routes, { command, text: quotedName(name) })
  if (meant) throw new UserError(`${problem} Did you mean this?`, [suggestLine(meant), helpOf(command)])
  const read = (line: string) => readIfPossible(routes, line)
  const instead = verb ? undefined : findInstead(command, words)
  if (instead) {
    const shown = bare && draftLine(bare, words.slice(1), read, checks)
    const lines = [shown && isNamed(shown.reading) ? shown.line : [], instead.line].flat()
    throw new UserError(instead.note, [...lines.map(suggestLine), helpOf(command)])
  }
  const draft = findDraft(known, words, read, checks)
  if (draft) return answerDraft(context, routes, draft, { problem, text, canOpen, isOurs: Boolean(verb) })
  if (verb) throw new UserError(problem, [helpOf(command, verb)])
  return answerWithHelp(context, routes, { command, text }, problem)
}

/** Answers a line that was read, but names no health check: as above, if one is named among its words. */
export async function answerUnnamed(
  context: CommandContext,
  routes: Verbs,
  { command, text }: CommandLine,
  error: unknown,
): Promise<Message | Modal> {
  if (!(error instanceof NoSuchCheck)) throw error
  const isAnswered = error.message !== error.problem
  const checks = await listKnown(context)
  const reading = readIfPossible(routes, `/${command} ${text}`)
  const known = routes.findVerbs(command) ?? new Map()
  const words = skipPolite(splitWords(text))
  const draft = checks && findDraft(known, words, (line) => readIfPossible(routes, line), checks)
  // What names the same check of the same verb isn't found either.
  const isSame =
    draft?.reading.verb === reading?.verb && draft?.reading.args.values.check === reading?.args.values.check
  const isMeant = draft && !isSame && (draft.leftOut.length === 0 || isNamed(draft.reading))
  if (reading && draft?.leftOut.length !== 0) refuseBadTime(reading, checks ?? [])
  const { problem } = error
  if (!isMeant && reading && excepts(known, reading))
    throw new UserError(
      `${problem} \`${cmd(reading.verb.line)}\` can’t leave anything out.`,
      error.suggestions,
    )
  if (isAnswered || (!isMeant && findVerb(known, words))) throw error
  if (isMeant) return answerDraft(context, routes, draft, { problem, text, canOpen: false })
  return answerWithHelp(context, routes, { command, text }, problem)
}

/** More words than most names have are a sentence. */
const MAX_NAME_WORDS = 3

/** The commands that a line comes close to, or the whole help, below what is wrong. */
async function answerWithHelp(
  context: CommandContext,
  routes: Verbs,
  { command, text }: CommandLine,
  problem: string,
): Promise<Message | Modal> {
  const instead = findAnyInstead(command, splitWords(text))
  if (instead) throw new UserError(instead.note, [suggestLine(instead.line), helpOf(command)])
  const help = await runOwn(context, routes, { command, text: `help ${quotedName(text)}` })
  const isSentence = splitWords(text).length > MAX_NAME_WORDS || QUESTION_MARK.test(text)
  return addNote(context, isSentence ? 'Signalman can’t read this.' : problem, help)
}

/** Runs a line that the person hasn't been authorized for. */
async function runOwn(context: CommandContext, routes: Verbs, line: CommandLine): Promise<Message | Modal> {
  const resolved = resolveOwn(routes, line)
  await context.authorize(resolved.verb)
  return runLine(context, resolved)
}

/** Whether a line leaves something out with the word of a verb that can, although its own can't: `mute all except shop 2h`. */
function excepts(known: ReadonlyMap<string, Verb>, { verb, words }: Reading): boolean {
  const able = [...known.values()].flatMap(({ rules }) => rules.exceptions?.after ?? [])
  return (
    verb.rules.exceptions === undefined &&
    words.some(({ text, isQuoted }) => !isQuoted && able.includes(text.toLowerCase()))
  )
}

const TIME_WORD = /^(?:(until|till?|from|since|every) )?(.*)$/i

/** Throws UserError for what is no time, although it stands behind the name of a health check, where the verb takes one. */
function refuseBadTime({ verb, words, args }: Reading, names: readonly KnownCheck[]): void {
  const times = verb.parameters?.filter(isTime) ?? []
  const known = new Set(names.map(({ name }) => name))
  const flagAt = words.findIndex((word) => matchFlag(word) !== undefined)
  const typed = words.slice(0, flagAt === -1 ? words.length : flagAt).map(({ text }) => text)
  const end = typed.findLastIndex((_, at) => known.has(foldName(typed.slice(0, at).join(' '))))
  const [, before, text = ''] = TIME_WORD.exec(typed.slice(end).join(' ')) ?? []
  const isPlace = before !== undefined || times.every((time) => findValue(time, args) === undefined)
  const isTyped = end > 0 && times.length > 0 && isPlace && /\d/.test(text)
  if (!isTyped || times.some((time) => readText(time, text) !== undefined)) return
  throw new UserError(
    `“${clip(text, 60)}” isn’t a time that Signalman reads. Type one such as \`2h\`, \`18:00\`, \`Friday 9:00\`, or \`2026-12-03 18:00\`. Times are in your time zone in Slack.`,
    [helpOf(verb.command, verb)],
  )
}

/** The verb of ours that a line begins with. */
const findVerb = (known: ReadonlyMap<string, Verb>, [first]: readonly Word[]): Verb | undefined =>
  first && !first.isQuoted ? known.get(first.text.toLowerCase()) : undefined

interface How {
  /** Why the line wasn't read. */
  readonly problem: string
  readonly text: string
  readonly canOpen: boolean
  /** Whether its verb is ours. */
  readonly isOurs?: boolean
}

/** Runs a draft, or throws UserError with what may be meant. */
async function answerDraft(
  context: CommandContext,
  routes: Verbs,
  draft: Draft,
  how: How,
): Promise<Message | Modal> {
  const { leftOut, reading, unread } = draft
  await context.authorize(reading.verb)
  if (losesItsChecks(draft)) {
    const { command } = reading.verb
    const list = { label: 'List all', line: `/${command} list` }
    const found = await searchCommands(context, listVerbs(routes), joinWords(leftOut))
    throw new UserError(`${how.problem} No health check is named ${unread}.`, [
      ...[list, ...found.map(suggestVerb)],
      helpOf(command),
    ])
  }
  const resolved = await resolveDraft(context, routes, draft, how)
  const note = `Signalman read this${without(draft)} as:\n\`${clip(cmd(draft.line), 200)}\``
  const content = await runLine(context, resolved).catch((error: unknown) => {
    if (error instanceof UserError || error instanceof Notice) error.message = `${note}\n${error.message}`
    throw error
  })
  return addNote(context, note, content)
}

/** The line of a draft that is run. Throws UserError if it isn't. */
async function resolveDraft(
  context: CommandContext,
  routes: Verbs,
  draft: Draft,
  how: How,
): Promise<ResolvedLine> {
  const { line, leftOut, reading } = draft
  const { command } = reading.verb
  const next = findNext(draft)
  const resolved = next === undefined ? undefined : resolveOwn(routes, splitCommand(next))
  const wanted = findWanted(draft, how)
  if (resolved && wanted.length === 0 && canRun(resolved, draft, how)) return resolved
  const instead = leftOut.length === 1 ? findAnyInstead(command, leftOut) : undefined
  if (instead)
    throw new UserError(`${cantRead(draft)} ${instead.note}`, [suggestLine(instead.line), helpOf(command)])
  if (next === undefined)
    throw new UserError(leftOut.length > 0 ? cantRead(draft) : how.problem, [helpOf(command, reading.verb)])
  const button = next === line ? suggestLine(next) : { label: 'Fill in…', line: next }
  const others = listVerbs(routes).filter((other) => other !== reading.verb)
  const found = await searchCommands(context, others, joinWords(wanted))
  // Of one of our own verbs, the reader says what is wrong.
  const isTold = leftOut.length > 0 && !how.isOurs
  const why = isTold ? cantRead(draft) : how.problem
  const meant = found.length > 0 ? 'one of these' : `this${isTold ? '' : without(draft)}`
  throw new UserError(`${why} Did you mean ${meant}?`, [button, ...found.map(suggestVerb), helpOf(command)])
}

/** The words that say what was wanted, but can't be read: with one in the place of a verb, or beside a verb that only shows something. */
function findWanted({ leftOut, reading }: Draft, { text }: How): readonly Word[] {
  const isVerb = leftOut[0]?.text === skipPolite(splitWords(text))[0]?.text
  return isVerb || (reading.words.length === 0 && !opensForm(reading)) ? leftOut : []
}

/** Whether a draft is run without asking. One of our own verbs has been typed by somebody who knows what it takes. */
const canRun = (resolved: ResolvedLine, { leftOut }: Draft, { text, canOpen, isOurs }: How): boolean =>
  !resolved.isAct &&
  !(isOurs && leftOut.length > 0) &&
  !(resolved.mayChange && QUESTION_MARK.test(text)) &&
  (canOpen || !opensForm(resolved))

const cantRead = ({ unread }: Draft): string => `Signalman can’t read ${unread}.`

/** Whether a draft leaves out what may name the health checks that it would change. */
const losesItsChecks = ({ leftOut, reading }: Draft): boolean =>
  leftOut.length > 0 &&
  reading.mayChange &&
  !isNamed(reading) &&
  reading.verb.parameters?.some(({ kind }) => kind === 'name') === true

const without = ({ unread }: Draft): string => (unread === '' ? '' : ` without ${unread}`)

const listVerbs = (routes: Verbs): Verb[] =>
  routes.commands().flatMap((command) => [...(routes.findVerbs(command)?.values() ?? [])])

/** A button takes 2,000 characters, with the environment. */
const MAX_LINE = LIMITS.buttonValue - 20

/** The line of a draft, if a button can have it. Of an act without some of its words, only that of its window, if it has one. */
function findNext({ line, leftOut, reading }: Draft): string | undefined {
  const { isAct, verb } = reading
  const { window, command, mayChange, parameters } = verb
  // The words may be the rest of the name of what is deleted.
  const isByName = mayChange && parameters?.every(({ group }) => group === 'checks') === true
  if (line.length > MAX_LINE) return undefined
  const isWhole = leftOut.length === 0 && (!isAct || isComplete(reading))
  if (isWhole || !(isAct || isByName)) return line
  return window && line.replace(verb.line, `/${command} ${window}`)
}

/** Whether a line may be answered by a window, as far as it's known before anything is read. */
export function mayOpen(routes: Verbs, { line: { command, text }, meant }: UnreadLine): boolean {
  const words = skipPolite(splitWords(text))
  const known = routes.findVerbs(command) ?? new Map()
  if (meant || findVerb(known, words) || findInstead(command, words) || QUESTION_MARK.test(text)) return false
  const { reading } = findDraft(known, words, (line) => readIfPossible(routes, line)) ?? {}
  return reading !== undefined && (opensForm(reading) || reading.verb.window !== undefined)
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

/** Undefined if there are too many to compare, or if the service doesn't say. */
async function listKnown(context: Pick<CommandContext, 'api'>): Promise<readonly KnownCheck[] | undefined> {
  const names = await listNamesInTime(context)
  return names && (await prepareNames(names.checks))
}
