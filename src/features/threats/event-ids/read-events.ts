import { createShortCache, UserError } from '@signalman/runtime'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import type { Memory } from '../memory/remember.ts'
import type { Reading } from '../rules/reading.ts'
import { eventForMembers, factsOnly } from '../rules/shown-event.ts'

/**
 * Reads the events side by side. One that fails costs only itself, and is `missed` in a sentence; when all fail, throws the error
 * of the only one, or a UserError that names each.
 */
export async function readEvents(
  reader: EventReader,
  context: CommandContext,
  verb: string,
  ids: readonly string[],
) {
  const results = await Promise.allSettled(ids.map((id) => readEvent(reader, context, verb, id)))
  const found: { id: string; reading: Reading }[] = []
  const errors: { id: string; error: unknown }[] = []
  for (const [index, result] of results.entries()) {
    const id = ids[index] ?? ''
    if (result.status === 'fulfilled') found.push({ id, reading: result.value })
    else errors.push({ id, error: result.reason })
  }
  if (errors.length > 0 && found.length === 0) throw combineErrors(errors, verb, context.environment)
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
function combineErrors(
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

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.kind === 'not-found'

/** The service knows no event with any of the ids. */
export class NoSuchEvents extends UserError {
  override readonly name = 'NoSuchEvents'
}

function noSuchEvents(ids: readonly string[], verb: string, environment: Environment): UserError {
  const [here, other] = environment === 'ote' ? ['OTE', 'production'] : ['production', 'ote']
  const which =
    ids.length === 1
      ? `no threat event ${ids[0]}`
      : `none of these ${ids.length} threat events: ${ids.join(', ')}`
  return new NoSuchEvents(`The service has ${which} in ${here}.`, [
    { label: `Look in ${other === 'ote' ? 'OTE' : other}`, line: `${verb} ${ids.join(' ')} --env ${other}` },
  ])
}

function missedLine(id: string, error: unknown): string {
  const { happened, said, next } = explain(error)
  const sentences = [happened, ...quoteService(said), next]
  return `Can’t show ${id}. ${sentences.filter(Boolean).join(' ')}`
}

/** How long a reading is shared with others who ask for the same event: a team pastes an id within half a minute. */
const KEPT_MS = 30_000
/** How many readings are kept, and the size above which one is shared only while it is under way. */
const KEPT = 500
const KEPT_SIZE = 300_000

export type EventReader = ReturnType<typeof createReader>

/** Reads events. People of a workspace who ask for the same one within half a minute share one call to the service. */
export function createReader(now: () => Date, remember: Memory['remember']) {
  const readings = createShortCache<Reading>({ freshMs: KEPT_MS, kept: KEPT, now })

  async function read(context: CommandContext, threats: Api['threats'], id: string): Promise<Reading> {
    const fullEvent = await threats.get(id)
    const forMembers = await eventForMembers(fullEvent)
    const reading = { fullEvent, forMembers, facts: factsOnly(forMembers), readAt: now() }
    await remember(context, id, reading)
    return reading
  }

  return {
    /** Reads the event for this person and audits that under `verb`. Throws what the service's client throws. */
    async read(context: CommandContext, verb: string, id: string): Promise<Reading> {
      // Called even when the reading is there: it throws the right sentence when there is no token (any more).
      const { threats } = await context.api(context.environment, { shared: true })
      const key = `${context.workspaceId} ${context.environment} ${id}`
      const reading = await readings.get(key, () => read(context, threats, id))
      if (estimateSize(reading.fullEvent) > KEPT_SIZE) readings.drop(key)
      // Recorded before it is shown: what cannot be audited is not shown.
      await context.record({ verb, object: `threat event ${id}` })
      return reading
    },
  }
}

/** The characters of all strings in it, some for each: a close upper bound of what it takes. */
function estimateSize(part: unknown): number {
  if (typeof part === 'string') return part.length
  if (part instanceof Date || typeof part !== 'object' || part === null) return 0
  return Object.values(part).reduce((sum: number, inner) => sum + estimateSize(inner) + 2, 0)
}
