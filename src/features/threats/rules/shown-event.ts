import { mapInSlices } from '@signalman/runtime'
import { EVENT_ID } from '../../../domain/event-id.ts'
import type { DnsRecord, ThreatEvent } from '../../../service/threat-event.ts'
import { parseAsNumber, parseHost, parseIp, readPage } from './values.ts'

/** The path of a URL that is hidden in facts. */
export const HIDDEN_PATH = '/…'

/** An event, reduced to what an audience may see. */
export interface ShownEvent {
  readonly event: ThreatEvent
  /** Whether the page's texts and screenshots are left out. */
  readonly isFactsOnly: boolean
}

/** An event as read from the service, and what each audience may see of it. */
export interface LoadedEvent {
  /** Includes the domain owner's personal data. */
  readonly fullEvent: ThreatEvent
  readonly forMembers: ShownEvent
  /** For guests and channels. */
  readonly facts: ShownEvent
}

/** The event for a member who asked for it in private: everything except the domain's owner, who is only in the WHOIS window. */
export function eventForMembers(event: ThreatEvent): ShownEvent {
  const { observedData } = event
  const { ownerName: _, ownerEmail: __, ownerOrganisation: ___, ...whois } = observedData?.whois ?? {}
  return {
    event: {
      ...event,
      observedData: observedData && { ...observedData, whois: observedData.whois && whois },
    },
    isFactsOnly: false,
  }
}

/**
 * Builds the event for guests and for channels, which guests may join. It has only structured facts: no texts, screenshots,
 * unexpected fields, or URL paths.
 */
export async function factsOnly(event: ThreatEvent): Promise<ShownEvent> {
  const { dnsRecords, whois, website } = event.observedData ?? {}
  const { registrarName, statuses = [], creationDate, updatedDate, expirationDate } = whois ?? {}
  const facts: ThreatEvent = {
    ...event,
    id: ID.test(event.id ?? '') ? event.id : undefined,
    type: keepIfPlain(event.type),
    domain: withoutAddress(event.domain),
    brand: event.brand && {
      ...event.brand,
      name: keepIfPlain(event.brand.name),
      groupingKey: keepIfPlain(event.brand.groupingKey),
    },
    criticality: event.criticality && {
      level: keepIfPlain(event.criticality.level),
      name: keepIfPlain(event.criticality.name),
    },
    comments: undefined,
    unreadableCount: 0,
    observedData: event.observedData && {
      dnsRecords: dnsRecords && (await mapInSlices(dnsRecords, recordFacts)),
      whois: whois && {
        ...{ creationDate, updatedDate, expirationDate },
        registrarName: keepIfPlain(registrarName),
        statuses: statuses.filter((status) => EPP_STATUS.test(status)),
      },
      website: website && {
        originUrl: withoutPath(website.originUrl),
        finalUrl: withoutPath(website.finalUrl),
        redirectionTypes: website.redirectionTypes?.filter((type) => REDIRECTION_TYPE.test(type)),
      },
    },
  }
  return { event: facts, isFactsOnly: true }
}

const recordFacts = ({ autonomousSystem, countryCode, ip, name, type }: DnsRecord): DnsRecord => ({
  countryCode: /^[a-z]{2}$/i.test(countryCode ?? '') ? countryCode : undefined,
  ip: parseIp(ip)?.value,
  name: parseHost(name) && name,
  type: /^[a-z]\w{0,9}$/i.test(type ?? '') ? type : undefined,
  autonomousSystem: autonomousSystem && {
    number: parseAsNumber(autonomousSystem.number)?.value,
    organization: keepIfPlain(autonomousSystem.organization),
  },
})

const ID = new RegExp(`^${EVENT_ID}$`, 'i')

/** Keeps a text if it has the form of an API value. Lists, objects, and texts with an email address may name a person. */
export const keepIfPlain = (text: string | undefined): string | undefined =>
  text === undefined || /^\s*[[{]|[@\uff20\ufe6b]/.test(text) ? undefined : text

/** A domain, or only the host of an address that the service sends in its place. */
function withoutAddress(domain: string | undefined): string | undefined {
  const host = URL.parse(domain ?? '')?.host
  return host || (/[/\\?#]/.test(domain ?? '') ? undefined : keepIfPlain(domain))
}

/** The statuses of a domain in RFC 5731 and RFC 3915. Any other text could be a name in another spelling. */
const EPP_STATUS =
  /^(?:ok|active|inactive|(?:client|server) ?(?:hold|(?:delete|renew|transfer|update) ?prohibited)|pending ?(?:create|delete|renew|restore|transfer|update)|(?:add|auto ?renew|renew|transfer|redemption) ?period)$/i
const REDIRECTION_TYPE = /^(?:HTTP_3\d\d|META_REFRESH|JAVASCRIPT)$/

/** `https://exa.mple/…`. Replaces the path, because it may contain personal data. */
function withoutPath(address: string | undefined): string | undefined {
  const url = URL.parse(address ?? '')
  if (!url?.host || !/^https?:$/.test(url.protocol)) return undefined
  return `${url.protocol}//${url.host}${readPage(url) === '/' ? '/' : HIDDEN_PATH}`
}
