import { getDomain } from 'tldts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { emailOf } from '../indicators/values.ts'
import { ownerFinder } from '../privacy/find-owner.ts'
import { ownerOf } from '../privacy/owner-names.ts'

const MAIL = /[^\s<>()[\]"',;:]{1,64}@[^\s<>()[\]"',;:]{1,253}/g
const OF_A_ROLE = /^abuse(?:[._+-]?(?:complaints?|contact|desk|domains?|noc|reports?|team))?$/i
const LONGEST = 500

/**
 * An address for abuse reports in the name of a registrar or host. Never the owner's, and none on the domain itself: that
 * would warn the person who runs it, and tell nobody else.
 */
export function abuseContact(
  text: string | undefined,
  event: ThreatEvent,
  domain: string | undefined,
): string | undefined {
  const find = ownerFinder(ownerOf(event))
  const own = domain && (getDomain(domain) ?? domain)
  for (const [found] of text?.slice(0, LONGEST).matchAll(MAIL) ?? []) {
    const value = emailOf(found)?.value
    if (!value) continue
    const [local = '', host = ''] = value.split('@')
    if (
      OF_A_ROLE.test(local) &&
      !(own && (host === own || host.endsWith(`.${own}`))) &&
      find(value).length === 0
    )
      return value
  }
  return undefined
}
