import { UserError } from '@signalman/runtime'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import type { AuditNotes, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { isNotFound } from '../../../service/errors.ts'
import { WHERE_IDS_ARE } from '../parse.ts'
import { safeDomain } from '../rules/defang.ts'
import { eventForMembers, factsOnly, type LoadedEvent } from '../rules/shown-event.ts'

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

/** Reads an event. Throws the service client's errors. */
export async function loadEvent(context: ServiceAccess, id: string): Promise<LoadedEvent> {
  const { threats } = await context.api()
  const fullEvent = await threats.get(id)
  return { fullEvent, forMembers: eventForMembers(fullEvent), facts: await factsOnly(fullEvent) }
}

/** The same, and audits the read under `verb`. Throws UserError if the service has no such event. */
export async function readEvent(
  context: Requester & ServiceAccess & AuditNotes,
  verb: string,
  id: string,
): Promise<LoadedEvent> {
  const loadedEvent = await loadEvent(context, id).catch((error: unknown) => {
    throw isNotFound(error) ? noSuchEvent(id, verb, context.environment) : error
  })
  // Audited before it is shown.
  const { domain } = loadedEvent.facts.event
  await context.record({ verb, object: `threat event ${id}`, objectName: domain && safeDomain(domain) })
  return loadedEvent
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
