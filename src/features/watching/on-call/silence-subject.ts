import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { findCheck } from '../../../domain/find-check.ts'
import { fitsNothing } from '../find-checks.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { TypedSubject } from './parse/mute.ts'

/** Whether no health check has a name that matches; false also if nobody can tell. */
export const matchesNothing = async (context: CommandContext, about: SilenceSubject): Promise<boolean> =>
  about.kind === 'name' &&
  (await fitsNothing(context, { include: [{ field: 'name', pattern: about.pattern }], exclude: [] }))

/** Finds what was typed as the subject of a silence. Throws what `findCheck` throws; the checks that it offers are put into `lineFor`. */
export async function subjectOf(
  context: CommandContext,
  subject: TypedSubject,
  lineFor: (uuid: string) => string,
): Promise<SilenceSubject> {
  if (subject.kind !== 'check') return subject
  const { uuid, name } = await findCheck(context, subject.words, lineFor)
  return { kind: 'check', uuid, name }
}
