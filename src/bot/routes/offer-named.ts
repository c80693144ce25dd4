import { UserError } from '@signalman/runtime'
import { NoSuchCheck } from '../../domain/find-check.ts'
import { MAX_SEARCHED, type NamedCheck } from '../../domain/mistyped-check-name.ts'
import type { CommandContext } from './command-context.ts'
import {
  type CommandLine,
  describeOffers,
  explainUnread,
  findVerbOfLine,
  listOffered,
  offerLine,
  type ResolvedLine,
  suggestLine,
  UnreadLine,
} from './lines.ts'
import type { Offers } from './offers.ts'
import type { Verbs } from './read-line.ts'
import type { Verb } from './routes.ts'

/** A person waits for it. */
const TIMEOUT_MS = 3000

/** The error for a line that wasn't read, with lines that name health checks that exist, and that the person may use. */
export async function offerNamed(context: CommandContext, routes: Verbs, error: unknown): Promise<unknown> {
  if (!(error instanceof UnreadLine)) return error
  // One word names nothing besides.
  const checks = error.line.text.includes(' ') ? await listChecks(context, error.line) : undefined
  const offered = checks ? explainUnread(routes, error.line, error.problem, checks) : error
  const [first] = offered.suggestions
  const needs = first && findVerbOfLine(routes, first.line)?.needs
  if (!first || !needs || needs === 'viewer') return offered
  const roles = await context.roles().catch(() => undefined)
  if (roles?.has(needs) !== false) return offered
  // The button is left out for them.
  return new UserError(`${offered.message}\n\`${first.label}\` needs the ${needs} role.`, [
    suggestLine('/hc access'),
    ...offered.suggestions,
  ])
}

/** The error of a line that ran, but names nothing that exists: with the lines that may have been meant. */
export async function offerInstead(
  context: CommandContext,
  routes: Verbs,
  resolved: ResolvedLine,
  error: unknown,
): Promise<unknown> {
  const { verb, typed } = resolved
  const isPlain = error instanceof UserError && error.constructor === UserError && verb.verb === ''
  if (!(error instanceof NoSuchCheck || isPlain)) return error
  // For a name with a slip, all health checks were already listed to find similar ones.
  const mayFind = isAroundPart(error, typed) || mayHaveSetting(resolved)
  if (!mayFind && !hasOffer(offerLine(routes, typed), verb)) return error
  const offers = offerLine(routes, typed, await listChecks(context, typed))
  if (!hasOffer(offers, verb) || isAnswered(routes, resolved, error, offers)) return error
  const lines = listOffered(offers)
  const problem = error instanceof NoSuchCheck ? error.problem : error.message
  return new UserError(describeOffers(problem, offers, lines), [
    ...lines.map(suggestLine),
    ...(isPlain ? error.suggestions : []),
  ])
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
    const checks: NamedCheck[] = []
    for await (const { results } of healthChecks.listAll({}, { signal: AbortSignal.timeout(TIMEOUT_MS) })) {
      checks.push(...results)
      if (checks.length > MAX_SEARCHED) return undefined
    }
    return checks
  } catch {
    return undefined
  }
}
