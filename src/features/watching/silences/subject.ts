import { UserError } from '@signalman/runtime'
import { type Arguments, prepareRules, readWords } from '../../../bot/grammar/read-words.ts'
import { SOME_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import { findCheck, findPattern } from '../../../domain/find-check.ts'
import { quotedName, splitWords, writePattern } from '../../../domain/quoting.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { SilenceSubject } from '../rules/silence.ts'

/** The checks that were typed: everything, a name pattern, or one check by its name or UUID. */
export type TypedChecks = Pick<Arguments, 'values' | 'lineFor' | 'takesPattern'>

const MAX_LENGTH = 200

export const hasSubject = ({ values: { all, pattern, uuid, check } }: Pick<TypedChecks, 'values'>): boolean =>
  (all ?? pattern ?? uuid ?? check) !== undefined

export const parseSubject = (text: string): TypedChecks =>
  readWords(FIELD_RULES, splitWords(cleanTyped(text)))

const FIELD_RULES = prepareRules({ line: '/hc maintenance', parameters: SOME_CHECKS, flags: {} })

/** Writes the typed checks in the field of a form. A name that the field would read as something else, such as “all”, is in quotes. */
export function writeInField({ values: { all, uuid, pattern, check = '' } }: TypedChecks): string {
  const other = all ?? uuid ?? pattern
  if (other !== undefined) return other
  return parseSubject(check).values.check === check ? check : check && quotedName(check)
}

export const writeSubject = ({ values: { all, pattern, uuid, check = '' } }: TypedChecks): string =>
  all ?? (pattern === undefined ? (uuid ?? quotedName(check)) : writePattern(pattern))

/** Looks up the typed checks. A pattern that matches every name is everything, also with characters that nobody sees. Throws UserError. */
export async function resolveSubject(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  typed: TypedChecks,
): Promise<SilenceSubject> {
  const pattern = await findPattern(context, typed.values)
  if ((pattern ?? typed.values.check ?? '').length > MAX_LENGTH)
    throw new UserError(`A name or pattern can have up to ${MAX_LENGTH} characters.`)
  if (pattern !== undefined)
    return /^\*+$/.test(foldName(pattern)) ? { kind: 'all' } : { kind: 'name', pattern }
  const { uuid, name } = await findCheck(context, typed)
  return { kind: 'check', uuid, name }
}
