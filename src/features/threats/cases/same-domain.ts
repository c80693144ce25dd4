import type { Requester } from '../../../bot/routes/command-context.ts'
import { refang } from '../../../domain/typed-text/typed-address.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { findRegisteredDomain } from '../rules/signals.ts'
import type { ThreatCase } from '../rules/threat-case.ts'

/** Cases are encrypted, so they are searched one by one. A workspace has far fewer open ones. */
const MAX_SEARCHED = 200

/** The registered domain of a case's event, or its address: a page is often on `www.` or another host of the domain. */
const caseDomain = ({ event }: ThreatCase): string | undefined =>
  findRegisteredDomain(refang(event.lines[0]?.split(' ', 1)[0] ?? ''))

/**
 * The open cases whose event is about one of these hosts' registered domains, most severe first. Searches the 200 most severe open cases; `isComplete` is
 * false if there are more.
 */
export async function findOpenCases(
  threatCases: Pick<ThreatCases, 'list'>,
  { workspaceId, environment }: Requester,
  hosts: readonly string[],
): Promise<{ cases: ThreatCase[]; isComplete: boolean }> {
  const wanted = new Set(hosts.flatMap((host) => findRegisteredDomain(host) ?? []))
  if (wanted.size === 0) return { cases: [], isComplete: true }
  const open = await threatCases.list({ workspaceId, environment, limit: MAX_SEARCHED + 1 })
  const cases = open.flatMap((threatCase) =>
    !('sealError' in threatCase) && wanted.has(caseDomain(threatCase) ?? '') ? [threatCase] : [],
  )
  return { cases, isComplete: open.length <= MAX_SEARCHED }
}
