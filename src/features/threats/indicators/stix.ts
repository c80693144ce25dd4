import type { ThreatEvent } from '../../../api/threat-event.ts'
import { oneLine } from '../../../blocks/text.ts'
import type { Indicator, Indicators, Link } from './indicators.ts'
import { uuidOf } from './uuid.ts'
import type { Kind } from './values.ts'

/**
 * STIX 2.1 (https://docs.oasis-open.org/cti/stix/v2.1/os/stix-v2.1-os.html, read November 2026). Observables take the
 * specification's own namespace (section 2.9), so that other tools give the same thing the same id; it forbids that one
 * for all other objects, which take ours.
 */
const OBSERVABLES = '00abedb4-aa42-466c-9c01-fed23315a9b7'
const OURS = '0b9a6f0e-6f0e-5d0c-9c63-3a1b6b1f4d52'

export type StixObject = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string }

export interface Bundle extends StixObject {
  /** Absent when there would be none. */
  readonly objects?: readonly StixObject[]
}

const TYPES: Readonly<Record<Kind, string>> = {
  domain: 'domain-name',
  url: 'url',
  ipv4: 'ipv4-addr',
  ipv6: 'ipv6-addr',
  as: 'autonomous-system',
  email: 'email-addr',
}

const MAX_TEXT = 500

/**
 * The indicators as a STIX 2.1 bundle: an observable each, what leads to what, the event as observed data, and one indicator
 * with a pattern of what the event is about. The same event makes the same ids each time.
 */
export function stixOf(id: string, event: ThreatEvent, indicators: Indicators, now: Date): Bundle {
  const at = timestampOf(event.date, now)
  const observables = new Map(indicators.all.map((indicator) => [indicator, observableOf(indicator)]))
  const idOf = (indicator: Indicator): string => observables.get(indicator)?.id ?? ''
  const seen = [...observables.values()]
  const common = (type: string, name: string) => ({
    type,
    spec_version: '2.1',
    id: `${type}--${uuidOf(OURS, `${type} ${name}`)}`,
    created: at,
    modified: at,
  })
  const relationship = (source: string, kind: string, target: string): StixObject => ({
    ...common('relationship', `${id} ${source} ${kind} ${target}`),
    relationship_type: kind,
    source_ref: source,
    target_ref: target,
  })
  const observed = seen.length === 0 ? [] : [{ ...common('observed-data', id), ...observation(at, seen) }]
  const pattern = patternOf(indicators)
  const indicator = pattern
    ? [{ ...common('indicator', id), ...describe(id, event), pattern, pattern_type: 'stix', valid_from: at }]
    : []
  const based = indicator.flatMap((one) => observed.map((data) => relationship(one.id, 'based-on', data.id)))
  const related = indicators.links.map(({ from, kind, to }: Link) => relationship(idOf(from), kind, idOf(to)))
  const objects = [...indicator, ...observed, ...seen, ...based, ...related]
  return {
    type: 'bundle',
    id: `bundle--${uuidOf(OURS, `bundle ${id}`)}`,
    ...(objects.length > 0 && { objects }),
  }
}

/** An observable; its id comes from the properties that make it what it is, as canonical JSON (RFC 8785). */
function observableOf({ kind, value, name }: Indicator): StixObject {
  const type = TYPES[kind]
  const essence = kind === 'as' ? { number: Number(value) } : { value }
  return {
    type,
    spec_version: '2.1',
    id: `${type}--${uuidOf(OBSERVABLES, JSON.stringify(essence))}`,
    ...essence,
    ...(kind === 'as' && name && { name: textOf(name) }),
  }
}

const observation = (at: string, seen: readonly StixObject[]) => ({
  first_observed: at,
  last_observed: at,
  number_observed: 1,
  object_refs: seen.map(({ id }) => id),
})

/**
 * The event's domain, and the addresses that lie on it: where a page leads to elsewhere, and the machines that it shares
 * with others, are observed and not accused.
 */
function patternOf({ all, subject }: Indicators): string | undefined {
  const host = subject?.kind === 'domain' ? subject.value : undefined
  const isOnIt = ({ kind, value }: Indicator): boolean => {
    const name = kind === 'url' ? URL.parse(value)?.hostname : undefined
    return host !== undefined && (name === host || name?.endsWith(`.${host}`) === true)
  }
  const reported = subject ?? all.find(({ source }) => source === 'address reported')
  const accused = all.filter((indicator) => indicator === reported || isOnIt(indicator))
  if (accused.length === 0) return undefined
  return accused.map(({ kind, value }) => `[${TYPES[kind]}:value = '${quoted(value)}']`).join(' OR ')
}

/** A string of the pattern language (section 9.6): its quote and its escape are escaped. */
const quoted = (text: string): string => text.replace(/['\\]/g, (sign) => `\\${sign}`)

function describe(id: string, event: ThreatEvent) {
  const { domain, type, criticality, brand } = event
  const said = [
    type && `Type: ${type}`,
    (criticality?.level ?? criticality?.name) && `Criticality: ${criticality?.level ?? criticality?.name}`,
    brand?.name && `Brand: ${brand.name}`,
  ].filter(Boolean)
  return {
    name: textOf(`Threat event: ${domain || id}`),
    ...(said.length > 0 && { description: textOf(said.join('. ')) }),
    external_references: [{ source_name: 'threat-event', external_id: id }],
  }
}

const textOf = (text: string): string => oneLine(text.slice(0, MAX_TEXT))

/** RFC 3339 with milliseconds; a year of more than four digits has no place in it. */
function timestampOf(date: Date | undefined, now: Date): string {
  const shown = date?.toISOString()
  return shown && /^\d{4}-/.test(shown) ? shown : now.toISOString()
}
