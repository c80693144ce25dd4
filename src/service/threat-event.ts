import { isRecord } from '@signalman/runtime'
import { z } from 'zod'
import { type DecodeContext, decodeJson } from './decode.ts'
import { type Http, path } from './http.ts'
import { addIssue, formatUnexpected, readObject, readRows } from './lenient.ts'
import { SERVICE_LIMITS } from './limits.ts'
import type { ParseIssues, UnexpectedValue } from './parse-issues.ts'
import {
  compileOnUse,
  date,
  displayText,
  number,
  type Output,
  type PartialOutput,
  type Schema,
  texts,
} from './schema.ts'
import { decodeImage, decodePageSource, type PageFile } from './screenshots.ts'

const BrandSchema = compileOnUse(
  z
    .object({ id: number, name: displayText, monitored_since: date, grouping_key: displayText })
    .transform((brand) => ({
      id: brand.id ?? undefined,
      name: brand.name ?? undefined,
      monitoredSince: brand.monitored_since ?? undefined,
      groupingKey: brand.grouping_key ?? undefined,
    })),
)

const CriticalitySchema = compileOnUse(
  z
    .object({ level: displayText, name: displayText })
    .transform(({ level, name }) => ({ level: level ?? undefined, name: name ?? undefined })),
)

const CommentSchema = compileOnUse(
  z
    .object({ content: displayText, date })
    .transform(({ content, date }) => ({ content: content ?? undefined, date: date ?? undefined })),
)

const AutonomousSystemSchema = compileOnUse(
  z.object({ as_number: displayText, as_organization: displayText }).transform((system) => ({
    number: system.as_number ?? undefined,
    organization: system.as_organization ?? undefined,
  })),
)

const DnsRecordSchema = compileOnUse(
  z
    .object({ country_code: displayText, ip: displayText, name: displayText, type: displayText })
    .transform((record) => ({
      countryCode: record.country_code ?? undefined,
      ip: record.ip ?? undefined,
      name: record.name ?? undefined,
      type: record.type ?? undefined,
    })),
)

const WhoisFields = z.object({
  owner_name: displayText,
  owner_email: displayText,
  owner_organisation: displayText,
  registrar_name: displayText,
  statuses: texts,
  creation_date: date,
  updated_date: date,
  expiration_date: date,
  resource_url: displayText,
})

const WhoisSchema = compileOnUse(
  WhoisFields.transform((whois) => ({
    ownerName: whois.owner_name ?? undefined,
    ownerEmail: whois.owner_email ?? undefined,
    ownerOrganisation: whois.owner_organisation ?? undefined,
    registrarName: whois.registrar_name ?? undefined,
    statuses: whois.statuses ?? undefined,
    creationDate: whois.creation_date ?? undefined,
    updatedDate: whois.updated_date ?? undefined,
    expirationDate: whois.expiration_date ?? undefined,
    resourceUrl: whois.resource_url ?? undefined,
  })),
)

const WebsiteSchema = compileOnUse(
  z
    .object({
      page_title: displayText,
      page_description: displayText,
      origin_url: displayText,
      final_url: displayText,
      redirection_types: texts,
      screenshot_resource_url: displayText,
      source_resource_url: displayText,
    })
    .transform((website) => ({
      pageTitle: website.page_title ?? undefined,
      pageDescription: website.page_description ?? undefined,
      originUrl: website.origin_url ?? undefined,
      finalUrl: website.final_url ?? undefined,
      redirectionTypes: website.redirection_types ?? undefined,
      screenshotResourceUrl: website.screenshot_resource_url ?? undefined,
      sourceResourceUrl: website.source_resource_url ?? undefined,
    })),
)

const EventSchema = compileOnUse(
  z.object({ id: displayText, date, type: displayText, domain: displayText }).transform((event) => ({
    id: event.id ?? undefined,
    date: event.date ?? undefined,
    type: event.type ?? undefined,
    domain: event.domain ?? undefined,
  })),
)

const CustomerSchema = compileOnUse(
  z.object({ customer_id: number }).transform((row) => ({ customerId: row.customer_id ?? undefined })),
)

type Brand = PartialOutput<Output<typeof BrandSchema>>
type Criticality = PartialOutput<Output<typeof CriticalitySchema>>
type Comment = PartialOutput<Output<typeof CommentSchema>>
type AutonomousSystem = PartialOutput<Output<typeof AutonomousSystemSchema>>

export interface DnsRecord extends PartialOutput<Output<typeof DnsRecordSchema>> {
  readonly autonomousSystem?: AutonomousSystem | undefined
}

export interface Whois extends PartialOutput<Output<typeof WhoisSchema>> {
  /** At most 100 texts from unknown fields. They may contain a person's name. */
  readonly others?: readonly OtherText[] | undefined
}

export interface OtherText {
  /** The path of its keys, such as `registrant.name`. */
  readonly key: string
  readonly text: string
}

export type Website = PartialOutput<Output<typeof WebsiteSchema>>

export interface ObservedData {
  readonly whois?: Whois | undefined
  readonly dnsRecords?: readonly DnsRecord[] | undefined
  readonly website?: Website | undefined
}

/** One threat event. Any part may be missing. Lists are in the service's order, without unreadable items. */
export interface ThreatEvent
  extends PartialOutput<Output<typeof EventSchema>>,
    PartialOutput<Output<typeof CustomerSchema>> {
  readonly brand?: Brand | undefined
  readonly criticality?: Criticality | undefined
  readonly comments?: readonly Comment[] | undefined
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

/** Any object is valid, because every part is optional. Unlike other resources, an event isn't wrapped in an envelope. */
export const decodeEvent = decodeJson((body, context) =>
  readThreatEvent(isRecord(body.data) ? body.data : body, context),
)

/** Parses an event leniently. Ignores unknown fields. Keeps values of the wrong type as text, and lists them. */
export function readThreatEvent(
  event: Record<string, unknown>,
  context: DecodeContext,
): ThreatEvent | undefined {
  const { issues } = context
  const unexpectedValues = issues.collectUnexpectedValues()
  const readPart = <T>(name: string, read: Reader<T>): T | undefined =>
    isAbsent(event[name]) ? undefined : read(event[name], name, context)
  // Read first, so that the 100 unexpected values always include those about the domain's owner.
  const observedData = readPart('observed_data', readObservedData)
  const facts = readObject(EventSchema, event, '', context)
  const brand = readPart('brand', wordOrObject(BrandSchema, 'name'))
  const criticality = readPart('criticality', wordOrObject(CriticalitySchema, 'level'))
  const comments = readPart('comments', (value, at) =>
    readListOrOne(value, at, context, readComment, (content) => ({ content })),
  )
  // Read last, because unexpected values are displayed in the order in which they are read.
  const customer = readObject(CustomerSchema, event, '', context)
  const unreadable = { count: issues.count, paths: issues.paths }
  return { ...facts, ...customer, brand, criticality, comments, observedData, unexpectedValues, unreadable }
}

type Reader<T> = (value: unknown, at: string, context: DecodeContext) => T | undefined

const isAbsent = (value: unknown): boolean => value === undefined || value === null

const readComment: Reader<Comment> = (value, at, context) => readObject(CommentSchema, value, at, context)

const readObservedData: Reader<ObservedData> = (value, at, context) => {
  if (!isRecord(value)) return addIssue(value, at, context)
  const readPart = <T>(name: string, read: Reader<T>): T | undefined =>
    isAbsent(value[name]) ? undefined : read(value[name], `${at}.${name}`, context)
  const whois = readPart('whois', readWhois)
  const dnsRecords = readPart('dns_records', (records, at) =>
    readListOrOne(records, at, context, readDnsRecord),
  )
  const website = readPart('website', readWebsite)
  // Unknown fields may contain a second contact, or the complete WHOIS record.
  const personTexts = findUnknownTexts(['whois', 'dns_records', 'website'], value).filter(({ key }) =>
    PERSON_KEY.test(key),
  )
  if (personTexts.length === 0) return { whois, dnsRecords, website }
  return { whois: { ...whois, others: [...(whois?.others ?? []), ...personTexts] }, dnsRecords, website }
}

const PERSON_KEY = /whois|owner|registrant|holder|contact|person|admin|tech/i

const readWhois: Reader<Whois> = (value, at, context) => {
  const whois = readObject(WhoisSchema, withList(value, 'statuses'), at, context)
  if (!whois || !isRecord(value)) return undefined
  const others = findUnknownTexts(Object.keys(WhoisFields.shape), value)
  return others.length > 0 ? { ...whois, others } : whois
}

const readWebsite: Reader<Website> = (value, at, context) =>
  readObject(WebsiteSchema, withList(value, 'redirection_types'), at, context)

const readDnsRecord: Reader<DnsRecord> = (value, at, context) => {
  const record = readObject(DnsRecordSchema, value, at, context)
  if (!record || !isRecord(value)) return undefined
  const { autonomous_system_info: info } = value
  if (isAbsent(info)) return record
  const autonomousSystem = readSystem(info, `${at}.autonomous_system_info`, context)
  return { ...record, autonomousSystem }
}

const readSystem = wordOrObject(AutonomousSystemSchema, 'as_organization')

/** A single text counts as a list of one. */
function withList(value: unknown, name: string): unknown {
  if (!isRecord(value)) return value
  const { [name]: list } = value
  return typeof list === 'string' ? { ...value, [name]: [list] } : value
}

/**
 * Parses an object. Also accepts a text or a number instead of the object, as its `word` field. Records any other value, and an
 * object without known fields, as unexpected, and uses its JSON as the `word` field.
 */
function wordOrObject<T extends object>(schema: Schema<T>, word: string): Reader<T> {
  return (value, at, context) => {
    const asWord = (text: unknown) => readObject(schema, { [word]: text }, at, context)
    if (typeof value === 'string' || typeof value === 'number') return asWord(value)
    if (isRecord(value)) {
      const countBefore = context.issues.count
      const read = readObject(schema, value, at, context)
      const isAllNull = Object.values(value).every((part) => part === null)
      if (isAllNull || context.issues.count > countBefore || hasValues(read)) return read
    }
    addIssue(value, at, context)
    return asWord(formatUnexpected(value, context))
  }
}

/** Parses the items of a list. A single object counts as a list of one, and so does a single text with `fromText`. */
function readListOrOne<T extends object>(
  value: unknown,
  at: string,
  context: DecodeContext,
  read: Reader<T>,
  fromText?: (text: string) => T,
): readonly T[] | undefined {
  if (fromText && typeof value === 'string') return [fromText(value)]
  if (Array.isArray(value))
    return readRows(value, at, context, (item, itemAt) =>
      fromText && typeof item === 'string' ? fromText(item) : read(item, itemAt, context),
    ).rows
  if (isRecord(value)) {
    const countBefore = context.issues.count
    const item = read(value, at, context)
    if (item && (context.issues.count > countBefore || hasValues(item))) return [item]
  }
  return addIssue(value, at, context)
}

const hasValues = (read: object | undefined): boolean =>
  read !== undefined && Object.values(read).some((part) => part !== undefined)

const MAX_OTHERS = 100
const MAX_DEPTH = 6
/** Much longer than any name, and short enough to search a hundred of them. */
const MAX_TEXT_LENGTH = 2000

/** Finds the texts in fields with unknown names, at any depth. */
function findUnknownTexts(known: readonly string[], value: Record<string, unknown>): OtherText[] {
  const found: OtherText[] = []
  const collect = (part: unknown, keys: readonly string[]): void => {
    if (found.length >= MAX_OTHERS || keys.length > MAX_DEPTH) return
    if (typeof part === 'string') found.push({ key: keys.join('.'), text: part.slice(0, MAX_TEXT_LENGTH) })
    else if (typeof part === 'object' && part !== null)
      for (const [key, inner] of Object.entries(part).slice(0, MAX_OTHERS)) collect(inner, [...keys, key])
  }
  for (const [key, inner] of Object.entries(value)) if (!known.includes(key)) collect(inner, [key])
  return found
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
