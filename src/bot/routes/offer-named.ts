import { Question, UserError } from '@signalman/runtime'
import { literal, type Message, message, sentences } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { findCheckId, NoSuchCheck } from '../../domain/find-check.ts'
import type { NamedCheck } from '../../domain/mistyped-check-name.ts'
import { isAllowed } from '../access/access.ts'
import type { CommandContext } from './command-context.ts'
import {
  type CommandLine,
  describeOffers,
  explainUnread,
  findVerbOfLine,
  listOffered,
  offerLine,
  opensAtOnce,
  type ResolvedLine,
  readIfPossible,
  suggestLine,
  UnreadLine,
} from './lines.ts'
import { nameMentions } from './name-mentions.ts'
import { type Offers, QUESTION } from './offers.ts'
import { QUESTION_MARK } from './question-marks.ts'
import { opensForm, type Reading, type Verbs } from './read-line.ts'
import type { Modal, Verb } from './routes.ts'

/** A person waits for it. */
const TIMEOUT_MS = 3000

/**
 * Answers a line that wasn't read: with an error and the lines that may have been meant, which name health checks that exist and which the
 * person may use, or with what the line shows before anything is done. Throws UserError. `canOpen`: whether it may be a window.
 */
export async function offerNamed(
  context: CommandContext,
  routes: Verbs,
  error: unknown,
  canOpen: boolean,
): Promise<Message | Modal> {
  if (!(error instanceof UnreadLine)) throw error
  // One word names nothing besides, and neither do flags.
  const [words = ''] = error.line.text.split(' --', 1)
  const checks = words.includes(' ') ? await listChecks(context, error.line) : undefined
  const offered = checks ? explainUnread(routes, error.line, error.problem, checks) : error
  await refuseWithoutRole(context, routes, offered)
  const note = offered.offers.note === undefined ? '' : offered.message
  const opens = canOpen && opensAtOnce(routes, offered.line, offered.offers)
  return showOrThrow(context, routes, offered, note, opens)
}

/** What the only line that an error offers shows at once. Throws what asks for more or, if it shows nothing, the error. */
async function showOrThrow(
  context: CommandContext,
  routes: Verbs,
  error: UserError,
  note: string,
  canOpen: boolean,
): Promise<Message | Modal> {
  const shown = await askAtOnce(context, routes, error, note, canOpen)
  if (shown) return shown
  throw error
}

/**
 * What the only line that an error offers shows before anything is done, below the error: a preview, orders to choose from, a form, or, for
 * an act, the health checks that have a part of a name. Throws what asks for one of them, after `note`.
 */
async function askAtOnce(
  context: CommandContext,
  routes: Verbs,
  { message: problem, suggestions }: UserError,
  note: string,
  canOpen: boolean,
): Promise<Message | Modal | undefined> {
  const readings = suggestions.flatMap(({ line }) => readIfPossible(routes, line) ?? [])
  const [only, another] = readings.filter(
    (reading) =>
      reading.verb.choose ?? (reading.isAct ? reading.args.values.check : canOpen && opensForm(reading)),
  )
  if (!only || another) return undefined
  const { verb } = only
  const roles = await context.roles().catch(() => undefined)
  if (!roles || !isAllowed(context.actor, roles, verb)) return undefined
  // What is wrong with the line is said if it's pressed.
  const choice = await showFirst(context, only, canOpen && opensForm(only)).catch((error: unknown) =>
    error instanceof Error ? error : undefined,
  )
  if (choice instanceof Question) throw new Question(`${note} ${choice.message}`.trim(), choice.suggestions)
  if (choice && 'title' in choice) return { ...choice, blocks: [sentences(problem), ...choice.blocks] }
  if (choice && !(choice instanceof Error))
    return message(`${literal(problem)}\n${choice.text}`, sentences(problem), choice.blocks)
  if (!(choice instanceof NoSuchCheck)) return undefined
  if (!choice.suggestions.some((each) => findVerbOfLine(routes, each.line) === verb)) return undefined
  const meant = note || `Did you mean \`${cmd(verb.line)}\`?`
  throw new UserError(`${meant} ${choice.message}`, choice.suggestions)
}

/** What a line shows before anything is done. Throws Question, or NoSuchCheck for a part of a name. */
async function showFirst(
  context: CommandContext,
  { verb, args }: Reading,
  canOpen: boolean,
): Promise<Message | Modal | undefined> {
  const { choose, needs, parameters = [] } = verb
  const chosen = await choose?.(context, args)
  if (chosen) return chosen
  if (canOpen) return verb.run(context, args.prose ? await nameMentions(context, args.prose, args) : args)
  if (choose) return undefined
  const takesPattern = parameters.some(({ kind }) => kind === 'pattern')
  await findCheckId(context, args, { reads: needs === 'viewer', takesPattern })
  return undefined
}

/** Throws UserError, which names the role, if the person may not use the first line that an error offers: its button is left out. */
async function refuseWithoutRole(
  context: CommandContext,
  routes: Verbs,
  { message, suggestions }: UserError,
): Promise<void> {
  const [first] = suggestions
  const needs = first && findVerbOfLine(routes, first.line)?.needs
  if (!first || !needs || needs === 'viewer') return
  const roles = await context.roles().catch(() => undefined)
  if (roles?.has(needs) === false)
    throw new UserError(`${message}\n\`${first.label}\` needs the ${needs} role.`, [
      suggestLine('/hc access'),
      ...suggestions,
    ])
}

/**
 * Answers a line that ran, but names nothing that exists: with its error and the lines that may have been meant, or with what the only one
 * shows before anything is done. Throws the error. `canOpen`: whether it may be a window.
 */
export async function offerInstead(
  context: CommandContext,
  routes: Verbs,
  resolved: ResolvedLine,
  error: unknown,
  canOpen: boolean,
): Promise<Message | Modal> {
  const { verb, typed } = resolved
  const isPlain =
    error instanceof UserError &&
    error.constructor === UserError &&
    ['', 'list', 'export'].includes(verb.verb)
  if (!(error instanceof NoSuchCheck || isPlain)) throw error
  const named =
    error instanceof NoSuchCheck && (await askAtOnce(context, routes, error, error.problem, canOpen))
  if (named) return named
  // For a name with a slip, all health checks were already listed to find similar ones.
  const mayFind = isAroundPart(error, typed) || mayHaveSetting(resolved)
  if (!mayFind && !hasOffer(offerLine(routes, typed), verb)) throw unlessQuestion(resolved, error)
  const offers = offerLine(routes, typed, await listChecks(context, typed))
  if (!hasOffer(offers, verb)) throw unlessQuestion(resolved, error)
  if (isAnswered(routes, resolved, error, offers)) throw error
  const lines = listOffered(offers)
  const noCheck = error instanceof NoSuchCheck ? error.problem : error.message
  const problem = beginsWithVerb(routes, typed) || isPlain ? noCheck : 'This isn’t a command.'
  const offered = new UserError(describeOffers(problem, offers, lines), [
    ...lines.map(suggestLine),
    ...(isPlain ? error.suggestions : []),
  ])
  await refuseWithoutRole(context, routes, offered)
  const note = describeOffers(problem, { note: offers.note }, [])
  return showOrThrow(context, routes, offered, note, canOpen && opensAtOnce(routes, typed, offers))
}

const beginsWithVerb = (routes: Verbs, { command, text }: CommandLine): boolean =>
  routes.findVerbs(command)?.has(text.split(' ', 1)[0]?.toLowerCase() ?? '') === true

/** The error or, for a question, what can be typed instead. A question names no health check. */
function unlessQuestion({ typed }: ResolvedLine, error: UserError): UserError {
  const isAsked = QUESTION.test(typed.text) || QUESTION_MARK.test(typed.text)
  if (!isAsked || !isAroundPart(error, typed)) return error
  return new UserError(
    `Signalman reads commands, not questions. \`${cmd('/hc NAME')}\` shows a health check, and \`${cmd('/hc history NAME')}\` its outages.`,
    [{ label: 'What is down', line: '/hc down' }, ...error.suggestions],
  )
}

/** After a verb, its error says more than its help. */
const hasOffer = ({ note, line, help }: Offers, { verb }: Verb): boolean =>
  (note ?? line ?? (verb === '' || verb === 'show' ? help : undefined)) !== undefined

/** A setting may be beside the name: `edit web https://web.example.com`. */
const mayHaveSetting = ({ verb, typed }: ResolvedLine): boolean =>
  verb.verb === 'edit' && !typed.text.includes(' --')

/** Whether an error is better than a line that leaves out words, because it offers what has all of them. */
function isAnswered(
  routes: Verbs,
  resolved: ResolvedLine,
  error: UserError,
  { note, line = '' }: Offers,
): boolean {
  if (note !== undefined) return false
  if (mayHaveSetting(resolved)) return !isAroundPart(error, resolved.typed) && !line.includes(' --')
  // A list that finds nothing offers only all of them.
  if (resolved.verb.verb === 'list') return line === resolved.verb.line
  const offersNone = error instanceof NoSuchCheck && error.message === error.problem
  return !offersNone && findVerbOfLine(routes, line) === resolved.verb
}

/** Whether other words may be around a part of a name, because no name is similar: `is the shop up`. */
const isAroundPart = (error: UserError, { text }: CommandLine): boolean =>
  error instanceof NoSuchCheck && error.message === error.problem && text.includes(' ')

/** Undefined if there are too many to compare. */
async function listChecks(
  context: Pick<CommandContext, 'api'>,
  { command }: CommandLine,
): Promise<readonly NamedCheck[] | undefined> {
  if (command !== 'hc') return undefined
  try {
    const { healthChecks } = await context.api()
    return (await healthChecks.listNames({}, AbortSignal.timeout(TIMEOUT_MS)))?.checks
  } catch {
    return undefined
  }
}
