import { Notice, type SuggestedCommand, UserError } from '@signalman/runtime'
import {
  actions,
  blocksText,
  clip,
  commandButton,
  controlRow,
  isDirect,
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
} from '../../domain/known-names.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { joinWords, quoted, quotedName, splitWords, type Word } from '../../domain/quoting.ts'
import { isPerson, takesName } from '../grammar/parameters.ts'
import type { CommandContext } from '../routes/command-context.ts'
import {
  type CommandLine,
  readIfPossible,
  resolveOwn,
  splitCommand,
  suggestLine,
  writeTyped,
} from '../routes/lines.ts'
import { nameInError, runLine } from '../routes/name-mentions.ts'
import { noCommand, opensForm, type Reading } from '../routes/read-line.ts'
import type { Modal, Nearby, Verb } from '../routes/routes.ts'
import { listNamesInTime } from './list-names.ts'
import {
  carryForms,
  findMeant,
  findNamed,
  isAboutChecks,
  isWhole,
  type Meant,
  mayBeName,
  skipPolite,
  toWord,
  withoutName,
} from './meant-line.ts'
import { askNear, MAX_LINE, offerLine } from './offers.ts'
import { findInstead, findVerbs } from './other-words.ts'
import {
  findMain,
  findOther,
  findOwn,
  isAbout,
  listAbout,
  listButtons,
  listCardButtons,
  mayRunHere,
  type Places,
  withoutThings,
} from './place.ts'
import { isQuestion } from './question-marks.ts'
import { readTyped } from './read-typed.ts'

/** A line that wasn't read, or that names nothing there is. */
export interface Unread extends CommandLine {
  readonly problem: string
  /** Set if it was read, but names nothing. */
  readonly error?: NothingFound | undefined
  readonly reading?: Reading | undefined
  /** Whether it was said in a message, so that it may be for each of the commands. */
  readonly isSaid: boolean
  /** Whether it can be answered by a window. */
  readonly canOpen?: boolean
  /** Whether another command led here. */
  readonly isLed?: boolean
}

/** Whether a typed line that wasn't read may be answered by a window, as far as that's known before anything is looked up. */
export function mayOpen(routes: Places, { text }: CommandLine): boolean {
  const verb = toWord(skipPolite(splitWords(text))[0] ?? { text: '', isQuoted: true })
  return routes
    .commands()
    .some((command) => findVerbs(routes.findVerbs(command), verb).some((each) => each.verb.canOpenForm))
}

/** Runs a line that was read, or answers it if it names nothing, or several. */
export async function runRead(
  context: CommandContext,
  routes: Places,
  resolved: Reading,
  {
    typed,
    run,
    isSaid = false,
  }: { typed: CommandLine; run: () => Promise<Message | Modal>; isSaid?: boolean },
): Promise<Message | Modal> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof WhichCheck) throw await askNear(context, routes, resolved, error)
    if (!(error instanceof NothingFound)) throw error
    const canOpen = !isSaid && resolved.opensModal === true
    const unread = { ...typed, problem: error.problem, error, reading: resolved, isSaid, canOpen }
    return answerUnread(context, routes, unread)
  }
}

interface Typed extends Unread {
  readonly words: readonly Word[]
  readonly known: ReadonlyMap<string, Verb>
  /** The verb of ours that it begins with. */
  readonly verb: Verb | undefined
  /** All health checks. Undefined if there are too many to compare, or if the service doesn't say. */
  readonly names: readonly KnownCheck[] | undefined
  /** What to do instead of what Signalman doesn't do. */
  readonly instead: string | undefined
  /** The verb that a word of another tool may mean. */
  readonly guessed?: Verb | undefined
}

/**
 * Answers with the line that was meant, if all of the words are in that; else by the command that they are about, by what Signalman does
 * instead, or with what people do where they are.
 */
export async function answerUnread(
  context: CommandContext,
  routes: Places,
  unread: Unread,
): Promise<Message | Modal> {
  const { command, text, error, reading, isLed } = unread
  const known = routes.findVerbs(command)
  const words = skipPolite(splitWords(text))
  const verb = findOwn(known, words)
  const names = showsChecks(known) ? await listKnown(context) : []
  const name = reading ? undefined : findNameOrTarget(text, names)
  if (name !== undefined) return runOwn(context, routes, `/${command} ${quotedName(name)}`)
  const read = (line: string) => readIfPossible(routes, line, readTyped)
  // What led here isn't read again, unless it's a part of a name.
  const isThing = isLed && !findNamed(words, names ?? [])
  const meant = isThing ? withoutThings(routes, command, words) : words
  const found = findMeant(known, meant, { read, names, failed: reading })
  const instead = verb ? undefined : findInstead(command, withoutName(words, names), { known })
  const typed = { ...unread, words, known, verb, names, instead }
  // What is read as a whole is meant, whatever else its words speak of: “give @lee approver”.
  const isRead = found && !found.isGuess && isWhole(found.reading)
  const other = isLed || isRead ? undefined : findElsewhere(routes, typed)
  if (other) return answerUnread(context, routes, { ...unread, ...LED, command: other })
  const isMeant = found && (!found.isGuess || !error) && (!instead || found.reading.isAct)
  return isMeant ? answerMeant(context, routes, found, typed) : answerByPlace(context, routes, typed)
}

/** Whether a command alone shows a health check. */
const showsChecks = (known: ReadonlyMap<string, Verb>) => takesName(known.get('')?.parameters ?? [])

/** The command that a line is for, if it's another one. A verb of ours is for its own, unless it only reads and found nothing. */
function findElsewhere(routes: Places, typed: Typed): string | undefined {
  const { command, words, verb, error, instead, names } = typed
  if (verb && (verb.mayChange || !error)) return undefined
  const others = withoutName(words, names)
  return findOther(routes, command, others, instead !== undefined || others.length < words.length)
}

/** In the thread of another command’s card, what only asks is about that. */
function leadToCard(
  routes: Places,
  { command }: Nearby,
  { verb, guessed = verb, isLed, ...typed }: Typed,
): Partial<Typed> {
  if (!command || command === typed.command || isLed || guessed?.mayChange) return {}
  return { ...LED, command, known: routes.findVerbs(command), verb: undefined, guessed: undefined }
}

const PRESS = 'Press one of these, or type a command.'
const LED = { problem: PRESS, error: undefined, reading: undefined, isSaid: false, isLed: true }

async function runOwn(context: CommandContext, routes: Places, line: string): Promise<Message | Modal> {
  const typed = splitCommand(line)
  const reading = resolveOwn(routes, typed)
  await context.authorize(reading.verb)
  return runRead(context, routes, reading, { typed, run: () => runLine(context, reading) })
}

/** Runs a line that only shows something or opens a window, and says so. Another one is only offered. */
async function answerMeant(
  context: CommandContext,
  routes: Places,
  { line, reading, isSure }: Meant,
  typed: Typed,
): Promise<Message | Modal> {
  const { verb, isAct, mayChange, words } = reading
  await context.authorize(verb)
  const showsCard = async () => verb.verb === '' && (await routes.findNearby(context)).card !== undefined
  // Whatever it would end or change, or all of it in the thread of a card: “details”.
  if (!typed.verb && words.length === 0 && (isAct || (await showsCard())))
    return answerByPlace(context, routes, { ...typed, guessed: isAct ? verb : undefined })
  const note = `Signalman read this as:\n\`${clip(cmd(line), 200)}\``
  const explain = async (thrown: unknown): Promise<Message | Modal> => {
    if (thrown instanceof NothingFound)
      return answerByPlace(context, routes, { ...typed, error: thrown, reading, guessed: verb })
    const error = thrown instanceof WhichCheck ? await askNear(context, routes, reading, thrown) : thrown
    if (error instanceof UserError || error instanceof Notice) error.message = `${note}\n${error.message}`
    throw error
  }
  const isAsked = !isSure || (mayChange && isQuestion(splitWords(typed.text)))
  if (!isAct && !isAsked && (typed.canOpen || !opensForm(reading))) {
    const run = async () => addNote(context, note, await runLine(context, reading))
    return run().catch(explain)
  }
  const offers = await offerLine(context, routes, reading, line).catch((error: unknown) =>
    error instanceof UserError && !(error instanceof NothingFound)
      ? answerByPlace(context, routes, { ...typed, problem: error.message })
      : explain(error),
  )
  if ('blocks' in offers) return offers
  if (line.length > MAX_LINE) throw new UserError(typed.problem, [helpOf(verb.command, verb)])
  throw new UserError(typed.instead ?? offers.message, [...offers.suggestions, helpOf(verb.command)])
}

/** Says what is wrong with a line, and shows the card of the thread, or what people do where they are. */
async function answerByPlace(
  context: CommandContext,
  routes: Places,
  unread: Typed,
): Promise<Message | Modal> {
  const near = await routes.findNearby(context)
  const placed = { ...unread, ...leadToCard(routes, near, unread) }
  const { command, verb, guessed = verb, error } = placed
  if (verb && !error) await context.authorize(verb)
  const typed = { ...placed, instead: placed.instead ?? findInSentence(placed, near) }
  const part = await offerPart(context, routes, typed)
  const said = describe(context, routes, typed, near, part)
  // What the words of the line lead to.
  const own = [
    ...(part?.suggestions ?? []),
    ...((guessed && error?.suggestions) || []),
    ...(await offerNamed(typed)),
    ...listAbout(routes, typed.words),
  ]
  if (near.card) {
    const offered = [...own, ...listCardButtons(routes, near, own.length)]
    return addNote(context, `Nothing was done. ${said}`, near.card, offered)
  }
  if (error?.without) return addNote(context, said, await runOwn(context, routes, error.without), own)
  const commands = listCommands(routes, typed, own.length > 0)
  const isHome = commands.includes('hc') && isDirect(context.channelId ?? '')
  const waiting = isHome ? await routes.listWaiting(context) : []
  const all = [...own, ...listButtons(routes, commands, near, typed.text)]
  const offered = [
    ...all.filter(({ line }) => mayRunHere(context, readIfPossible(routes, line))),
    helpOf(command, error ? undefined : guessed),
  ]
  if (waiting.length === 0) throw new UserError(said, uniqueLines(context, offered))
  const shown = message(blocksText(waiting), ...waiting)
  return addNote(context, verb?.mayChange ? `${said} Nothing was changed.` : said, shown, offered)
}

/** What Signalman does instead of what a sentence asks for. What is behind a verb is one if it's hardly a name. */
function findInSentence(typed: Typed, { card }: Nearby): string | undefined {
  const { command, words, known, verb, guessed = verb, error, names = [] } = typed
  if (guessed && (!error || saysName(typed, card !== undefined))) return undefined
  return findInstead(command, withoutName(words, names), { isAnywhere: true, known })
}

/**
 * The commands that a line may be for: all of them if it was said, and nothing of it tells. None for a verb that isn’t about health checks,
 * such as one for roles: what is down has nothing to do with it.
 */
function listCommands(
  routes: Places,
  { command, words, verb, guessed = verb, error, isSaid }: Typed,
  isKnown: boolean,
): readonly string[] {
  if (command === 'hc' && guessed && !error && !takesCheck(guessed)) return []
  const isOwn = !isSaid || verb || isKnown || isAbout(routes, command, words)
  return isOwn ? [command] : [...new Set([command, ...routes.commands()])]
}

const takesCheck = (verb: Verb): boolean =>
  isAboutChecks(verb) || Boolean(verb.parameters?.some(({ kind }) => kind === 'pattern' || kind === 'name'))

/** The health check that a line without a verb names, or those whose words it has. */
async function offerNamed(typed: Typed): Promise<SuggestedCommand[]> {
  const { command, text, words, names = [], verb, guessed = verb } = typed
  if (command !== 'hc' || guessed) return []
  const all = names.map(({ check }) => check)
  const named = findNamed(words, names)
  const checks = named ? [named.check] : await findSimilarChecks(all, text)
  return checks.slice(0, 3).map(({ uuid, name, target = uuid }) => ({
    label: `Show ${name || target}`,
    line: `/hc show ${quoted(uuid)}`,
  }))
}

/** What a verb that was read, or may be meant, can take of the line: who, where, and when. */
async function offerPart(
  context: CommandContext,
  routes: Places,
  typed: Typed,
): Promise<UserError | undefined> {
  const { known, words, verb, guessed = verb, error, names = [] } = typed
  const [first] = words
  const isKnown = guessed?.mayChange && findNamed(words.slice(1), names)
  const isNamed = error && (!guessed || (error.suggestions.length > 1 && !isKnown))
  if (!first || first.isQuoted || isNamed) return undefined
  const verbs = guessed ? [{ verb: guessed, added: '' }] : findVerbs(known, first.text)
  const parts = verbs.flatMap((meant) => {
    const { line, isCut } = writePart(meant, typed)
    const part = readIfPossible(routes, line)
    // What changes something isn't offered without its other words, except as a form.
    const isForm = guessed && part && opensForm(part)
    const isOffered =
      isForm || (part && !isCut && !part.verb.hidden && isWhole(part) && !(part.isAct && verb && !error))
    return isOffered && mayRunHere(context, part) ? { part, line: isForm ? line : writeTyped(part) } : []
  })
  const [only, ...others] = parts
  if (!only) return undefined
  const all = parts.map(({ line }) => suggestLine(line))
  if (others.length > 0) return new UserError('Did you mean this?', all)
  return offerLine(context, routes, only.part, only.line).catch(() => undefined)
}

/** The line that takes it, and whether it lacks other words. Empty if that’s nothing: a verb alone says nothing about what to change. */
function writePart(
  { verb, added }: ReturnType<typeof findVerbs>[number],
  { words, names = [], instead, error, verb: own }: Typed,
): { line: string; isCut: boolean } {
  const rest = words.slice(1)
  const { carried } = carryForms(verb, rest)
  const named = isAboutChecks(verb) ? findNamed(rest, names) : undefined
  // What only shows or asks keeps its name, though other words say more.
  const mayChange = verb.mayChange && (own === undefined || error !== undefined)
  const isCut = named !== undefined && mayChange
  const name = named ? quotedName(named.check.name) : ''
  const isBare = name + carried === '' && (mayChange || (!own && !isAboutChecks(verb)))
  // Without its pattern, it would be about other checks.
  const isPattern = rest.some(({ text, isQuoted }) => !isQuoted && text.includes('*'))
  const isNothing = isBare || isPattern || (instead && !isPerson(carried))
  return { line: isNothing ? '' : [verb.line, added, name, carried].filter(Boolean).join(' '), isCut }
}

/** What is wrong with a line, or else what to do, and what is known of what it’s about. */
function describe(
  { environment }: CommandContext,
  routes: Places,
  typed: Typed,
  near: Nearby,
  part: UserError | undefined,
): string {
  const { command, text, problem, words, known, verb, guessed = verb, error, isSaid, isLed, instead } = typed
  if (instead) return instead
  if (error && guessed) return describeUnread(error, guessed, typed, near.card !== undefined)
  const unknown = noCommand(command, splitWords(text)[0]?.text ?? '').message
  if (!error && !isLed && problem !== unknown) return problem
  if (part) return part.message
  const knows = describeKnown(routes, typed, near)
  if (near.card) return `This is what the thread is about, as it is now.${knows}`
  if (isSaid || isLed || words.length !== 1) return PRESS + knows
  if (!error) return problem + knows
  if (!showsChecks(known)) return error.message
  return `“${clip(oneLine(text), 80)}” isn’t a command or a health check${environmentSuffix(environment)}.${knows}`
}

/** What nothing is named, or which words can’t be read, next to a health check or else behind the verb. */
function describeUnread(error: NothingFound, verb: Verb, typed: Typed, isInThread: boolean): string {
  const [first, ...rest] = typed.words
  const marked = describeMarked(verb, rest)
  if (marked !== undefined) return marked
  const named = isAboutChecks(verb) ? findNamed(rest, typed.names ?? []) : undefined
  const after = carryForms(verb, rest.slice(named?.end ?? 0)).others
  const isBefore = named !== undefined && after.length === 0
  const unread = isBefore ? rest.slice(0, named.start) : after
  const isName = saysName(typed, isInThread)
  const { check = '' } = { ...typed.reading?.args.values }
  if (unread.length === 0)
    return isName ? error.message : cantRead(splitWords(check), `after “${first?.text}”`)
  if (isName && (!named || error.message !== error.problem)) return error.message
  const why = cantRead(unread, `${isBefore ? 'before' : 'after'} “${named?.check.name ?? first?.text}”`)
  return isName ? `${error.message} ${why}` : why
}

/** Which words can’t be read behind the one for an argument: the `until` of `until dawn`. Undefined if there’s none, or if they’re read. */
function describeMarked(verb: Verb, words: readonly Word[]): string | undefined {
  const marks = new Map(verb.parameters?.map(({ after, kind }) => [after, kind]))
  const at = words.findLastIndex(({ text, isQuoted }) => !isQuoted && marks.has(text.toLowerCase()))
  const [mark, ...behind] = at === -1 ? [] : words.slice(at)
  if (!mark || behind.length === 0 || carryForms(verb, words.slice(at)).carried !== '') return undefined
  const isTime = marks.get(mark.text.toLowerCase()) === 'moment'
  return `${cantRead(behind, `after “${mark.text}”`)}${isTime ? ' Type a time, such as 18:00 or Friday 9:00.' : ''}`
}

const cantRead = (words: readonly Word[], where: string): string =>
  `Signalman can’t read “${clip(oneLine(joinWords(words)), 80)}” ${where}.`

/** What the service says of what a line is about, and what it doesn’t. Empty if it’s about something else, or if nothing tells. */
function describeKnown(
  routes: Places,
  { command, words, known, isSaid, names = [] }: Typed,
  { card, checks }: Nearby,
): string {
  const isVague = isSaid && showsChecks(known) && !isAbout(routes, command, words) && !findNamed(words, names)
  const { knows } = { ...findMain(routes, command) }
  const isOther = card !== undefined && checks.length === 0
  return !isVague && !isOther && listAbout(routes, words).length === 0 && knows ? ` ${knows}` : ''
}

/** Whether an error can be said as it is: it calls nothing a name that is a sentence or, in a thread, may be one. */
function saysName({ verb, error, reading }: Typed, isInThread: boolean): boolean {
  const { values = {}, flags = {} } = { ...reading?.args }
  const name = [values.check, flags.name].find((text) => typeof text === 'string')
  if (name === undefined || !error?.problem.includes(name)) return true
  return !isInThread && mayBeName(name, verb !== undefined)
}

const helpOf = (command: string, verb?: Verb): SuggestedCommand =>
  verb?.verb && !verb.hidden
    ? suggestLine(`/${command} help ${verb.verb}`)
    : { label: 'Help', line: `/${command} help` }

/**
 * Each line once, at its first place, though only one of two may name the environment. A label that says what it does comes before one that
 * only says the line.
 */
function uniqueLines(
  { environment }: Pick<CommandContext, 'environment'>,
  suggestions: readonly SuggestedCommand[],
): SuggestedCommand[] {
  const found = new Map<string, SuggestedCommand>()
  for (const suggestion of suggestions) {
    const key = suggestion.line.replace(` --env ${environment}`, '')
    if (found.get(key)?.label.startsWith('/') ?? true) found.set(key, suggestion)
  }
  return [...found.values()]
}

/** Adds a sentence above an answer, and buttons below it that it hasn't yet. */
async function addNote(
  context: CommandContext,
  text: string,
  content: Message | Modal,
  suggestions: readonly SuggestedCommand[] = [],
): Promise<Message | Modal> {
  const shown = JSON.stringify(content.blocks)
  const others = uniqueLines(context, suggestions).filter(({ line }) => !shown.includes(JSON.stringify(line)))
  const { message: note, suggestions: named } = await nameInError(context, new UserError(text, others))
  const buttons = named.map(({ label, line }) => commandButton(label, line))
  const blocks = [sentences(note), ...content.blocks.flat(), ...actions(...controlRow(buttons))]
  return 'title' in content ? { ...content, blocks } : message(`${literal(note)}\n${content.text}`, ...blocks)
}

/** The health checks. Undefined if there are too many to compare, or if the service doesn't say. */
async function listKnown(context: Pick<CommandContext, 'api'>): Promise<readonly KnownCheck[] | undefined> {
  const names = await listNamesInTime(context)
  return names && prepareNames(names.checks)
}
