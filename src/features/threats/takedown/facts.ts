import type { Environment } from '../../../domain/environment.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { safeDomain, safeLine, safeUrl } from '../defang.ts'

/** The content that all letters of a kit share. */
export interface Report {
  id: string
  environment: Environment
  /** The event without the personal data of the domain's owner. */
  event: ThreatEvent
  /** The name of the picture in the kit; undefined when there is none. */
  screenshot: string | undefined
}

const MAX_LINE = 300

/** The facts of the event, one per line, defanged. */
export function factsOf({ event, screenshot }: Report): [name: string, value: string][] {
  const { domain, type, criticality, brand, date, observedData: { whois, website } = {} } = event
  const line = (text: string | undefined): string => safeLine(text ?? '', MAX_LINE)
  const facts: [string, string][] = [
    ['Domain', domain ? safeDomain(domain) : ''],
    ['Reported', timeOf(date) ?? ''],
    ['Type', line(type)],
    ['Criticality', line(criticality?.level ?? criticality?.name)],
    ['Brand imitated', line(brand?.name)],
    ['Page title', line(website?.pageTitle)],
    ['Address reported', website?.originUrl ? safeUrl(website.originUrl) : ''],
    ['Leads to', website?.finalUrl ? safeUrl(website.finalUrl) : ''],
    ['Registrar', line(whois?.registrarName)],
    ['Domain registered', timeOf(whois?.creationDate) ?? ''],
    ['Record updated', timeOf(whois?.updatedDate) ?? ''],
    ['Screenshot', screenshot ?? 'none; manifest.json says why'],
  ]
  return facts.filter(([, value]) => value !== '')
}

/** A date in UTC; undefined when it is not valid. */
export const timeOf = (date: Date | undefined): string | undefined =>
  date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined
