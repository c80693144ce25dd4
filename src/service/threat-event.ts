import { isRecord } from '@signalman/runtime'
import { type Decode, decodeJson, reportsFailure } from './decode.ts'
import { type Http, path } from './http.ts'
import { readObject, readRows } from './lenient.ts'
import { SERVICE_LIMITS } from './limits.ts'
import type { ParseIssueCollector } from './parse-issues.ts'
import { compileOnUse, date, fields, number, type Output, type Schema, text, texts } from './schema.ts'
import { decodeImage, decodePageSource, type PageFile } from './screenshots.ts'

const CommentSchema = compileOnUse(fields({ content: text, date }))
const DnsRecordSchema = compileOnUse(
  fields({
    country_code: text,
    ip: text,
    name: text,
    type: text,
    autonomous_system_info: fields({ as_number: text, as_organization: text }).nullish(),
  }).transform(({ autonomousSystemInfo: system, ...record }) => ({
    ...record,
    autonomousSystem: system && { number: system.asNumber, organization: system.asOrganization },
  })),
)
/** The event without its lists, which are read row by row. */
const EventSchema = compileOnUse(
  fields({
    id: text,
    date,
    type: text,
    domain: text,
    customer_id: number,
    brand: fields({ id: number, name: text, monitored_since: date, grouping_key: text }).nullish(),
    criticality: fields({ level: text, name: text }).nullish(),
    observed_data: fields({
      whois: fields({
        owner_name: text,
        owner_email: text,
        owner_organisation: text,
        registrar_name: text,
        statuses: texts,
        creation_date: date,
        updated_date: date,
        expiration_date: date,
        resource_url: text,
      }).nullish(),
      website: fields({
        page_title: text,
        page_description: text,
        origin_url: text,
        final_url: text,
        redirection_types: texts,
        screenshot_resource_url: text,
        source_resource_url: text,
      }).nullish(),
    }).nullish(),
  }),
)

type Event = Output<typeof EventSchema>

export type DnsRecord = Output<typeof DnsRecordSchema>

interface ObservedData extends NonNullable<Event['observedData']> {
  readonly dnsRecords?: readonly DnsRecord[] | undefined
}

export type Whois = NonNullable<ObservedData['whois']>

export type Website = NonNullable<ObservedData['website']>

/** One threat event. Any part may be missing. Lists are in the service's order, without unreadable items. */
export interface ThreatEvent extends Event {
  readonly comments?: readonly Output<typeof CommentSchema>[] | undefined
  readonly observedData?: ObservedData | undefined
  /** How many parts have the wrong type. */
  readonly unreadableCount: number
}

/**
 * Unlike other resources, an event isn't wrapped in an envelope, so what has the ID that was asked for is one, whatever its other fields
 * say. What has neither that nor a domain isn't one, such as a note about maintenance, or a problem of a gateway with a type.
 */
export const decodeEvent = (asked: string): Decode<ThreatEvent> => {
  const isAsked = (id: unknown): boolean => typeof id === 'string' && id.toLowerCase() === asked.toLowerCase()
  return decodeJson(
    (body, issues) => {
      const event = readThreatEvent(body, issues)
      return isAsked(event.id) || event.domain ? event : undefined
    },
    (body) => !isAsked(body.id) && reportsFailure(body),
  )
}

/** Parses an event leniently: every part is optional. Ignores unknown fields, and counts parts of the wrong type. */
export function readThreatEvent(event: Record<string, unknown>, issues: ParseIssueCollector): ThreatEvent {
  const { observedData, ...facts } = readObject(EventSchema, event, '', issues) ?? {}
  const comments = readList(CommentSchema, event.comments, 'comments', issues)
  const { dns_records: records } = isRecord(event.observed_data) ? event.observed_data : {}
  const dnsRecords = readList(DnsRecordSchema, records, 'observed_data.dns_records', issues)
  return {
    ...facts,
    comments,
    observedData: observedData && { ...observedData, dnsRecords },
    unreadableCount: issues.count,
  }
}

function readList<T>(
  schema: Schema<T>,
  value: unknown,
  at: string,
  issues: ParseIssueCollector,
): readonly T[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return issues.add(at)
  const { rows } = readRows(value, at, issues, (item, itemAt) => readObject(schema, item, itemAt, issues))
  // A list without a readable item isn't an empty list.
  return rows.length === 0 && value.length > 0 ? undefined : rows
}

export type Threats = ReturnType<typeof threats>

/** The calls on threat events. Each throws ApiError. */
export function threats(http: Http) {
  return {
    /** Every text in the event comes from outside, often from an attacker. */
    get: async (id: string): Promise<ThreatEvent> =>
      http.get(path('/cti/v2/events/{id}', { id }), decodeEvent(id)),
    /** The picture at an address in the event: PNG, JPEG, or GIF, only from the service's own origin. */
    screenshot: async (address: string): Promise<PageFile> => http.download(address, decodeImage, PICTURE),
    /** The page's source at an address in the event: text, only from the service's own origin. */
    pageSource: async (address: string): Promise<PageFile> =>
      http.download(address, decodePageSource, PAGE_SOURCE),
  }
}

const PICTURE = {
  accept: 'image/png, image/jpeg, image/gif',
  maxBytes: SERVICE_LIMITS.screenshotBytes,
}

const PAGE_SOURCE = {
  accept: 'text/html, text/plain, application/xhtml+xml',
  maxBytes: SERVICE_LIMITS.sourceBytes,
}
