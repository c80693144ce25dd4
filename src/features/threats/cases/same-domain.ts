import { hash } from 'node:crypto'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { findRegisteredDomain } from '../rules/signals.ts'
import type { ThreatCase, UndecryptableCase } from '../rules/threat-case.ts'

/** Identifies a host's registered domain, or its address, in the database, where cases are encrypted. '' if it isn't a host. */
export function toDomainKey(host: string | undefined): string {
  const domain = findRegisteredDomain(host)
  return domain ? hash('sha256', domain, 'base64url') : ''
}

/** How many other open cases are about the host's registered domain, and the most severe of them. */
export async function findDomainCases(
  threatCases: Pick<ThreatCases, 'list' | 'count'>,
  { workspaceId, environment }: Requester,
  { eventId: notEventId, host }: { eventId: string; host: string | undefined },
): Promise<{ others: number; other?: ThreatCase | UndecryptableCase | undefined }> {
  const domainKey = toDomainKey(host)
  if (domainKey === '') return { others: 0 }
  const filter = { workspaceId, environment, domainKey, notEventId }
  const [others, [other]] = await Promise.all([
    threatCases.count(filter),
    threatCases.list({ ...filter, limit: 1 }),
  ])
  return { others, other }
}
