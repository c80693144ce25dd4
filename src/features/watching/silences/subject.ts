import { UserError } from '@signalman/runtime'
import { type Arguments, prepareRules, readWords } from '../../../bot/grammar/read-words.ts'
import { SOME_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import { findCheck, isPattern, type TypedCheck } from '../../../domain/find-check.ts'
import { quotedName, splitWords } from '../../../domain/quoting.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'
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
  if (all !== undefined || /^\*+$/.test(text)) return { kind: 'all' }
  if (text.length > MAX_PATTERN_LENGTH)
    throw new UserError(`A name or pattern can have up to ${MAX_PATTERN_LENGTH} characters.`)
  if (pattern !== undefined) return { kind: 'name', pattern }
  return {
    kind: 'check',
    values: { ...(uuid !== undefined && { uuid }), ...(check !== undefined && { check }) },
    lineFor,
  }
}

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

/** Looks up the typed check of a silence. */
export async function resolveSubject(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  subject: TypedSubject,
): Promise<SilenceSubject> {
  if (subject.kind !== 'check') return subject
  const { check = '' } = subject.values
  if (await isPattern(context, check)) return { kind: 'name', pattern: check }
  const { uuid, name } = await findCheck(context, subject, { takesPattern: true })
  return { kind: 'check', uuid, name }
}
