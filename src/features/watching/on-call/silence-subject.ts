import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { findCheck } from '../../../domain/find-check.ts'
import { matchesNoCheck } from '../find-checks.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { TypedSubject } from './parse/mute.ts'

/** Whether no health check has a matching name; false if that can't be determined. */
export const subjectMatchesNothing = async (
  context: CommandContext,
  subject: SilenceSubject,
): Promise<boolean> =>
  subject.kind === 'name' &&
  (await matchesNoCheck(context, { include: [{ field: 'name', pattern: subject.pattern }], exclude: [] }))

/**
 * Looks up the typed subject of a silence. Throws the errors of `findCheck`. `formatLine` makes the command for each check that
 * a question offers.
 */
export async function resolveSubject(
  context: CommandContext,
  subject: TypedSubject,
  formatLine: (uuid: string) => string,
): Promise<SilenceSubject> {
  if (subject.kind !== 'check') return subject
  const { uuid, name } = await findCheck(context, subject.words, formatLine)
  return { kind: 'check', uuid, name }
}
