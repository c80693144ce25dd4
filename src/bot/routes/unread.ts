import { Notice, UserError } from '@signalman/runtime'
import { clip, LIMITS, literal, type Message, message, sentences } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { NoSuchCheck } from '../../domain/find-check.ts'
import { type KnownCheck, prepareNames } from '../../domain/known-names.ts'
import { joinWords, quotedName } from '../../domain/quoting.ts'
import { isTime, readText, takesName } from '../grammar/parameters.ts'
import type { CommandContext } from './command-context.ts'
import {
  beginsWithVerb,
  type Draft,
  findDraft,
  findNameOrTarget,
  findValue,
  isComplete,
  isNamed,
} from './draft.ts'
import {
  type CommandLine,
  readIfPossible,
  resolveOwn,
  splitCommand,
  suggestLine,
  type UnreadLine,
} from './lines.ts'
import { listNamesInTime } from './list-names.ts'
import { nameInText } from './name-mentions.ts'
import { findInstead } from './other-words.ts'
import { QUESTION_MARK, splitAsked } from './question-marks.ts'
import { opensForm, type Verbs } from './read-line.ts'
import type { Modal, Verb } from './routes.ts'
import { runLine } from './run-line.ts'

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
  const words = splitAsked(text)
  const isOurs = beginsWithVerb(known, words)
  const checks = command === 'hc' && !isOurs ? await listKnown(context) : undefined
  const run = async (line: string) => {
    const resolved = resolveOwn(routes, { command, text: line })
    await context.authorize(resolved.verb)
    return runLine(context, resolved)
  }
  const name = takesName(bare?.parameters ?? []) ? findNameOrTarget(text, checks) : undefined
  if (name !== undefined) return run(quotedName(name))
  if (meant) throw new UserError(`${problem} Did you mean this?`, [suggestLine(meant), helpOf(command)])
  const instead = isOurs ? undefined : findInstead(command, words)
  if (instead) throw new UserError(instead.note, [suggestLine(instead.line), helpOf(command)])
  const draft = findDraft(known, words, (line) => readIfPossible(routes, line), checks)
  if (draft) return answerDraft(context, routes, draft, { problem, text, canOpen, isOurs })
  if (isOurs) throw new UserError(problem, [suggestLine(`/${command} help ${words[0]?.text}`)])
  return addNote(problem, await run('help'))
}

/** Answers a line that was read, but names no health check: as above, if one is named among its words. */
export async function answerUnnamed(
  context: CommandContext,
  routes: Verbs,
  { command, text }: CommandLine,
  error: unknown,
): Promise<Message | Modal> {
  const isUnanswered = error instanceof NoSuchCheck && error.message === error.problem
  if (!isUnanswered) throw error
  const { problem } = error
  const known = routes.findVerbs(command) ?? new Map()
  const words = splitAsked(text)
  const checks = await listKnown(context)
  const read = (line: string) => readIfPossible(routes, line)
  const draft = checks && findDraft(known, words, read, checks)
  const reading = read(`/${command} ${text}`)
  // What names the same check of the same verb isn't found either.
  const isSame =
    draft?.reading.verb === reading?.verb && draft?.reading.args.values.check === reading?.args.values.check
  const isMeant = draft && !isSame && (draft.leftOut.length === 0 || isNamed(draft.reading))
  if (isMeant) return answerDraft(context, routes, draft, { problem, text, canOpen: false })
  if (beginsWithVerb(known, words)) throw error
  return addNote(problem, await runLine(context, resolveOwn(routes, { command, text: 'help' })))
}

interface How {
  /** Why the line wasn't read. */
  readonly problem: string
  readonly text: string
  readonly canOpen: boolean
  /** Whether its verb is ours. */
  readonly isOurs?: boolean
}

/** Runs a draft, or throws UserError with its button. */
async function answerDraft(
  context: CommandContext,
  routes: Verbs,
  draft: Draft,
  how: How,
): Promise<Message | Modal> {
  const { verb, line, leftOut } = draft
  const { problem, text, canOpen, isOurs } = how
  await context.authorize(verb)
  refuseBadTime(draft, text)
  const next = findNext(draft)
  const isLess = leftOut.length > 0
  const unread = `“${clip(joinWords(leftOut), 80)}”`
  if (next === undefined)
    throw new UserError(isLess && !isOurs ? `${problem} Signalman can’t read ${unread}.` : problem, [
      suggestLine(`/${verb.command} help ${verb.verb}`),
    ])
  const resolved = resolveOwn(routes, splitCommand(next))
  const without = isLess ? ` without ${unread}` : ''
  const isUnsure = (isOurs && isLess) || (resolved.mayChange && QUESTION_MARK.test(text))
  if (resolved.isAct || isUnsure || (opensForm(resolved) && !canOpen)) {
    const button = next === line ? suggestLine(next) : { label: 'Fill in…', line: next }
    throw new UserError(`${problem} Did you mean this${without}?`, [button, helpOf(verb.command)])
  }
  const note = `Signalman read this${without} as:\n\`${clip(cmd(line), 200)}\``
  const content = await runLine(context, resolved).catch((error: unknown) => {
    const isTold = error instanceof UserError || error instanceof Notice
    // A health check that isn't found is looked for among the words.
    if (isTold && !(error instanceof NoSuchCheck)) error.message = `${note}\n${error.message}`
    throw error
  })
  return addNote(await nameInText(context, note), content)
}

const BEFORE_TIME = /\b(?:until|from|since|every) $/i

/** Throws UserError for words with a number that stand where the verb takes a time, but aren't one. */
function refuseBadTime({ verb, leftOut, reading }: Draft, text: string): void {
  const times = verb.parameters?.filter(isTime) ?? []
  const unread = joinWords(leftOut)
  const [before = ''] = text.split(unread, 1)
  const isPlace =
    BEFORE_TIME.test(before) || times.every((time) => findValue(time, reading.args) === undefined)
  if (times.length === 0 || !isPlace || !isNamed(reading) || !/\d/.test(unread)) return
  // Such as `from 18:00`, where only an end can stand.
  if (times.some((time) => readText(time, unread.replace(/^(?:until|from|since|every) /i, '')) !== undefined))
    return
  throw new UserError(
    `“${clip(unread, 60)}” isn’t a time that Signalman reads. Type one such as \`2h\`, \`18:00\`, \`Friday 9:00\`, or \`2026-12-03 18:00\`. Times are in your time zone in Slack.`,
    [suggestLine(`/${verb.command} help ${verb.verb}`)],
  )
}

/** A button takes 2,000 characters, with the environment. */
const MAX_LINE = LIMITS.buttonValue - 20

/**
 * The line of a draft. Of an act without some of its words, only that of its window, if it has one, and nothing if the words that were
 * left out may be the health check.
 */
function findNext({ verb, line, leftOut, reading }: Draft): string | undefined {
  const { window, command, mayChange, parameters } = verb
  const isLess = leftOut.length > 0
  const isUnnamed = parameters?.some(({ kind }) => kind === 'name') && !isNamed(reading)
  // The words may be the rest of the name of what is deleted.
  const isByName = parameters?.every(({ group }) => group === 'checks')
  if (line.length > MAX_LINE || (isLess && mayChange && (isUnnamed || isByName))) return undefined
  if (!reading.isAct || (!isLess && isComplete(reading))) return line
  return window && line.replace(verb.line, `/${command} ${window}`)
}

/** Whether a line may be answered by a window, as far as it's known before anything is read. */
export function mayOpen(routes: Verbs, { line: { command, text }, meant }: UnreadLine): boolean {
  const words = splitAsked(text)
  const known = routes.findVerbs(command) ?? new Map()
  if (meant || beginsWithVerb(known, words) || findInstead(command, words) || QUESTION_MARK.test(text))
    return false
  const { reading } = findDraft(known, words, (line) => readIfPossible(routes, line), undefined) ?? {}
  return reading !== undefined && (opensForm(reading) || reading.verb.window !== undefined)
}

const helpOf = (command: string) => ({ label: 'Help', line: `/${command} help` })

function addNote(note: string, content: Message | Modal): Message | Modal {
  const blocks = [sentences(note), ...content.blocks.flat()]
  return 'title' in content ? { ...content, blocks } : message(`${literal(note)}\n${content.text}`, ...blocks)
}

/** Undefined if there are too many to compare, or if the service doesn't say. */
async function listKnown(context: Pick<CommandContext, 'api'>): Promise<readonly KnownCheck[] | undefined> {
  const names = await listNamesInTime(context)
  return names && (await prepareNames(names.checks))
}
