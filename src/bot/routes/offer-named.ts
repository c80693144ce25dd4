import { UserError } from '@signalman/runtime'
import { NoSuchCheck } from '../../domain/find-check.ts'
import { MAX_SEARCHED, type NamedCheck } from '../../domain/mistyped-check-name.ts'
import type { CommandContext } from './command-context.ts'
import {
  type CommandLine,
  describeOffers,
  explainUnread,
  findVerbOfLine,
  namesCheck,
  offerLine,
  type ResolvedLine,
  suggestLine,
  UnreadLine,
} from './lines.ts'
import type { Offers } from './offers.ts'
import type { Verbs } from './read-line.ts'

/** A person waits for it. */
const TIMEOUT_MS = 3000

/** The error for a line that wasn't read, with lines that name health checks that exist, and that the person may use. */
export async function offerNamed(context: CommandContext, routes: Verbs, error: unknown): Promise<unknown> {
  if (!(error instanceof UnreadLine)) return error
  // Nothing else depends on the names of health checks.
  const isNamed = error.suggestions.some(({ line }) => namesCheck(routes, line))
  const checks = isNamed ? await listChecks(context, error.line) : undefined
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
  if (!mayFind && !hasOffer(offerLine(routes, typed))) return error
  const offers = offerLine(routes, typed, await listChecks(context, typed))
  if (!hasOffer(offers) || isAnswered(routes, resolved, error, offers.line ?? '')) return error
  const lines = [offers.line ?? []].flat()
  const problem = error instanceof NoSuchCheck ? error.problem : error.message
  const help = lines.length > 0 ? [] : [{ label: 'Help', line: `/${typed.command} help` }]
  return new UserError(describeOffers(problem, offers, lines), [
    ...lines.map(suggestLine),
    ...(isPlain ? error.suggestions : help),
  ])
}

const hasOffer = ({ note, line }: Offers): boolean => (note ?? line) !== undefined

/** A setting may be beside the name: `edit web https://web.example.com`. */
const mayHaveSetting = ({ verb, typed }: ResolvedLine): boolean =>
  verb.verb === 'edit' && !typed.text.includes(' --')

/** Whether an error is better than a line that leaves out words, because it offers what has all of them. */
function isAnswered(routes: Verbs, resolved: ResolvedLine, error: UserError, line: string): boolean {
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
