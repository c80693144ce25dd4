import { createShortCache, UserError } from '@signalman/runtime'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import type { AuditNotes, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { isNotFound } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import { WHERE_IDS_ARE } from '../parse.ts'
import { safeDomain } from '../rules/defang.ts'
import type { LoadedEvent } from '../rules/loaded-event.ts'
import { eventForMembers, factsOnly } from '../rules/shown-event.ts'

/** What is done with each event, for the sentence about a failure. */
type Purpose = 'show' | 'export'

/**
 * Runs a function for several events concurrently. If some fail, `failures` has a sentence for each. If all fail, throws their common
 * error, or a UserError that names each ID.
 */
export async function runForEach<T>(
  purpose: Purpose,
  ids: readonly string[],
  run: (id: string) => Promise<T>,
): Promise<{ values: T[]; failures: string[] }> {
  const results = await Promise.allSettled(ids.map(run))
  const values = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const errors = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ id: ids[index] ?? '', error: result.reason as unknown }] : [],
  )
  if (errors.length > 0 && values.length === 0) throw combineErrors(errors, purpose)
  return { values, failures: errors.map((error) => describeFailure(error, purpose)) }
}

/** Reads one event, and audits the read under `verb`. Throws UserError if the service has none. */
export async function readEvent(
  reader: EventReader,
  context: Requester & ServiceAccess & AuditNotes,
  verb: string,
  id: string,
): Promise<LoadedEvent> {
  try {
    return await reader.read(context, verb, id)
  } catch (error) {
    throw isNotFound(error) ? noSuchEvent(id, verb, context.environment) : error
  }
}

interface Failure {
  readonly id: string
  readonly error: unknown
}

/** One error for all of them: the common one, or one that names each ID. */
function combineErrors(errors: readonly Failure[], purpose: Purpose): unknown {
  // A shared error, such as an invalid token, is reported once.
  const reasons = new Set(errors.map(({ error }) => explain(error).happened))
  if (reasons.size === 1) return errors[0]?.error
  return new UserError(errors.map((error) => describeFailure(error, purpose)).join('\n'))
}

/** The service has no event with this ID. OTE is offered to nobody who hasn't asked for it. */
const noSuchEvent = (id: string, verb: string, environment: Environment): UserError =>
  environment === 'production'
    ? new UserError(`The service has no threat event ${id}. ${WHERE_IDS_ARE}`)
    : new UserError(`The service has no threat event ${id} in OTE.`, [
        { label: 'Look in production', line: `${verb} ${id} --env production` },
      ])

function describeFailure({ id, error }: Failure, verb: Purpose): string {
  const { happened, serviceMessages, next } = explain(error)
  const sentences = [happened, ...quoteService(serviceMessages), next]
  return `Can’t ${verb} ${id}. ${sentences.filter(Boolean).join(' ')}`
}

/** How long an event is cached. People in a team often open the same ID within half a minute. */
const CACHE_MS = 30_000
/** How many events are cached. Events larger than `MAX_CACHED_SIZE` aren't cached, only shared by concurrent reads. */
const MAX_CACHED = 500
const MAX_CACHED_SIZE = 300_000

export type EventReader = ReturnType<typeof createReader>

/** Reads events. People in a workspace who open the same one within half a minute share one call to the service. */
export function createReader(now: () => Date) {
  const cache = createShortCache<LoadedEvent>({ freshMs: CACHE_MS, maxEntries: MAX_CACHED, now })

  async function read(threats: Api['threats'], id: string): Promise<LoadedEvent> {
    const fullEvent = await threats.get(id)
    return { fullEvent, forMembers: eventForMembers(fullEvent), facts: factsOnly(fullEvent), readAt: now() }
  }

  /** Reads the event, or returns it as somebody in the workspace has just read it. Throws the service client's errors. */
  async function load(context: Requester & ServiceAccess, id: string): Promise<LoadedEvent> {
    // Called even if the event is cached, because it throws if the token was removed.
    const { threats, account } = await context.api()
    const key = `${context.workspaceId} ${context.environment} ${account} ${id}`
    const loadedEvent = await cache.get(key, () => read(threats, id))
    if (estimateSize(loadedEvent.fullEvent) > MAX_CACHED_SIZE) cache.drop(key)
    return loadedEvent
  }

  return {
    load,
    /** The same, and audits the read under `verb`. */
    async read(
      context: Requester & ServiceAccess & AuditNotes,
      verb: string,
      id: string,
    ): Promise<LoadedEvent> {
      const loadedEvent = await load(context, id)
      // Audited before it is shown.
      const { domain } = loadedEvent.facts.event
      await context.record({ verb, object: `threat event ${id}`, objectName: domain && safeDomain(domain) })
      return loadedEvent
    },
  }
}

/** Estimates the size of an event: the characters of all strings, plus 2 for each value. */
function estimateSize(part: unknown): number {
  if (typeof part === 'string') return part.length
  if (part instanceof Date || typeof part !== 'object' || part === null) return 0
  return Object.values(part).reduce((sum: number, inner) => sum + estimateSize(inner) + 2, 0)
}
