import { explain } from '../../../bot/replies/explain.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { UserError } from '../../../errors.ts'
import type { EventReader, Reading } from './shared-readings.ts'
import { isUnknown, missedLine, UnknownIds, unknown } from './unknown-ids.ts'

export interface Looked {
  found: { id: string; reading: Reading }[]
  /** A sentence for each id that could not be shown. */
  missed: string[]
}

/**
 * Reads the events side by side. One that fails costs only itself; when all fail, throws the error of the only one, or a
 * UserError that names each.
 */
export async function lookUp(
  reader: EventReader,
  context: CommandContext,
  verb: string,
  ids: readonly string[],
): Promise<Looked> {
  const results = await Promise.allSettled(ids.map((id) => lookUpOne(reader, context, verb, id)))
  const found: Looked['found'] = []
  const errors: { id: string; error: unknown }[] = []
  for (const [index, result] of results.entries()) {
    const id = ids[index] ?? ''
    if (result.status === 'fulfilled') found.push({ id, reading: result.value })
    else errors.push({ id, error: result.reason })
  }
  if (errors.length > 0 && found.length === 0) throw allOf(errors, verb, context.environment)
  return { found, missed: errors.map(({ id, error }) => missedLine(id, error)) }
}

/** One event, its reading audited under `verb`; an id that the service does not know is explained, with the other environment to look in. */
export async function lookUpOne(
  reader: EventReader,
  context: CommandContext,
  verb: string,
  id: string,
): Promise<Reading> {
  try {
    return await reader.read(context, verb, id)
  } catch (error) {
    throw isUnknown(error) ? unknown([id], verb, context.environment) : error
  }
}

/** Several that failed, none without its name. */
function allOf(
  errors: readonly { id: string; error: unknown }[],
  verb: string,
  environment: Environment,
): unknown {
  const [first] = errors
  if (errors.length === 1 && first) return first.error
  const isEachUnknown = errors.every(({ error }) => error instanceof UnknownIds)
  if (isEachUnknown)
    return unknown(
      errors.map(({ id }) => id),
      verb,
      environment,
    )
  // One fault that hits them all, such as a token that no longer works, is said once.
  const reasons = new Set(errors.map(({ error }) => explain(error).happened))
  if (reasons.size === 1 && first) return first.error
  return new UserError(errors.map(({ id, error }) => missedLine(id, error)).join('\n'))
}
