import type { Fields, ReadFields, Unread } from './fields.ts'
import type { OddPart } from './odd-shapes.ts'
import { asRecord } from './scalars.ts'

/** One threat event. Any part may be missing; lists are in the service's order, without what could not be read. */
export interface ThreatEvent {
  readonly id?: string | undefined
  readonly date?: Date | undefined
  readonly type?: string | undefined
  readonly brand?: ThreatBrand | undefined
  readonly domain?: string | undefined
  readonly criticality?: ThreatCriticality | undefined
  readonly comments?: readonly ThreatComment[] | undefined
  readonly customerId?: number | undefined
  readonly observedData?: ObservedData | undefined
  /** The parts that were there and of the wrong type, such as `comments[3].date`. */
  readonly unreadable: Unread
  /** The first 100 of them as they came. Where a text was due, they stand in its place, too. */
  readonly asItCame: readonly OddPart[]
}

/** What came in the place of a part, where that was of the wrong type. */
export const cameAs = ({ asItCame }: Pick<ThreatEvent, 'asItCame'>, path: string): string | undefined =>
  asItCame.find((part) => part.path === path)?.text

export interface ThreatBrand {
  readonly id?: number | undefined
  readonly name?: string | undefined
  readonly monitoredSince?: Date | undefined
  readonly groupingKey?: string | undefined
}

export interface ThreatCriticality {
  readonly level?: string | undefined
  readonly name?: string | undefined
}

export interface ThreatComment {
  readonly content?: string | undefined
  readonly date?: Date | undefined
}

export interface ObservedData {
  readonly dnsRecords?: readonly DnsRecord[] | undefined
  readonly whois?: Whois | undefined
  readonly website?: Website | undefined
}

export interface DnsRecord {
  readonly countryCode?: string | undefined
  readonly ip?: string | undefined
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly autonomousSystem?:
    | { readonly number?: string | undefined; readonly organization?: string | undefined }
    | undefined
}

export interface Whois {
  readonly ownerName?: string | undefined
  readonly ownerEmail?: string | undefined
  readonly ownerOrganisation?: string | undefined
  readonly registrarName?: string | undefined
  readonly statuses?: readonly string[] | undefined
  readonly creationDate?: Date | undefined
  readonly updatedDate?: Date | undefined
  readonly expirationDate?: Date | undefined
  readonly resourceUrl?: string | undefined
}

export interface Website {
  readonly pageTitle?: string | undefined
  readonly pageDescription?: string | undefined
  readonly originUrl?: string | undefined
  readonly finalUrl?: string | undefined
  readonly redirectionTypes?: readonly string[] | undefined
  readonly screenshotResourceUrl?: string | undefined
  readonly sourceResourceUrl?: string | undefined
}

/** Reads an event leniently: extra fields are ignored, what is of the wrong type is listed and kept as it came. */
export function readThreatEvent(event: Fields): ThreatEvent {
  const asItCame = event.gatherOdd()
  // First: in whatever form the owner of the domain comes, it is among what is kept.
  const observedData = event.object('observed_data', readObserved)
  return {
    id: event.textOrRaw('id'),
    date: event.date('date'),
    type: event.textOrRaw('type'),
    brand: partOf(event, 'brand', (name) => ({ name }), readBrand),
    domain: event.textOrRaw('domain'),
    criticality: partOf(event, 'criticality', (level) => ({ level }), readCriticality),
    comments: listOf(event, 'comments', readComment, (content) => ({ content })),
    customerId: event.number('customer_id'),
    observedData,
    asItCame,
    // Last, when everything else has been read.
    unreadable: event.unread,
  }
}

/**
 * The part as an object. A word or a number in its place says what the object would; anything else in its place, and an
 * object that holds nothing known, is noted and stands there as it came.
 */
function partOf<T extends object>(
  fields: Fields,
  name: string,
  of: (text: string) => T,
  read: (part: Fields) => T,
): T | undefined {
  const value = fields.record[name]
  if (value === undefined || value === null) return undefined
  const record = asRecord(value)
  if (!record) {
    const isScalar = typeof value === 'string' || typeof value === 'number'
    return of(isScalar ? (fields.text(name) ?? '') : fields.rawAndNoted(name))
  }
  const part = known(fields, name, read)
  const saysNothing = Object.values(record).every((inner) => inner === null)
  return part ?? (saysNothing ? fields.object(name, read) : of(fields.rawAndNoted(name)))
}

/** The part read as an object; undefined where it holds nothing that is known, not even in another form. */
function known<T extends object>(fields: Fields, name: string, read: ReadFields<T>): T | undefined {
  const noted = fields.unread.count
  const part = fields.object(name, read)
  const isKnown = part && Object.values(part).some((inner) => inner !== undefined)
  return isKnown || fields.unread.count > noted ? part : undefined
}

/** The items of a list; one object alone is a list of one, and so is one text where `ofText` reads texts. */
function listOf<T extends object>(
  fields: Fields,
  name: string,
  read: ReadFields<T>,
  ofText?: (text: string) => T,
): T[] | undefined {
  const value = fields.record[name]
  const alone = asRecord(value) ? known(fields, name, read) : undefined
  if (alone !== undefined) return [alone]
  if (ofText && typeof value === 'string') return [ofText(fields.text(name) ?? '')]
  return fields.objects(name, read, ofText)
}

function readBrand(brand: Fields): ThreatBrand {
  return {
    id: brand.number('id'),
    name: brand.textOrRaw('name'),
    monitoredSince: brand.date('monitored_since'),
    groupingKey: brand.textOrRaw('grouping_key'),
  }
}

const readCriticality = (criticality: Fields): ThreatCriticality => ({
  level: criticality.textOrRaw('level'),
  name: criticality.textOrRaw('name'),
})

const readComment = (comment: Fields): ThreatComment => ({
  content: comment.textOrRaw('content'),
  date: comment.date('date'),
})

function readObserved(data: Fields): ObservedData {
  const whois = data.object('whois', readWhois)
  return {
    dnsRecords: listOf(data, 'dns_records', readDnsRecord),
    whois,
    website: data.object('website', readWebsite),
  }
}

function readDnsRecord(record: Fields): DnsRecord {
  return {
    countryCode: record.textOrRaw('country_code'),
    ip: record.textOrRaw('ip'),
    name: record.textOrRaw('name'),
    type: record.textOrRaw('type'),
    autonomousSystem: partOf(
      record,
      'autonomous_system_info',
      (organization): DnsRecord['autonomousSystem'] & object => ({ organization }),
      (system) => ({
        number: system.textOrRaw('as_number'),
        organization: system.textOrRaw('as_organization'),
      }),
    ),
  }
}

function readWhois(whois: Fields): Whois {
  return {
    ownerName: whois.textOrRaw('owner_name'),
    ownerEmail: whois.textOrRaw('owner_email'),
    ownerOrganisation: whois.textOrRaw('owner_organisation'),
    registrarName: whois.textOrRaw('registrar_name'),
    statuses: whois.texts('statuses'),
    creationDate: whois.date('creation_date'),
    updatedDate: whois.date('updated_date'),
    expirationDate: whois.date('expiration_date'),
    resourceUrl: whois.textOrRaw('resource_url'),
  }
}

function readWebsite(website: Fields): Website {
  return {
    pageTitle: website.textOrRaw('page_title'),
    pageDescription: website.textOrRaw('page_description'),
    originUrl: website.textOrRaw('origin_url'),
    finalUrl: website.textOrRaw('final_url'),
    redirectionTypes: website.texts('redirection_types'),
    screenshotResourceUrl: website.textOrRaw('screenshot_resource_url'),
    sourceResourceUrl: website.textOrRaw('source_resource_url'),
  }
}
