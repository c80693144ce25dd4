import type { Fields, Unread } from './fields.ts'

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
}

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

/** Reads an event leniently: extra fields are ignored, wrong-typed parts are dropped and listed. */
export function readThreatEvent(event: Fields): ThreatEvent {
  return {
    id: event.text('id'),
    date: event.date('date'),
    type: event.text('type'),
    brand: oddOr(event, 'brand', (name) => ({ name })) ?? event.object('brand', readBrand),
    domain: event.text('domain'),
    criticality:
      oddOr(event, 'criticality', (level) => ({ level })) ??
      event.object('criticality', (part) => ({ level: part.text('level'), name: part.text('name') })),
    comments: event.objects('comments', (part) => ({
      content: part.text('content'),
      date: part.date('date'),
    })),
    customerId: event.number('customer_id'),
    observedData: event.object('observed_data', readObserved),
    // Last: by now everything has been read.
    unreadable: event.unread,
  }
}

/** A word or a number where an object is due says what the object would: it is shown as it came. */
function oddOr<T>(fields: Fields, name: string, of: (text: string) => T): T | undefined {
  const value = fields.record[name]
  return typeof value === 'string' || typeof value === 'number' ? of(String(value)) : undefined
}

function readBrand(brand: Fields): ThreatBrand {
  return {
    id: brand.number('id'),
    name: brand.text('name'),
    monitoredSince: brand.date('monitored_since'),
    groupingKey: brand.text('grouping_key'),
  }
}

function readObserved(data: Fields): ObservedData {
  return {
    dnsRecords: data.objects('dns_records', readDnsRecord),
    whois: data.object('whois', readWhois),
    website: data.object('website', readWebsite),
  }
}

function readDnsRecord(record: Fields): DnsRecord {
  return {
    countryCode: record.text('country_code'),
    ip: record.text('ip'),
    name: record.text('name'),
    type: record.text('type'),
    autonomousSystem: record.object('autonomous_system_info', (system) => ({
      number: system.text('as_number'),
      organization: system.text('as_organization'),
    })),
  }
}

function readWhois(whois: Fields): Whois {
  return {
    ownerName: whois.text('owner_name'),
    ownerEmail: whois.text('owner_email'),
    ownerOrganisation: whois.text('owner_organisation'),
    registrarName: whois.text('registrar_name'),
    statuses: whois.texts('statuses'),
    creationDate: whois.date('creation_date'),
    updatedDate: whois.date('updated_date'),
    expirationDate: whois.date('expiration_date'),
    resourceUrl: whois.text('resource_url'),
  }
}

function readWebsite(website: Fields): Website {
  return {
    pageTitle: website.text('page_title'),
    pageDescription: website.text('page_description'),
    originUrl: website.text('origin_url'),
    finalUrl: website.text('final_url'),
    redirectionTypes: website.texts('redirection_types'),
    screenshotResourceUrl: website.text('screenshot_resource_url'),
    sourceResourceUrl: website.text('source_resource_url'),
  }
}
