import { hash } from 'node:crypto'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { findRegisteredDomain } from '../rules/signals.ts'
import type { ThreatCase } from '../rules/threat-case.ts'

const MAX_CASES = 200

/** Identifies a host's registered domain, or its address, in the database, where cases are encrypted. '' if it isn't a host. */
export function toDomainKey(host: string | undefined): string {
  const domain = findRegisteredDomain(host)
  return domain ? hash('sha256', domain, 'base64url') : ''
}

/** The open cases whose event is about the host's registered domain, most severe first. */
export async function findDomainCases(
  threatCases: Pick<ThreatCases, 'list'>,
  { workspaceId, environment }: Requester,
  host: string | undefined,
): Promise<ThreatCase[]> {
  const domainKey = toDomainKey(host)
  if (domainKey === '') return []
  const cases = await threatCases.list({ workspaceId, environment, domainKey, limit: MAX_CASES })
  return cases.flatMap((threatCase) => ('sealError' in threatCase ? [] : [threatCase]))
}
