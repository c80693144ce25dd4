import { UserError } from '@signalman/runtime'
import { type Arguments, prepareRules, readWords } from '../../../bot/grammar/read-words.ts'
import { SOME_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import { findCheck, isPattern, type TypedCheck } from '../../../domain/find-check.ts'
import { quotedName, splitWords, writePattern } from '../../../domain/quoting.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { SilenceSubject } from '../rules/silence.ts'

/** The checks that a silence is about, as typed: everything, a name pattern, or one check by its name or UUID. */
export type TypedSubject =
  | { kind: 'all' }
  | { kind: 'name'; pattern: string }
  | ({ kind: 'check' } & TypedCheck)

const MAX_PATTERN_LENGTH = 200

/** The typed checks; undefined if none were typed. Throws UserError if the text is too long. */
export function toSubject({ values, lineFor }: Arguments): TypedSubject | undefined {
  const { all, pattern, uuid, check } = values
  const text = all ?? pattern ?? check ?? uuid
  if (text === undefined) return undefined
  if (text.length > MAX_PATTERN_LENGTH)
    throw new UserError(`A name or pattern can have up to ${MAX_PATTERN_LENGTH} characters.`)
  if (all !== undefined) return { kind: 'all' }
  if (pattern !== undefined) return toPattern(pattern)
  return {
    kind: 'check',
    values: { ...(uuid !== undefined && { uuid }), ...(check !== undefined && { check }) },
    lineFor,
  }
}

/** A pattern that matches every name is everything, also with characters that nobody sees. */
const toPattern = (pattern: string) =>
  /^\*+$/.test(foldName(pattern)) ? ({ kind: 'all' } as const) : ({ kind: 'name', pattern } as const)

/** Reads the checks in the field of a form. Throws UserError. */
export const parseSubject = (text: string): TypedSubject | undefined =>
  toSubject(readWords(FIELD_RULES, splitWords(cleanTyped(text))))

const FIELD_RULES = prepareRules({ line: '/hc maintenance', parameters: SOME_CHECKS, flags: {} })

/** Writes the typed checks in the field of a form. A name that the field would read as something else, such as “all”, is in quotes. */
export function writeInField({ values: { all, uuid, pattern, check = '' } }: Arguments): string {
  const other = all ?? uuid ?? pattern
  if (other !== undefined) return other
  const read = parseSubject(check)
  return read?.kind === 'check' && read.values.check === check ? check : check && quotedName(check)
}

/** Writes the typed checks in a line. */
export function writeSubject(subject: TypedSubject): string {
  if (subject.kind === 'all') return 'all'
  if (subject.kind === 'name') return writePattern(subject.pattern)
  return subject.values.uuid ?? quotedName(subject.values.check ?? '')
}

/** Looks up the typed check of a silence. */
export async function resolveSubject(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  subject: TypedSubject,
): Promise<SilenceSubject> {
  if (subject.kind !== 'check') return subject
  const { check = '' } = subject.values
  if (await isPattern(context, check)) return toPattern(check)
  const { uuid, name } = await findCheck(context, subject, { takesPattern: true })
  return { kind: 'check', uuid, name }
}
