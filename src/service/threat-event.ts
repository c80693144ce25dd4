import { isRecord } from '@signalman/runtime'
import { type DecodeContext, decodeJson, reportsFailure } from './decode.ts'
import { type Http, path } from './http.ts'
import { addIssue, readObject, readRows } from './lenient.ts'
import { SERVICE_LIMITS } from './limits.ts'
import type { ParseIssues, UnexpectedValue } from './parse-issues.ts'
import { compileOnUse, date, displayText, fields, number, type Output, type Schema, texts } from './schema.ts'
import { decodeImage, decodePageSource, type PageFile } from './screenshots.ts'

const BrandSchema = compileOnUse(
  fields({ id: number, name: displayText, monitored_since: date, grouping_key: displayText }),
)
const CriticalitySchema = compileOnUse(fields({ level: displayText, name: displayText }))
const CommentSchema = compileOnUse(fields({ content: displayText, date }))
const AutonomousSystemSchema = compileOnUse(
  fields({ as_number: displayText, as_organization: displayText }).transform(
    ({ asNumber, asOrganization }) => ({ number: asNumber, organization: asOrganization }),
  ),
)
const DnsRecordSchema = compileOnUse(
  fields({ country_code: displayText, ip: displayText, name: displayText, type: displayText }),
)
const WhoisSchema = compileOnUse(
  fields({
    owner_name: displayText,
    owner_email: displayText,
    owner_organisation: displayText,
    registrar_name: displayText,
    statuses: texts,
    creation_date: date,
    updated_date: date,
    expiration_date: date,
    resource_url: displayText,
  }),
)
const WebsiteSchema = compileOnUse(
  fields({
    page_title: displayText,
    page_description: displayText,
    origin_url: displayText,
    final_url: displayText,
    redirection_types: texts,
    screenshot_resource_url: displayText,
    source_resource_url: displayText,
  }),
)
const EventSchema = compileOnUse(
  fields({ id: displayText, date, type: displayText, domain: displayText, customer_id: number }),
)

export interface DnsRecord extends Output<typeof DnsRecordSchema> {
  readonly autonomousSystem?: Partial<Output<typeof AutonomousSystemSchema>> | undefined
}

export type Whois = Output<typeof WhoisSchema>

export type Website = Output<typeof WebsiteSchema>

export interface ObservedData {
  readonly whois?: Whois | undefined
  readonly dnsRecords?: readonly DnsRecord[] | undefined
  readonly website?: Website | undefined
}

/** One threat event. Any part may be missing. Lists are in the service's order, without unreadable items. */
export interface ThreatEvent extends Output<typeof EventSchema> {
  readonly brand?: Output<typeof BrandSchema> | undefined
  readonly criticality?: Output<typeof CriticalitySchema> | undefined
  readonly comments?: readonly Output<typeof CommentSchema>[] | undefined
  readonly observedData?: ObservedData | undefined
  /** The paths of parts with the wrong type, such as `comments[3].date`. */
  readonly unreadable: ParseIssues
  /** The values of the first 100 of these parts. Text fields also contain such a value. */
  readonly unexpectedValues: readonly UnexpectedValue[]
}

/** The value that the service sent for this part, if its type was wrong. */
export const findSentValue = (
  { unexpectedValues }: Pick<ThreatEvent, 'unexpectedValues'>,
  path: string,
): string | undefined => unexpectedValues.find((part) => part.path === path)?.text

/**
 * Any object is valid, because every part is optional. Unlike other resources, an event isn't wrapped in an envelope, so what has an
 * event's ID is one, whatever its other fields say.
 */
export const decodeEvent = decodeJson(
  (body, context) => readThreatEvent(body, context),
  (body) => body.id === undefined && reportsFailure(body),
)

/** Parses an event leniently. Ignores unknown fields, and lists parts of the wrong type. */
export function readThreatEvent(
  event: Record<string, unknown>,
  context: DecodeContext,
): ThreatEvent | undefined {
  const { issues } = context
  const unexpectedValues = issues.collectUnexpectedValues()
  const facts = readObject(EventSchema, event, '', context)
  const brand = readPart(BrandSchema, event.brand, 'brand', context)
  const criticality = readPart(CriticalitySchema, event.criticality, 'criticality', context)
  const comments = readList(event.comments, 'comments', context, (item, at) =>
    readObject(CommentSchema, item, at, context),
  )
  const observedData = readObservedData(event.observed_data, context)
  const unreadable = { count: issues.count, paths: issues.paths }
  return { ...facts, brand, criticality, comments, observedData, unexpectedValues, unreadable }
}

function readObservedData(value: unknown, context: DecodeContext): ObservedData | undefined {
  if (isAbsent(value)) return undefined
  if (!isRecord(value)) return addIssue(value, 'observed_data', context)
  return {
    whois: readPart(WhoisSchema, value.whois, 'observed_data.whois', context),
    dnsRecords: readList(value.dns_records, 'observed_data.dns_records', context, (item, at) =>
      readDnsRecord(item, at, context),
    ),
    website: readPart(WebsiteSchema, value.website, 'observed_data.website', context),
  }
}

function readDnsRecord(value: unknown, at: string, context: DecodeContext): DnsRecord | undefined {
  const record = readObject(DnsRecordSchema, value, at, context)
  if (!record || !isRecord(value)) return undefined
  const system = value.autonomous_system_info
  const autonomousSystem = readPart(AutonomousSystemSchema, system, `${at}.autonomous_system_info`, context)
  return { ...record, autonomousSystem }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

const readPart = <T>(schema: Schema<T>, value: unknown, at: string, context: DecodeContext): T | undefined =>
  isAbsent(value) ? undefined : readObject(schema, value, at, context)

function readList<T>(
  value: unknown,
  at: string,
  context: DecodeContext,
  read: (item: unknown, at: string) => T | undefined,
): readonly T[] | undefined {
  if (isAbsent(value)) return undefined
  return Array.isArray(value) ? readRows(value, at, context, read).rows : addIssue(value, at, context)
}

export type Threats = ReturnType<typeof threats>

/** The calls on threat events. Each throws ApiError. */
export function threats(http: Http) {
  return {
    /** Every text in the event comes from outside, often from an attacker. */
    get: async (id: string): Promise<ThreatEvent> => http.get(path`/cti/v2/events/${{ id }}`, decodeEvent),
    /** The picture at an address in the event: PNG, JPEG, or GIF, only from the service's own origin. */
    screenshot: async (address: string): Promise<PageFile> => http.download(address, PICTURE),
    /** The page's source at an address in the event: text, only from the service's own origin. */
    pageSource: async (address: string): Promise<PageFile> => http.download(address, PAGE_SOURCE),
  }
}

const PICTURE = {
  accept: 'image/png, image/jpeg, image/gif',
  maxBytes: SERVICE_LIMITS.screenshotBytes,
  decode: decodeImage,
}

const PAGE_SOURCE = {
  accept: 'text/html, text/plain, application/xhtml+xml',
  maxBytes: SERVICE_LIMITS.sourceBytes,
  decode: decodePageSource,
}
