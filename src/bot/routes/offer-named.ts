import { UserError } from '@signalman/runtime'
import { NoSuchCheck } from '../../domain/find-check.ts'
import type { NamedCheck } from '../../domain/mistyped-check-name.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import type { CommandContext } from './command-context.ts'
import {
  type CommandLine,
  describeOffers,
  explainUnread,
  namesCheck,
  offerLines,
  type ResolvedLine,
  resolveLine,
  splitCommand,
  suggestLine,
  UnreadLine,
} from './lines.ts'
import type { Verbs } from './read-line.ts'

/** A person waits for it. */
const TIMEOUT_MS = 3000
const MAX_SEARCHED = 10_000

/** The error for a line that wasn't read, with lines that name health checks that exist. */
export async function offerNamed(context: CommandContext, routes: Verbs, error: unknown): Promise<unknown> {
  if (!(error instanceof UnreadLine)) return error
  // Nothing else depends on the names of health checks.
  if (!error.suggestions.some(({ line }) => namesCheck(routes, line))) return error
  const checks = await listChecks(context, error.line)
  return checks ? explainUnread(routes, error.line, error.problem, checks) : error
}

/**
 * The error of a line that ran, but names nothing that exists: with the lines that may have been meant, unless it names some that differ
 * only in the name.
 */
export async function offerInstead(
  context: CommandContext,
  routes: Verbs,
  resolved: ResolvedLine,
  error: unknown,
): Promise<unknown> {
  const isPlain = error instanceof UserError && error.constructor === UserError && resolved.verb.verb === ''
  if (!(error instanceof NoSuchCheck || isPlain)) return error
  const { typed } = resolved
  // For a name with a slip, all health checks were already listed to find similar ones.
  const unnamed = offerLines(routes, typed)
  const nameOf = (line: string): string =>
    foldName(resolveLine(routes, splitCommand(line)).args.values.check ?? '')
  const isSameName = unnamed.lines.every(
    (line) => nameOf(line) === foldName(resolved.args.values.check ?? ''),
  )
  if (unnamed.note === undefined && isSameName) return error
  const offers = offerLines(routes, typed, await listChecks(context, typed))
  const [best] = offers.lines
  if (offers.note === undefined && (best === undefined || isOtherName(routes, resolved, best))) return error
  const problem = error instanceof NoSuchCheck ? error.problem : error.message
  return new UserError(describeOffers(problem, offers), [
    ...offers.lines.map(suggestLine),
    ...(isPlain || offers.lines.length === 0 ? error.suggestions : []),
  ])
}

/** Whether a line is the same but for the name of the health check. */
function isOtherName(routes: Verbs, { name, args }: ResolvedLine, line: string): boolean {
  const other = resolveLine(routes, splitCommand(line))
  const rest = ({ values, flags, lists }: ResolvedLine['args']): string =>
    JSON.stringify([{ ...values, check: '', pattern: '', uuid: '' }, flags, lists])
  return other.name === name && rest(other.args) === rest(args)
}

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
      if (checks.length >= MAX_SEARCHED) break
    }
    return checks
  } catch {
    return undefined
  }
}
