import { hash } from 'node:crypto'
import { mapInSlices } from '@signalman/runtime'
import { oneLine } from '@signalman/slack'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { findBlockable, type Indicator, type Indicators } from '../rules/indicators.ts'
import type { IndicatorKind } from '../rules/values.ts'

/**
 * STIX 2.1 (https://docs.oasis-open.org/cti/stix/v2.1/os/stix-v2.1-os.html, read November 2026). Observables use the
 * specification's namespace (section 2.9), so all tools give the same observable the same ID. Other objects must not use that
 * namespace, so they use ours.
 */
const OBSERVABLE_NAMESPACE = '00abedb4-aa42-466c-9c01-fed23315a9b7'
const SIGNALMAN_NAMESPACE = '0b9a6f0e-6f0e-5d0c-9c63-3a1b6b1f4d52'

type StixObject = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string }

const TYPES: Readonly<Record<IndicatorKind, string>> = {
  domain: 'domain-name',
  url: 'url',
  ipv4: 'ipv4-addr',
  ipv6: 'ipv6-addr',
  as: 'autonomous-system',
}

const MAX_TEXT_LENGTH = 500

/** The specification's marking TLP:AMBER (section 7.2.1.4), which limits sharing. */
const AMBER: StixObject = {
  type: 'marking-definition',
  spec_version: '2.1',
  id: 'marking-definition--f88d31f6-486f-44da-b317-01333bde0b82',
  created: '2017-01-20T00:00:00.000Z',
  definition_type: 'tlp',
  name: 'TLP:AMBER',
  definition: { tlp: 'amber' },
}

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

/** The year in which Unix time begins. An earlier date is a placeholder, such as 0001-01-01. */
const EPOCH_YEAR = 1970

/** The event's date; now if it has none, or one that can't be right. */
const findCreated = ({ date }: ThreatEvent, now: Date): string =>
  (date && date <= now && date.getUTCFullYear() >= EPOCH_YEAR ? date : now).toISOString()

/**
 * A STIX 2.1 bundle as JSON: an observable for each value, the event as observed data, and a STIX indicator for each value that other
 * tools may block, based on that data. The same content makes the same bytes. Changed content makes other objects, never another
 * version of the same one, so nothing has to be remembered.
 */
export async function toStix(
  event: ThreatEvent,
  indicators: Indicators,
  { id, now }: { id: string; now: Date },
): Promise<Buffer> {
  const created = findCreated(event, now)
  const markings = { object_marking_refs: [AMBER.id] }
  /** Everything in `content` is part of the ID. */
  const identify = <C extends object>(type: string, content: C) => ({
    type,
    spec_version: '2.1',
    id: `${type}--${hashToUuid(SIGNALMAN_NAMESPACE, JSON.stringify([type, id, created, content]))}`,
    created_by_ref: SIGNALMAN.id,
    created,
    modified: created,
    ...markings,
    ...content,
  })
  const observed = await mapInSlices(indicators.all, (each) => ({ ...toObservable(each), ...markings }))
  const observedData =
    observed.length === 0 ? [] : [identify('observed-data', buildObservation(created, observed))]
  const indicatorObjects = await mapInSlices(findBlockable(indicators, event), (indicator) =>
    identify('indicator', {
      ...describeIndicator(id, event, indicator),
      indicator_types: ['malicious-activity'],
      pattern: `[${TYPES[indicator.kind]}:value = '${quotePattern(indicator.value)}']`,
      pattern_type: 'stix',
      valid_from: created,
    }),
  )
  const basedOn = indicatorObjects.flatMap(({ id: source_ref }) =>
    observedData.map(({ id: target_ref }) =>
      identify('relationship', { relationship_type: 'based-on', source_ref, target_ref }),
    ),
  )
  const objects: StixObject[] = [...indicatorObjects, ...observedData, ...observed, ...basedOn]
  const bundleId = hashToUuid(SIGNALMAN_NAMESPACE, JSON.stringify(objects.map((object) => object.id)))
  return writeBundle(`bundle--${bundleId}`, [AMBER, SIGNALMAN, ...objects])
}

/** As `JSON.stringify` writes it, object by object. */
async function writeBundle(id: string, objects: readonly StixObject[]): Promise<Buffer> {
  const parts = await mapInSlices(objects, (object) =>
    Buffer.from(`    ${JSON.stringify(object, undefined, 2).replaceAll('\n', '\n    ')}`),
  )
  const separated = parts.flatMap((part, index) => (index === 0 ? [part] : [SEPARATOR, part]))
  const head = `{\n  "type": "bundle",\n  "id": ${JSON.stringify(id)},\n  "objects": [\n`
  return Buffer.concat([Buffer.from(head), ...separated, Buffer.from('\n  ]\n}\n')])
}

const SEPARATOR = Buffer.from(',\n')

/** An observable. Its ID is derived from its identifying properties, as canonical JSON (RFC 8785). */
function toObservable({ kind, value, name }: Indicator): StixObject {
  const type = TYPES[kind]
  const identifyingProperties = kind === 'as' ? { number: Number(value) } : { value }
  return {
    type,
    spec_version: '2.1',
    id: `${type}--${hashToUuid(OBSERVABLE_NAMESPACE, JSON.stringify(identifyingProperties))}`,
    ...identifyingProperties,
    ...(kind === 'as' && name && { name: shortText(name) }),
  }
}

const buildObservation = (at: string, observed: readonly StixObject[]) => ({
  first_observed: at,
  last_observed: at,
  number_observed: 1,
  object_refs: observed.map(({ id }) => id),
})

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
function hashToUuid(namespace: string, name: string): string {
  const bytes = Buffer.concat([Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(name)])
  const digest = Buffer.from(hash('sha1', bytes, 'hex'), 'hex').subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
