import type { ThreatEvent } from '../../../api/threat-event.ts'
import { quoted } from '../../../domain/quoting.ts'
import { defang } from '../defang.ts'
import { hostOf } from './values.ts'

/** The line that opens the form of a new health check with the event's domain in it; undefined when that is no domain. */
export function watchLine({ domain, customerId }: ThreatEvent): string | undefined {
  const host = hostOf(domain)
  if (!host) return undefined
  const customer = customerId !== undefined && customerId > 0 ? ` --customer ${customerId}` : ''
  // The name is shown in lists and cards, so it is defanged; the target is what will be connected to.
  return `/hc create --name ${quoted(`Threat ${defang(host.value)}`)} --target ${quoted(host.value)} --protocol HTTPS${customer}`
}
