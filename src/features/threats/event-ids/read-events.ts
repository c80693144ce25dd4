import { UserError } from '@signalman/runtime'
import { explain } from '../../../bot/replies/explain.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { isNotFound, missedLine, NoSuchEvents, noSuchEvents } from './no-such-events.ts'
import type { EventReader, Reading } from './shared-readings.ts'

export interface EventReadings {
  found: { id: string; reading: Reading }[]
  /** A sentence for each id that could not be shown. */
  missed: string[]
}

/**
 * Reads the events side by side. One that fails costs only itself; when all fail, throws the error of the only one, or a
 * UserError that names each.
 */
export async function readEvents(
  reader: EventReader,
  context: CommandContext,
  verb: string,
  ids: readonly string[],
): Promise<EventReadings> {
  const results = await Promise.allSettled(ids.map((id) => readEvent(reader, context, verb, id)))
  const found: EventReadings['found'] = []
  const errors: { id: string; error: unknown }[] = []
  for (const [index, result] of results.entries()) {
    const id = ids[index] ?? ''
    if (result.status === 'fulfilled') found.push({ id, reading: result.value })
    else errors.push({ id, error: result.reason })
  }
  if (errors.length > 0 && found.length === 0) throw allOf(errors, verb, context.environment)
  return { found, missed: errors.map(({ id, error }) => missedLine(id, error)) }
}

/** Reads one event and audits the reading under `verb`. Throws NoSuchEvents, which offers the other environment. */
export async function readEvent(
  reader: EventReader,
  context: CommandContext,
  verb: string,
  id: string,
): Promise<Reading> {
  try {
    return await reader.read(context, verb, id)
  } catch (error) {
    throw isNotFound(error) ? noSuchEvents([id], verb, context.environment) : error
  }
}

/** One error for several that failed; it names each id. */
function allOf(
  errors: readonly { id: string; error: unknown }[],
  verb: string,
  environment: Environment,
): unknown {
  const [first] = errors
  if (errors.length === 1 && first) return first.error
  const isEachMissing = errors.every(({ error }) => error instanceof NoSuchEvents)
  if (isEachMissing)
    return noSuchEvents(
      errors.map(({ id }) => id),
      verb,
      environment,
    )
  // A fault that they share, such as a token that no longer works, is said once.
  const reasons = new Set(errors.map(({ error }) => explain(error).happened))
  if (reasons.size === 1 && first) return first.error
  return new UserError(errors.map(({ id, error }) => missedLine(id, error)).join('\n'))
}
