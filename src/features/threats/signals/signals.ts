import { cameAs, type ThreatEvent } from '../../../service/threat-event.ts'
import { hostOf } from '../indicators/values.ts'
import type { RedactedEvent } from '../privacy/redact-event.ts'
import { age, elsewhere } from './domain-signals.ts'
import { likenessOf } from './likeness.ts'

/** One thing about an event that a responder looks for. It is computed here: nothing leaves the process for it. */
export interface Signal {
  kind: 'age' | 'likeness' | 'elsewhere' | 'mail' | 'hidden-owner' | 'no-screenshot'
  /** In a few words, for a card. Outside text in it is not defanged yet. */
  says: string
  /** The evidence, in a sentence. */
  because: string
}

/** The signals of an event, the strongest first. Pure. */
export function signalsOf({
  event,
  isOwnerHidden,
}: Pick<RedactedEvent, 'event' | 'isOwnerHidden'>): Signal[] {
  return [
    likeness(event),
    age(event),
    elsewhere(event),
    mail(event),
    hiddenOwner(isOwnerHidden),
    noScreenshot(event),
  ].flat()
}

function likeness({ domain, brand }: ThreatEvent): Signal[] {
  const found = likenessOf(hostOf(domain)?.value ?? domain, brand?.name)
  return found ? [{ kind: 'likeness', says: found.says, because: found.because }] : []
}

/** Whether the event has a mail server on record; undefined where it has no DNS records at all. */
export function takesMail({ observedData }: ThreatEvent): boolean | undefined {
  const records = observedData?.dnsRecords ?? []
  return records.length === 0 ? undefined : records.some(({ type }) => type?.trim().toUpperCase() === 'MX')
}

function mail(event: ThreatEvent): Signal[] {
  if (!takesMail(event)) return []
  return [
    {
      kind: 'mail',
      says: 'takes mail',
      because: 'It has a mail server (MX): it can send and take mail in this name.',
    },
  ]
}

function hiddenOwner(isHidden: boolean): Signal[] {
  if (!isHidden) return []
  return [
    {
      kind: 'hidden-owner',
      says: 'hidden registrant',
      because: 'The WHOIS record names no owner, or a privacy service in their place.',
    },
  ]
}

function noScreenshot(event: ThreatEvent): Signal[] {
  if (event.observedData?.website?.screenshotResourceUrl) return []
  // It came in a form that cannot be read, so there may be one.
  if (cameAs(event, 'observed_data') || cameAs(event, 'observed_data.website')) return []
  return [
    {
      kind: 'no-screenshot',
      says: 'no screenshot',
      because: 'The service has no picture of the page: it may show itself to some visitors only.',
    },
  ]
}
