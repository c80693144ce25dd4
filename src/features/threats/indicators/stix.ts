import { hash } from 'node:crypto'
import { oneLine } from '@signalman/slack'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { findBlockable, type Indicator, type Indicators, type Link } from '../rules/indicators.ts'
import type { IndicatorKind } from '../rules/values.ts'

/**
 * STIX 2.1 (https://docs.oasis-open.org/cti/stix/v2.1/os/stix-v2.1-os.html, read November 2026). Observables use the
 * specification's namespace (section 2.9), so all tools give the same observable the same ID. Other objects must not use that
 * namespace, so they use ours.
 */
const OBSERVABLE_NAMESPACE = '00abedb4-aa42-466c-9c01-fed23315a9b7'
const SIGNALMAN_NAMESPACE = '0b9a6f0e-6f0e-5d0c-9c63-3a1b6b1f4d52'

type StixObject = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string }

interface Bundle extends StixObject {
  readonly objects: readonly StixObject[]
}

/** The kinds of objects that can change. A relationship can't, because its ID is derived from its content. */
export type VersionedType = 'indicator' | 'observed-data'

/** When an exported event became known, and when its content last changed, in RFC 3339. */
export interface ExportTimes {
  /**
   * The event's date at the first export. If it had none, or one in the future, the time of that export, because nothing earlier is
   * known.
   */
  created: string
  /** When the indicators and the observed data last changed, in RFC 3339. */
  modified: Readonly<Record<VersionedType, string>>
}

/** What a bundle needs in addition to the event and its indicators. */
export interface StixOptions extends ExportTimes {
  id: string
  /** True if the bundle contains the domain's owner. It then has its own IDs and marking. */
  isPersonal: boolean
}

const TYPES: Readonly<Record<IndicatorKind, string>> = {
  domain: 'domain-name',
  url: 'url',
  ipv4: 'ipv4-addr',
  ipv6: 'ipv6-addr',
  as: 'autonomous-system',
  email: 'email-addr',
}

const MAX_TEXT_LENGTH = 500

/** The specification's TLP markings (section 7.2.1.4). Personal data is marked red, which forbids sharing it further. */
const createTlpMarking = (level: 'amber' | 'red', uuid: string): StixObject => ({
  type: 'marking-definition',
  spec_version: '2.1',
  id: `marking-definition--${uuid}`,
  created: '2017-01-20T00:00:00.000Z',
  definition_type: 'tlp',
  name: `TLP:${level.toUpperCase()}`,
  definition: { tlp: level },
})
const AMBER = createTlpMarking('amber', 'f88d31f6-486f-44da-b317-01333bde0b82')
const RED = createTlpMarking('red', '5e57c739-391a-4eb3-b6be-7d15ca92d5ed')

/** The creator of all bundles. It's the same in every installation, because equal content must export as equal bytes. */
const SIGNALMAN: StixObject = {
  type: 'identity',
  spec_version: '2.1',
  id: `identity--${hashToUuid(SIGNALMAN_NAMESPACE, 'identity signalman')}`,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
  name: 'Signalman',
  identity_class: 'system',
}

/**
 * Builds a STIX 2.1 bundle: an observable for each value, their relationships, the event as observed data, and a STIX indicator for
 * each value that other tools may block. The same content makes the same bytes.
 */
export function toStix(
  event: ThreatEvent,
  indicators: Indicators,
  { id, created, modified, isPersonal }: StixOptions,
): Bundle {
  const marking = isPersonal ? RED : AMBER
  // Bundles with different content need different IDs.
  const suffix = isPersonal ? ' personal' : indicators.isTrimmed ? ' trimmed' : ''
  const commonProperties = (type: VersionedType | 'relationship', name: string) => ({
    type,
    spec_version: '2.1',
    id: `${type}--${hashToUuid(SIGNALMAN_NAMESPACE, `${type} ${name}${suffix}`)}`,
    created_by_ref: SIGNALMAN.id,
    created,
    modified: type !== 'relationship' && modified[type] > created ? modified[type] : created,
    object_marking_refs: [marking.id],
  })
  const buildRelationship = (source: string, kind: string, target: string): StixObject => ({
    ...commonProperties('relationship', `${id} ${source} ${kind} ${target}`),
    relationship_type: kind,
    source_ref: source,
    target_ref: target,
  })
  const observables = new Map(
    indicators.all.map((indicator) => [indicator, toObservable(indicator, marking.id)]),
  )
  const observableId = (indicator: Indicator): string => observables.get(indicator)?.id ?? ''
  const observedObjects = [...observables.values()]
  const observedData =
    observedObjects.length === 0
      ? []
      : [{ ...commonProperties('observed-data', id), ...buildObservation(created, observedObjects) }]
  const indicatorObjects = findBlockable(indicators, event).map((indicator) => ({
    ...commonProperties('indicator', `${id} ${TYPES[indicator.kind]} ${indicator.value}`),
    ...describeIndicator(id, event, indicator),
    indicator_types: ['malicious-activity'],
    pattern: `[${TYPES[indicator.kind]}:value = '${quotePattern(indicator.value)}']`,
    pattern_type: 'stix',
    valid_from: created,
  }))
  const related = [...indicators.links, ...relateToSubject(indicators)]
  return {
    type: 'bundle',
    id: `bundle--${hashToUuid(SIGNALMAN_NAMESPACE, `bundle ${id}${suffix}`)}`,
    objects: [
      marking,
      SIGNALMAN,
      ...indicatorObjects,
      ...observedData,
      ...observedObjects,
      ...indicatorObjects.flatMap((indicator) =>
        observedData.map((data) => buildRelationship(indicator.id, 'based-on', data.id)),
      ),
      ...related.map(({ from, kind, to }) => buildRelationship(observableId(from), kind, observableId(to))),
    ],
  }
}

/** An observable. Its ID is derived from its identifying properties, as canonical JSON (RFC 8785). */
function toObservable({ kind, value, name }: Indicator, markingId: string): StixObject {
  const type = TYPES[kind]
  const identifyingProperties = kind === 'as' ? { number: Number(value) } : { value }
  return {
    type,
    spec_version: '2.1',
    id: `${type}--${hashToUuid(OBSERVABLE_NAMESPACE, JSON.stringify(identifyingProperties))}`,
    ...identifyingProperties,
    ...(kind === 'as' && name && { name: shortText(name) }),
    object_marking_refs: [markingId],
  }
}

const buildObservation = (at: string, observed: readonly StixObject[]) => ({
  first_observed: at,
  last_observed: at,
  number_observed: 1,
  object_refs: observed.map(({ id }) => id),
})

/** Relates URLs and email addresses to the event's subject. STIX has no more specific type than `related-to` for this. */
const relateToSubject = ({ all, subject }: Indicators): (Omit<Link, 'kind'> & { kind: string })[] =>
  all.flatMap((from) =>
    subject && from !== subject && (from.kind === 'url' || from.kind === 'email')
      ? [{ from, to: subject, kind: 'related-to' }]
      : [],
  )

/** Escapes a text for a string literal in a STIX pattern (section 9.6). */
const quotePattern = (text: string): string => text.replace(/['\\]/g, (character) => `\\${character}`)

function describeIndicator(id: string, event: ThreatEvent, { value }: Indicator) {
  const { type, criticality, brand } = event
  const level = criticality?.level ?? criticality?.name
  const parts = [
    type && `Type: ${type}`,
    level && `Criticality: ${level}`,
    brand?.name && `Brand: ${brand.name}`,
  ]
  const description = parts.filter(Boolean).join('. ')
  return {
    name: shortText(`Threat event: ${value}`),
    ...(description && { description: shortText(description) }),
    external_references: [{ source_name: 'threat-event', external_id: id }],
  }
}

const shortText = (text: string): string => oneLine(text.slice(0, MAX_TEXT_LENGTH))

/** A version 5 UUID (RFC 9562, section 5.5): always the same for a name in a namespace. */
export function hashToUuid(namespace: string, name: string): string {
  const bytes = Buffer.concat([Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(name)])
  const digest = Buffer.from(hash('sha1', bytes, 'hex'), 'hex').subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
