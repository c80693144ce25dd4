import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { findCheck } from '../../../domain/find-check.ts'
import { matchesNoCheck } from '../find-checks.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { TypedSubject } from './parse/mute.ts'

/** Whether no health check has a matching name; false if that can't be determined. */
export const subjectMatchesNothing = async (
  context: CommandContext,
  about: SilenceSubject,
): Promise<boolean> =>
  about.kind === 'name' &&
  (await matchesNoCheck(context, { include: [{ field: 'name', pattern: about.pattern }], exclude: [] }))

/**
 * Looks up the typed subject of a silence. Throws the errors of `findCheck`. `lineFor` makes the command for each check that a
 * question offers.
 */
export async function resolveSubject(
  context: CommandContext,
  subject: TypedSubject,
  lineFor: (uuid: string) => string,
): Promise<SilenceSubject> {
  if (subject.kind !== 'check') return subject
  const { uuid, name } = await findCheck(context, subject.words, lineFor)
  return { kind: 'check', uuid, name }
}
