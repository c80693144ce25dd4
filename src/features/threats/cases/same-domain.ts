import type { Requester } from '../../../bot/routes/command-context.ts'
import type { ThreatCases } from '../rows/cases.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { domainLine } from '../views/card.ts'

/** Cases are encrypted, so they are searched one by one. A workspace has far fewer open ones. */
const MAX_SEARCHED = 200

/**
 * The open cases whose event is about one of these domains, most severe first. Searches the 200 most severe open cases; `isComplete` is
 * false if there are more.
 */
export async function findOpenCases(
  threatCases: Pick<ThreatCases, 'list'>,
  { workspaceId, environment }: Requester,
  domains: readonly string[],
): Promise<{ cases: ThreatCase[]; isComplete: boolean }> {
  if (domains.length === 0) return { cases: [], isComplete: true }
  const wanted = new Set(domains.map((domain) => domainLine(domain).toLowerCase()))
  const open = await threatCases.list({ workspaceId, environment, limit: MAX_SEARCHED + 1 })
  const cases = open.flatMap((threatCase) =>
    !('sealError' in threatCase) && wanted.has(threatCase.event.lines[0]?.toLowerCase() ?? '')
      ? [threatCase]
      : [],
  )
  return { cases, isComplete: open.length <= MAX_SEARCHED }
}
