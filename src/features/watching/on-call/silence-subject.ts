import type { Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import { findCheck, isPattern } from '../../../domain/find-check.ts'
import { matchesNoCheck } from '../find-checks.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { TypedSubject } from './parse/subject.ts'

/** Whether no health check matches the pattern. False if that can't be determined. */
export const subjectMatchesNothing = async (
  context: ServiceAccess,
  subject: SilenceSubject,
): Promise<boolean> =>
  subject.kind === 'name' &&
  (await matchesNoCheck(context, { include: [{ field: 'name', pattern: subject.pattern }], exclude: [] }))

/**
 * Looks up the typed check of a silence. `findCheck` throws a Question if several checks have the name; `formatLine` formats the
 * command behind each choice.
 */
export async function resolveSubject(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  subject: TypedSubject,
  formatLine: (check: string) => string,
): Promise<SilenceSubject> {
  if (subject.kind !== 'check') return subject
  const { check = '' } = subject.values
  if (await isPattern(context, check)) return { kind: 'name', pattern: check }
  const { uuid, name } = await findCheck(context, subject, formatLine, { takesPattern: true })
  return { kind: 'check', uuid, name }
}
