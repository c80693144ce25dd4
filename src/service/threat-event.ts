import { type Http, path } from './http.ts'
import { SERVICE_LIMITS } from './limits.ts'
import { json } from './read.ts'
import { asRecord } from './scalars.ts'
import { type PageFile, readImage, readPageSource } from './screenshots.ts'
import {
  date,
  many,
  named,
  noteAndShow,
  number,
  type ReadBy,
  raw,
  type Shape,
  shape,
  text,
  texts,
  type ValueReader,
} from './shape.ts'
import type { OddPart, Unread } from './unread.ts'

const Brand = shape({ id: number, name: raw, monitoredSince: date, groupingKey: raw })
const Criticality = shape({ level: raw, name: raw })
const Comment = shape({ content: raw, date })
const AutonomousSystem = shape({
  number: named('as_number', raw),
  organization: named('as_organization', raw),
})

const DnsRecord = shape({
  countryCode: raw,
  ip: raw,
  name: raw,
  type: raw,
  autonomousSystem: named('autonomous_system_info', orWord('organization', AutonomousSystem)),
})

const KnownWhois = shape({
  ownerName: raw,
  ownerEmail: raw,
  ownerOrganisation: raw,
  registrarName: raw,
  statuses: texts,
  creationDate: date,
  updatedDate: date,
  expirationDate: date,
  resourceUrl: raw,
})

const Whois: ValueReader<Whois | undefined> = (value, at) => {
  const read = KnownWhois(value, at)
  const others = read ? textsBeside(KnownWhois, value) : []
  return others.length > 0 ? { ...read, others } : read
}

const Website = shape({
  pageTitle: raw,
  pageDescription: raw,
  originUrl: raw,
  finalUrl: raw,
  redirectionTypes: texts,
  screenshotResourceUrl: raw,
  sourceResourceUrl: raw,
})

const KnownData = shape({ whois: Whois, dnsRecords: listOrOne(DnsRecord), website: Website })
const OF_A_PERSON = /whois|owner|registrant|holder|contact|person|admin|tech/i

/** A second contact, or all of the WHOIS record, may stand beside it. */
const ObservedData: ValueReader<ObservedData | undefined> = (value, at) => {
  const read = KnownData(value, at)
  const beside = read ? textsBeside(KnownData, value).filter(({ key }) => OF_A_PERSON.test(key)) : []
  if (beside.length === 0) return read
  return { ...read, whois: { ...read?.whois, others: [...(read?.whois?.others ?? []), ...beside] } }
}

const Event = shape({
  // First: in whatever form the owner of the domain comes, it is among what is kept.
  observedData: ObservedData,
  id: raw,
  date,
  type: raw,
  brand: orWord('name', Brand),
  domain: raw,
  criticality: orWord('level', Criticality),
  comments: listOrOne(Comment, (content) => ({ content })),
  customerId: number,
})

/** One threat event. Any part may be missing; lists are in the service's order, without what could not be read. */
export interface ThreatEvent extends ReadBy<typeof Event> {
  /** The parts that were there and of the wrong type, such as `comments[3].date`. */
  readonly unreadable: Unread
  /** The first 100 of them as they came. Where a text was due, they stand in its place, too. */
  readonly asItCame: readonly OddPart[]
}

export type DnsRecord = ReadBy<typeof DnsRecord>
export type ObservedData = ReadBy<typeof KnownData>
export type Website = ReadBy<typeof Website>
export interface Whois extends ReadBy<typeof KnownWhois> {
  /** What a record of another shape holds beside these, for whoever looks for persons in it: at most 100 texts. */
  readonly others?: readonly OtherText[] | undefined
}

export interface OtherText {
  /** The keys that lead to it, such as `registrant.name`. */
  readonly key: string
  readonly text: string
}

/** What came in the place of a part, where that was of the wrong type. */
export const cameAs = ({ asItCame }: Pick<ThreatEvent, 'asItCame'>, path: string): string | undefined =>
  asItCame.find((part) => part.path === path)?.text

/** Reads an event leniently: extra fields are ignored, what is of the wrong type is listed and kept as it came. */
export const readThreatEvent: ValueReader<ThreatEvent | undefined> = (value, at) => {
  const { unread } = at.context
  const asItCame = unread.gatherOdd()
  const event = Event(value, at)
  return event && { ...event, asItCame, unreadable: { count: unread.count, paths: unread.paths } }
}

/**
 * The part as an object. A word or a number in its place says what one of its parts would; anything else in its place, and an
 * object that holds nothing known, is noted and stands there as it came.
 */
function orWord<T extends object>(key: keyof NoInfer<T>, part: Shape<T>): ValueReader<T | undefined> {
  // A word stands for an object of which nothing else is known.
  const of = (word: string | undefined) => ({ [key]: word }) as T
  return (value, at) => {
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string' || typeof value === 'number') return of(text(value, at) ?? '')
    const record = asRecord(value)
    if (!record) return of(noteAndShow(value, at))
    const saysNothing = Object.values(record).every((inner) => inner === null)
    return ifKnown(part)(value, at) ?? (saysNothing ? part(value, at) : of(noteAndShow(value, at)))
  }
}

/** The part read as an object; undefined where it holds nothing that is known, not even in another form. */
const ifKnown =
  <T extends object>(part: ValueReader<T | undefined>): ValueReader<T | undefined> =>
  (value, at) => {
    const noted = at.context.unread.count
    const read = part(value, at)
    const isKnown = read && Object.values(read).some((inner) => inner !== undefined)
    return isKnown || at.context.unread.count > noted ? read : undefined
  }

/** The items of a list; one object alone is a list of one, and so is one text where `ofText` reads texts. */
function listOrOne<T extends object>(
  part: Shape<T>,
  ofText?: (text: string) => NoInfer<T>,
): ValueReader<readonly T[] | undefined> {
  const item: ValueReader<T | undefined> = (value, at) =>
    ofText && typeof value === 'string' ? ofText(at.context.hide(value)) : part(value, at)
  const list = many(item)
  return (value, at) => {
    const alone = asRecord(value) ? ifKnown(part)(value, at) : undefined
    if (alone !== undefined) return [alone]
    return ofText && typeof value === 'string' ? [ofText(at.context.hide(value))] : list(value, at)
  }
}

const MOST_OTHERS = 100
const OTHERS_DEPTH = 6
/** Far longer than any name, and short enough to look through a hundred. */
const LONGEST_OTHER = 2000

/** The texts below names that the shape does not have. */
function textsBeside({ fields }: Shape<unknown>, value: unknown): OtherText[] {
  const found: OtherText[] = []
  const look = (part: unknown, keys: readonly string[]): void => {
    if (found.length >= MOST_OTHERS || keys.length > OTHERS_DEPTH) return
    if (typeof part === 'string') found.push({ key: keys.join('.'), text: part.slice(0, LONGEST_OTHER) })
    else if (typeof part === 'object' && part !== null)
      for (const [key, inner] of Object.entries(part).slice(0, MOST_OTHERS)) look(inner, [...keys, key])
  }
  const known = new Set(fields.map(({ wireName }) => wireName))
  for (const [key, inner] of Object.entries(asRecord(value) ?? {})) if (!known.has(key)) look(inner, [key])
  return found
}

/** Any object will do: every part of an event is optional. It comes bare, unlike the other resources' `data`. */
export const readEvent = json((body, at) => readThreatEvent(asRecord(asRecord(body)?.data) ?? body, at))

export type Threats = ReturnType<typeof threats>

/** The calls on threat events. Each throws ApiError. */
export function threats(http: Http) {
  return {
    /** Every text in the event is outside text, often an attacker's. */
    get: async (id: string, signal?: AbortSignal): Promise<ThreatEvent> =>
      http.get(path`/cti/v2/events/${{ id }}`, readEvent, signal),
    /** The picture at an address that an event names: PNG, JPEG or GIF, from the service's own origin only. */
    screenshot: async (address: string, signal?: AbortSignal): Promise<PageFile> =>
      http.download(address, PICTURE, signal),
    /** The page's source at an address that an event names: text, from the service's own origin only. */
    pageSource: async (address: string, signal?: AbortSignal): Promise<PageFile> =>
      http.download(address, PAGE_SOURCE, signal),
  }
}

const PICTURE = {
  accept: 'image/png, image/jpeg, image/gif',
  maxBytes: SERVICE_LIMITS.screenshotBytes,
  read: readImage,
}

const PAGE_SOURCE = {
  accept: 'text/html, text/plain, application/xhtml+xml',
  maxBytes: SERVICE_LIMITS.sourceBytes,
  read: readPageSource,
}
