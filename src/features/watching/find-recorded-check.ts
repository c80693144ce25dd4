import { Question, type SuggestedCommand, UserError } from '@signalman/runtime'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import type { DeletedCheck, WatchScope } from '../../bot/ports.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { checkName } from '../../bot/views/check-facts.ts'
import { formatMoment, toZoned } from '../../domain/dates/zoned.ts'
import { ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'
import {
  findByName,
  findCheck,
  findUuid,
  NoSuchCheck,
  SeveralSimilarChecks,
} from '../../domain/find-check.ts'
import type { CheckFacts } from '../../domain/outages/outage.ts'
import { pluralize } from '../../domain/wording.ts'
import { isNotFound } from '../../service/errors.ts'
import { toCheckFacts } from './polling/poll-service.ts'
import type { RecordedCheck } from './rows/recorded-checks.ts'
import type { WatchStore } from './rows/watching.ts'
import type { GoneCheck, HistorySubject } from './rules/history-subject.ts'
import { globMatcher } from './rules/matching.ts'

export interface HistoryDeps {
  readonly watching: Pick<WatchStore, 'history' | 'silences' | 'findRecordedChecks' | 'findNamesake'>
  /** Reads deletions from the audit log. */
  readonly findDeleted: (
    scope: Omit<WatchScope, 'now'>,
    nameOrUuid: string,
  ) => Promise<readonly DeletedCheck[]>
}

interface Candidate extends GoneCheck {
  readonly check: CheckFacts
  readonly names: Iterable<string>
}

type Typed = Pick<Arguments, 'values' | 'words'>

/** Each is looked up in the service. Nobody has this many checks that had one name in turn. */
const MAX_CANDIDATES = 5

/**
 * Finds the check that was typed, by its name or UUID: in the service, or else on record. Throws like `findCheck`. `lineFor` writes
 * the line of a button for a UUID.
 */
export async function findHistorySubject(
  { watching, findDeleted }: HistoryDeps,
  context: CommandContext,
  typed: Typed,
  { lineFor, timeZone }: { lineFor: (uuid: string) => string; timeZone: string },
): Promise<HistorySubject> {
  const found = await findCheck(context, typed, lineFor, { reads: true }).catch(onlyNotFound)
  const isTyped = createMatcher(typed)
  const subject = found instanceof Error ? undefined : { check: toCheckFacts(found) }
  if (subject && isTyped({ ...subject, names: [subject.check.name] }))
    return { ...subject, namesake: await findNamesake(watching, context, subject.check) }
  // Only a part of its name was typed, which may be the name that another check had. A pattern isn't a name.
  const candidates =
    subject && isPattern(typed)
      ? []
      : await listCandidates(findDeleted, context, typed, await watching.findRecordedChecks(context, isTyped))
  const subjects = await Promise.all(
    candidates
      .slice(0, MAX_CANDIDATES)
      .map((candidate) => lookUp({ watching, findDeleted }, context, candidate, typed)),
  )
  const [first, ...others] = subjects
  if (first && others.length === 0) return first
  if (first) throw askWhich({ subjects, total: candidates.length }, typed, lineFor, timeZone)
  if (found instanceof Error) {
    const environment = context.environment === 'production' ? 'ote' : 'production'
    const [other] = await watching.findRecordedChecks({ ...context, environment }, isTyped)
    throw withOtherEnvironment(found, other && { ...other, environment }, lineFor)
  }
  return { check: toCheckFacts(found) }
}

/** The checks that incidents or the audit log remember under the typed name or UUID, the latest first. */
async function listCandidates(
  findDeleted: HistoryDeps['findDeleted'],
  context: CommandContext,
  typed: Typed,
  records: readonly RecordedCheck[],
): Promise<Candidate[]> {
  const candidates = new Map<string, Candidate>(records.map((record) => [record.check.uuid, record]))
  const uuid = findTypedUuid(typed)
  const texts = uuid === undefined ? listTypedNames(typed) : [uuid]
  const deleted = (await Promise.all(texts.map((text) => findDeleted(context, text)))).flat()
  for (const { uuid, name, at } of deleted.reverse()) {
    const { check = { uuid, name }, names = [name] } = candidates.get(uuid) ?? {}
    candidates.set(uuid, { check, names, deletedAt: at })
  }
  return [...candidates.values()].reverse()
}

/** Rethrows errors that don't say that the service has no such check. */
function onlyNotFound(error: unknown): Error {
  if (error instanceof NoSuchCheck || error instanceof SeveralSimilarChecks || isNotFound(error)) return error
  throw error
}

const isPattern = ({ values: { check = '' } }: Typed): boolean => check.includes('*')

/** The name as typed. All words together may also be a name. */
const listTypedNames = ({ values: { check = '' }, words }: Typed): string[] =>
  [...new Set([check, words.join(' ')])].filter((name) => name !== '')

/** Tests whether a check is meant exactly: by its UUID, a name, or its target. */
function createMatcher(
  typed: Typed,
): (one: { readonly check: CheckFacts; readonly names: Iterable<string> }) => boolean {
  const uuid = findTypedUuid(typed)
  if (uuid !== undefined) return ({ check }) => check.uuid.toLowerCase() === uuid
  const isTypedName = createNameMatcher(typed)
  return ({ check: { target = '' }, names }) => [...names].some(isTypedName) || isTypedName(target)
}

/** Also in quotes, as `findCheck` reads it. */
const findTypedUuid = ({ values: { uuid, check } }: Typed): string | undefined => findUuid(uuid ?? check)

function createNameMatcher(typed: Typed): (text: string) => boolean {
  const matchers = listTypedNames(typed).map(globMatcher)
  return (text) => text !== '' && matchers.some((matches) => matches(text))
}

/** Asks the service whether a check on record still exists, under any name. */
async function lookUp(
  { watching, findDeleted }: HistoryDeps,
  context: CommandContext,
  { check, missedAt, deletedAt, names }: Candidate,
  typed: Typed,
): Promise<HistorySubject> {
  const { healthChecks } = await context.api()
  const current = await healthChecks.get(check.uuid).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  if (current) return { check: toCheckFacts(current), formerName: [...names].find(createNameMatcher(typed)) }
  const [deleted] = deletedAt ? [{ at: deletedAt }] : await findDeleted(context, check.uuid)
  const [now] = await findByName(healthChecks, check.name)
  return {
    check,
    gone: { deletedAt: deleted?.at, missedAt },
    namesake: now ? { uuid: now.uuid, isOnRecordOnly: false } : await findNamesake(watching, context, check),
  }
}

/** The latest other check on record that had the name. */
async function findNamesake(
  watching: HistoryDeps['watching'],
  scope: WatchScope,
  check: CheckFacts,
): Promise<HistorySubject['namesake']> {
  const uuid = await watching.findNamesake(scope, check)
  return uuid === undefined ? undefined : { uuid, isOnRecordOnly: true }
}

function askWhich(
  { subjects, total }: { subjects: readonly HistorySubject[]; total: number },
  typed: Typed,
  lineFor: (uuid: string) => string,
  timeZone: string,
): Question {
  const [name] = listTypedNames(typed)
  const which = total > subjects.length ? `Here are the latest ${subjects.length}.` : 'Which one?'
  return new Question(
    `${pluralize(total, 'health check')} on record match “${name}”. ${which}`,
    subjects.map(
      ({ check, gone }): SuggestedCommand => ({
        label: gone ? `${checkName(check)} (${describeEnd(gone, timeZone)})` : checkName(check),
        line: lineFor(check.uuid),
      }),
    ),
  )
}

function describeEnd({ deletedAt, missedAt }: GoneCheck, timeZone: string): string {
  const at = deletedAt ?? missedAt
  if (!at) return 'no longer in the service'
  const time = formatMoment(toZoned(at, timeZone))
  return deletedAt ? `deleted, ${time}` : `no longer in the service, noticed ${time}`
}

/** Offers the history of a check that is on record in the other environment. */
function withOtherEnvironment(
  error: Error,
  other: (RecordedCheck & { readonly environment: Environment }) | undefined,
  lineFor: (uuid: string) => string,
): Error {
  if (!other || !(error instanceof UserError)) return error
  const { check, environment } = other
  const line = `${lineFor(check.uuid)} --env ${environment}`
  return new UserError(`${error.message} One in ${ENVIRONMENT_NAMES[environment]} is on record.`, [
    { label: `History in ${ENVIRONMENT_NAMES[environment]}`, line },
    ...error.suggestions,
  ])
}
