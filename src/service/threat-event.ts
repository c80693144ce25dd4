import { isRecord } from '@signalman/runtime'
import { type DecodeContext, decodeJson, reportsFailure } from './decode.ts'
import { type Http, path } from './http.ts'
import { addIssue, readObject, readRows } from './lenient.ts'
import { SERVICE_LIMITS } from './limits.ts'
import type { UnexpectedValue } from './parse-issues.ts'
import { compileOnUse, date, fields, number, type Output, type Schema, text, texts } from './schema.ts'
import { decodeImage, decodePageSource, type PageFile } from './screenshots.ts'

const BrandSchema = compileOnUse(
  fields({ id: number, name: text, monitored_since: date, grouping_key: text }),
)
const CriticalitySchema = compileOnUse(fields({ level: text, name: text }))
const CommentSchema = compileOnUse(fields({ content: text, date }))
const AutonomousSystemSchema = compileOnUse(
  fields({ as_number: text, as_organization: text }).transform(({ asNumber, asOrganization }) => ({
    number: asNumber,
    organization: asOrganization,
  })),
)
const DnsRecordSchema = compileOnUse(fields({ country_code: text, ip: text, name: text, type: text }))
const WhoisSchema = compileOnUse(
  fields({
    owner_name: text,
    owner_email: text,
    owner_organisation: text,
    registrar_name: text,
    statuses: texts,
    creation_date: date,
    updated_date: date,
    expiration_date: date,
    resource_url: text,
  }),
)
const WebsiteSchema = compileOnUse(
  fields({
    page_title: text,
    page_description: text,
    origin_url: text,
    final_url: text,
    redirection_types: texts,
    screenshot_resource_url: text,
    source_resource_url: text,
  }),
)
const EventSchema = compileOnUse(fields({ id: text, date, type: text, domain: text, customer_id: number }))

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
  /** How many parts have the wrong type. */
  readonly unreadableCount: number
  /** The first 100 of these parts. */
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
  const facts = readObject(EventSchema, event, '', context)
  const brand = readPart(BrandSchema, event.brand, 'brand', context)
  const criticality = readPart(CriticalitySchema, event.criticality, 'criticality', context)
  const comments = readList(event.comments, 'comments', context, (item, at) =>
    readObject(CommentSchema, item, at, context),
  )
  const observedData = readObservedData(event.observed_data, context)
  const { unexpectedValues, count: unreadableCount } = issues
  return { ...facts, brand, criticality, comments, observedData, unexpectedValues, unreadableCount }
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
  if (!Array.isArray(value)) return addIssue(value, at, context)
  const { rows } = readRows(value, at, context, read)
  // A list without a readable item isn't an empty list.
  return rows.length === 0 && value.length > 0 ? undefined : rows
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
