import { type SuggestedCommand, UserError } from '@signalman/runtime'
import { cmd } from './command-names.ts'
import { type Environment, environmentSuffix } from './environment.ts'
import {
  findSimilarChecks,
  hasPart,
  type KnownCheck,
  MAX_SUGGESTED,
  mayBeMeant,
  type NamedCheck,
  prepareNames,
  targetHost,
  toKnown,
  toLetters,
  withoutScheme,
} from './known-names.ts'
import { NothingFound } from './nothing-found.ts'
import { quotedName } from './quoting.ts'
import { foldName } from './typed-text/fold-name.ts'
import { formatCount } from './wording.ts'

/** Also in braces, without hyphens, or as a URN. */
const WHOLE_UUID =
  /^(?:urn:uuid:)?\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i

/** Parses a text that is a UUID and nothing else, in any way of writing it. */
export const parseUuid = (text: string): string | undefined =>
  WHOLE_UUID.exec(text)?.slice(1).join('-').toLowerCase()

/** Finds a UUID in any wrapping: braces, backticks, inside a URL. */
export const findUuid = (text = ''): string | undefined => UUID.exec(text)?.[0].toLowerCase()

/** The listings of health checks that a search uses. */
interface CheckListing<Check extends NamedCheck> {
  list(
    query: {
      name?: string
      target?: string
      limit: number
    },
    signal?: AbortSignal,
  ): Promise<{ results: readonly Check[]; total: number }>
  /** All of them, at most 30 s old, or as old as is said. Undefined if there are too many. */
  listNames(
    query?: undefined,
    options?: { readonly maxAgeMs?: number | undefined },
  ): Promise<{ checks: readonly NamedCheck[] } | undefined>
  get(uuid: string): Promise<Check>
}

/** Gives access to the health checks. */
interface CheckSource<Check extends NamedCheck> {
  readonly environment?: Environment
  api(): Promise<{ healthChecks: CheckListing<Check> }>
}

/** What a person typed for a health check. */
export interface TypedCheck {
  readonly values: Readonly<{ uuid?: string | undefined; check?: string | undefined }>
  /** Writes the typed line with another check or pattern, for a button. */
  lineFor(check: string): string
  /** Whether a pattern can be typed instead. It's suggested for a text that many names contain. */
  readonly takesPattern?: boolean
}

/** Whether a health check that is known here has the typed UUID or, exactly, the typed name. */
export function isTypedCheck(
  known: { readonly uuid: string; readonly name: string },
  { uuid, check = '' }: TypedCheck['values'],
): boolean {
  if (uuid !== undefined) return known.uuid.toLowerCase() === uuid.toLowerCase()
  return check !== '' && foldName(known.name) === foldName(check)
}

interface FindOptions {
  /** A read also takes part of a name. Everything else needs the exact name or target. */
  reads?: boolean
}

/** Finds the health check that was typed. Throws like `findCheckId`, and throws ApiError if the check was deleted. */
export async function findCheck<Check extends NamedCheck>(
  context: CheckSource<Check>,
  typed: TypedCheck,
  options?: FindOptions,
): Promise<Check> {
  const uuid = await findCheckId(context, typed, options)
  return (await context.api()).healthChecks.get(uuid)
}

/**
 * Finds the UUID of the health check that was typed: by its UUID, its exact name, its exact target, or a bare host that only one check
 * has. A read also takes the words of a name, or their beginnings. Anything else is only suggested. Callers can then read the check and
 * its details in parallel. Throws UserError if nothing matches, and WhichCheck if nothing was typed, or several may be meant.
 */
export async function findCheckId(
  context: CheckSource<NamedCheck>,
  typed: TypedCheck,
  { reads = false }: FindOptions = {},
): Promise<string> {
  const { uuid, check = '' } = typed.values
  if (uuid !== undefined) return uuid
  // In quotes, or in the field of a form.
  const whole = parseUuid(check)
  if (whole !== undefined) return whole
  if (check === '') throw askWhichCheck(typed)
  const { healthChecks } = await context.api()
  const found = await findExactly(healthChecks, check, reads)
  const [only] = found
  if (only && found.length === 1) return only.uuid
  if (found.length > 1)
    throw new WhichCheck(formatSeveral(found.length, check), { ...typed, typed: check, found, isRead: true })
  return findLoosely(context, healthChecks, typed, reads)
}

/** Finds a check by part of its name, for a read. Anything else only gets suggestions. */
async function findLoosely(
  { environment }: Pick<CheckSource<NamedCheck>, 'environment'>,
  healthChecks: CheckListing<NamedCheck>,
  typedCheck: TypedCheck,
  reads: boolean,
): Promise<string> {
  const { lineFor, takesPattern } = typedCheck
  const { check: typed = '' } = typedCheck.values
  const { results, total } = await findByPart(healthChecks, typed, reads)
  const [part] = results
  if (reads && part && total === 1 && hasPart(toKnown(part), toLetters(typed))) return part.uuid
  const suffix = environment ? environmentSuffix(environment) : ''
  const problem = `No health check is named “${typed}”${suffix}.`
  if (total > 1) throw askAmong(problem, typed, { results, total }, { lineFor, takesPattern, isRead: reads })
  const similar = part
    ? results
    : await findSimilarChecks((await healthChecks.listNames())?.checks ?? [], typed)
  throw createNothingFound(problem, similar.slice(0, reads ? MAX_NEAR_IN_READS : MAX_NEAR), {
    typed,
    lineFor,
    reads,
  })
}

/** Asks which of several checks that have the text is meant. */
function askAmong(
  problem: string,
  typed: string,
  { results, total }: { results: readonly NamedCheck[]; total: number },
  { takesPattern, ...choice }: Pick<Choice, 'lineFor' | 'isRead'> & { takesPattern: boolean | undefined },
): WhichCheck {
  const isPage = total > results.length
  const question = isPage ? `${formatCount(total)} have it in their name.` : 'Did you mean one of these?'
  return new WhichCheck(choice.isRead ? formatSeveral(total, typed) : `${problem} ${question}`, {
    ...choice,
    typed,
    // Of many, a few would be any.
    found: isPage && !choice.isRead ? [] : results,
    last: [
      ...(isPage ? [offerList(typed, total)] : []),
      ...(takesPattern ? [offerPattern(typed, total, choice.lineFor)] : []),
    ],
  })
}

function createNothingFound(
  problem: string,
  near: readonly NamedCheck[],
  { typed, lineFor, reads }: { typed: string; lineFor: (check: string) => string; reads: boolean },
): NothingFound {
  const meant = near.filter((check) => reads || mayBeMeant(toKnown(check), typed))
  const suggestions = meant.map((check) => suggestCheck(check, meant, { lineFor, isRead: reads }))
  const question = meant[1] ? 'Did you mean one of these?' : 'Did you mean this one?'
  return new NothingFound(problem, [...suggestions, LIST], {
    question: meant[0] && question,
  })
}

const offerList = (typed: string, total: number): SuggestedCommand => ({
  label: `List all ${formatCount(total)}`,
  line: `/hc list ${quotedName(typed)}`,
})

/** The typed line for all checks that contain the text. */
function offerPattern(typed: string, total: number, lineFor: (check: string) => string): SuggestedCommand {
  const line = lineFor(`*${typed.replaceAll(' ', '*')}*`)
  return { label: `${cmd(line)} (all ${formatCount(total)})`, line }
}

/** How many similar checks are suggested. More wouldn't help. */
const MAX_NEAR = 2
const MAX_NEAR_IN_READS = 3

const formatSeveral = (total: number, typed: string): string =>
  `${formatCount(total)} health checks match “${typed}”. Which one?`

/** A health check that is near: on the card of the thread, or down. */
export interface NearCheck extends NamedCheck {
  readonly isDown: boolean
}

/** Which of some health checks a line is about. */
interface Choice extends Pick<TypedCheck, 'lineFor'> {
  /** The part that was typed. Undefined if nothing was. */
  readonly typed?: string | undefined
  readonly found?: readonly (NamedCheck & { readonly isDown?: boolean })[]
  /** What is offered behind them: a list, or all of them. */
  readonly last?: readonly SuggestedCommand[]
  /** Whether a button says only which check: the line reads, or its label would be the same for each. */
  readonly isRead?: boolean
}

/** No health check was typed, or a part that several have. Whoever answers offers those that are near before the others. */
export class WhichCheck extends UserError {
  override readonly name = 'WhichCheck'
  private readonly choice: Choice
  constructor(problem: string, choice: Choice) {
    const { found = [], last = [] } = choice
    super(problem, [
      ...found.slice(0, MAX_SUGGESTED).map((check) => suggestCheck(check, found, choice)),
      ...last,
    ])
    this.choice = choice
  }

  /** Whether nothing was typed. */
  get isOpen(): boolean {
    return this.choice.typed === undefined
  }

  /** The near checks that may be meant. One with exactly the typed name comes alone. */
  findNear(checks: readonly NearCheck[]): readonly NearCheck[] {
    const { typed } = this.choice
    if (typed === undefined) return checks
    const exact = checks.filter((check) => isTypedCheck(check, { check: typed }))
    return exact.length > 0 ? exact : checks.filter((check) => hasPart(toKnown(check), toLetters(typed)))
  }

  /** The same question, with these checks before the others or, if it `isOnly` about them, without the others. */
  withNear(near: readonly NearCheck[], isOnly: boolean, question = this.message): WhichCheck {
    const { found = [], last = [], ...choice } = this.choice
    const others = found.filter(({ uuid }) => !near.some((check) => check.uuid === uuid))
    return new WhichCheck(question, {
      ...choice,
      found: isOnly ? near : [...near, ...others],
      last: isOnly ? [] : last,
    })
  }
}

/** Asks for the health check that a line lacks. `all`: whether it can be about everything, which is offered last. */
export const askWhichCheck = ({ lineFor }: Pick<TypedCheck, 'lineFor'>, all = false): WhichCheck =>
  new WhichCheck(`Which health check? Type its name or UUID:\n\`${cmd(lineFor('NAME'))}\``, {
    lineFor,
    last: [LIST, ...(all ? [{ label: cmd(lineFor('all')), line: lineFor('all') }] : [])],
  })

/** A button for the typed line with one check. An act says what it does, and is about the check of that name also if this one was renamed. */
function suggestCheck(
  check: NamedCheck & { readonly isDown?: boolean },
  others: readonly NamedCheck[],
  { lineFor, isRead }: Pick<Choice, 'lineFor' | 'isRead'>,
): SuggestedCommand {
  const { name, uuid, isDown } = check
  const target = formatTarget(check, others)
  const mark = isDown ? '🔴 ' : ''
  if (isRead || name === '') return { label: `${mark}${name}${target}`, line: lineFor(uuid) }
  const line = lineFor(quotedName(name))
  return { label: `${mark}${cmd(line)}${target}`, line: target === '' && !isDown ? line : lineFor(uuid) }
}

/** ` (shop.example.com)`, only if the name doesn't tell a check from the others: Slack cuts long buttons on a phone. */
function formatTarget({ name, target, uuid }: NamedCheck, others: readonly NamedCheck[]): string {
  const namesakes = others.filter((other) => foldName(other.name) === foldName(name))
  return name !== '' && namesakes.length <= 1 ? '' : ` (${target || uuid})`
}

const BARE_HOST = /^[\p{L}\d_-]+(?:\.[\p{L}\d_-]+)+$/u

/** A person waits, and nobody has this many checks of one name. */
const MAX_NAMESAKES = 50

/** The checks with exactly this name, in any case and in any spelling that looks the same. */
export async function findByName<Check extends NamedCheck>(
  healthChecks: CheckListing<Check>,
  name: string,
  reads = false,
): Promise<readonly NamedCheck[]> {
  const folded = foldName(name)
  const isNamesake = (check: NamedCheck): boolean => foldName(check.name) === folded
  const { results } = await healthChecks.list({ name, limit: MAX_NAMESAKES })
  const found = results.filter(isNamesake)
  const [start = ''] = UNAMBIGUOUS_START.exec(name) ?? []
  if (found.length > 0 || start === name) return found
  // The service compares characters. `Ann's shop` may be stored with another apostrophe, and 🔥 is typed by its name.
  if (start.trim() !== '') {
    const query = { name: `${start.trim()}*`, limit: MAX_ALIKE }
    return (await healthChecks.list(query)).results.filter(isNamesake)
  }
  return findAmongAll(healthChecks, (known) => known.name === folded, { reads })
}

/** Characters that have one spelling: no quotes, dashes, dots (as in …), emoji, or accents. */
const UNAMBIGUOUS_START = /^(?:[A-Za-z0-9_/@()+ ](?!\p{M}))*/u
const MAX_ALIKE = 500

/**
 * The matching ones of all checks. What only reads has a single one read again, and if it's gone or was renamed, the names are listed again.
 * Everything else lists them again at once: another check may match by now. Throws ApiError if the single one can't be read then.
 */
async function findAmongAll(
  healthChecks: CheckListing<NamedCheck>,
  matches: (check: KnownCheck) => boolean,
  { reads, isNew = false }: { readonly reads: boolean; readonly isNew?: boolean },
): Promise<readonly NamedCheck[]> {
  const names = await healthChecks.listNames(undefined, isNew ? { maxAgeMs: 0 } : {})
  const found = (await prepareNames(names?.checks ?? [])).filter(matches).map(({ check }) => check)
  const [only] = found
  if (!only || found.length > 1) return found
  const again = () => findAmongAll(healthChecks, matches, { reads, isNew: true })
  if (!reads && !isNew) return again()
  const check = await healthChecks.get(only.uuid).catch((error: unknown) => {
    if (!isNew) return undefined
    throw error
  })
  if (check && matches(toKnown(check))) return [check]
  return isNew ? [] : again()
}

/** The checks that are meant exactly: by name, by target, or by a bare host. A URL or a port never stands for its host. */
async function findExactly(
  healthChecks: CheckListing<NamedCheck>,
  typed: string,
  reads: boolean,
): Promise<readonly NamedCheck[]> {
  const named = await findByName(healthChecks, typed, reads)
  if (named.length > 0) return named
  const { results } = await healthChecks.list({ target: typed, limit: MAX_NAMESAKES })
  const targets = results.filter(({ target = '' }) => foldName(target) === foldName(typed))
  if (targets.length > 0 || !/[.:/]/.test(typed)) return targets
  // Once each: the text may be long, and the names many.
  const [target, host] = [withoutScheme(typed), targetHost(typed)]
  const hasScheme = /^[a-z]+:\/\//i.test(typed)
  const isSameTarget = (known: KnownCheck) => known.target === target
  const sameTarget = hasScheme ? [] : await findAmongAll(healthChecks, isSameTarget, { reads })
  if (sameTarget.length > 0 || !BARE_HOST.test(typed)) return sameTarget
  const atHost = await findAmongAll(healthChecks, (known) => known.host === host, { reads })
  return atHost.length === 1 ? atHost : []
}

/** The checks with this text in their name, as it is now if there is only one and it `isShown`. */
async function findByPart(
  healthChecks: CheckListing<NamedCheck>,
  typed: string,
  isShown: boolean,
): Promise<{ results: readonly NamedCheck[]; total: number }> {
  const text = typed.replaceAll('*', '').trim()
  if (text === '') return { results: [], total: 0 }
  const query = (name: string) => healthChecks.list({ name, limit: MAX_SUGGESTED })
  // The service documents a `*` only at the end of a name, so the other one may be refused or mean itself.
  const anywhere = await query(`*${text}*`).catch(() => undefined)
  if (anywhere && anywhere.total > 0) return anywhere
  const names = await healthChecks.listNames()
  if (!names) return query(`${text}*`)
  const letters = toLetters(text)
  const hasText = (known: KnownCheck): boolean => letters !== '' && known.letters.includes(letters)
  const results = isShown
    ? await findAmongAll(healthChecks, hasText, { reads: true })
    : (await prepareNames(names.checks)).filter(hasText).map(({ check }) => check)
  return { results: results.slice(0, MAX_SUGGESTED), total: results.length }
}

/** The typed pattern, `*` for all checks. A quoted text with a `*` is one, too, unless a check has exactly this name. */
export async function findPattern(
  context: CheckSource<NamedCheck>,
  { all, pattern, check = '' }: { readonly [Name in 'all' | 'pattern' | 'check']?: string | undefined },
): Promise<string | undefined> {
  if (all !== undefined) return '*'
  if (!check.includes('*')) return pattern
  const named = await findByName((await context.api()).healthChecks, check)
  return named.length === 0 ? check : undefined
}

const LIST = { label: 'List all', line: '/hc list' }
