import { hash } from 'node:crypto'
import { UserError } from '@signalman/runtime'
import { oneLine } from '@signalman/slack'
import type { Requester } from '../../../bot/routes/command-context.ts'
import { BOM, csvText } from '../../../domain/csv.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ThreatVersions } from '../rows/versions.ts'
import { formatCounts, type Indicators } from '../rules/indicators.ts'
import type { OutgoingFile } from '../send-files.ts'
import { createdAt, type StixOptions, toStix, type VersionedType } from './stix.ts'

export const FORMATS = ['csv', 'stix'] as const
export type Format = (typeof FORMATS)[number]

export interface Export {
  files: OutgoingFile[]
  /** Describes the content: `1 domain, 2 URLs. 1 value isn’t valid and was left out.` */
  counts: string
}

/** Exports the indicators of an event as files. Throws UserError if there are none. */
export function buildExport(
  event: ThreatEvent,
  indicators: Indicators,
  options: StixOptions,
  format: Format | undefined,
): Export {
  const { id } = options
  const { all } = indicators
  if (all.length === 0)
    throw new UserError(`This event has no indicators to export.${leftOutNote(indicators)}`)
  const creators: Record<Format, () => OutgoingFile> = {
    csv: () => buildCsvFile(id, event, indicators),
    stix: () => buildJsonFile(id, 'stix', 'STIX 2.1', toStix(event, indicators, options)),
  }
  const files = FORMATS.filter((name) => !format || name === format).map((name) => creators[name]())
  return { files, counts: `${formatCounts(all)}.${leftOutNote(indicators)}` }
}

/** Says which values of the event were left out, and why. */
export function leftOutNote({ invalid, personal }: Pick<Indicators, 'invalid' | 'personal'>): string {
  const describeLeftOut = (count: number, why: string): string =>
    count === 0 ? '' : ` ${pluralize(count, 'value')} ${why} left out.`
  return (
    describeLeftOut(invalid, invalid === 1 ? 'isn’t valid and was' : 'aren’t valid and were') +
    describeLeftOut(personal, personal === 1 ? 'that names the owner is' : 'that name the owner are')
  )
}

const buildCsvFile = (id: string, event: ThreatEvent, indicators: Indicators): OutgoingFile => ({
  name: `threat-${id}.csv`,
  title: `Indicators of threat event ${id} (CSV)`,
  body: Buffer.from(toCsv(id, event, indicators)),
})

const buildJsonFile = (id: string, suffix: string, format: string, content: object): OutgoingFile => ({
  name: `threat-${id}.${suffix}.json`,
  title: `Indicators of threat event ${id} (${format})`,
  body: Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`),
})

const CSV_HEADER = [
  'kind',
  'value',
  'found in',
  'name',
  'threat event',
  'type',
  'criticality',
  'brand',
  'date',
]

/** The indicators as CSV (RFC 4180) in UTF-8, with the byte order mark that spreadsheets need. */
export function toCsv(id: string, event: ThreatEvent, { all }: Indicators): string {
  const eventFields = [
    id,
    event.type ?? '',
    event.criticality?.level ?? event.criticality?.name ?? '',
    event.brand?.name ?? '',
    event.date?.toISOString() ?? '',
  ]
  const rows = all.map(({ kind, value, source, name = '' }) => [kind, value, source, name, ...eventFields])
  return BOM + csvText([CSV_HEADER, ...rows].map((row) => row.map(oneLine)))
}

/** The latest past time in the event, because before that its content was different. */
function validSince(event: ThreatEvent, now: Date): Date {
  const created = new Date(createdAt(event))
  const dates = [...(event.comments ?? []).map(({ date }) => date), event.observedData?.whois?.updatedDate]
  return dates.reduce<Date>((latest, date) => (date && date > latest && date <= now ? date : latest), created)
}

/** When each kind of object in an export last changed: equal for equal content, and later for newer content. */
export async function findModified(
  versions: ThreatVersions,
  context: Pick<Requester, 'workspaceId' | 'environment' | 'now'>,
  {
    id,
    event,
    indicators,
    isPersonal,
  }: { id: string; event: ThreatEvent; indicators: Indicators; isPersonal: boolean },
): Promise<StixOptions['modified']> {
  const { workspaceId, environment, now } = context
  const modified = { indicator: '', 'observed-data': '' }
  const { objects } = toStix(event, indicators, { id, modified, isPersonal })
  const findModifiedAt = async (type: VersionedType) => {
    // An indicator's ID is derived from its other fields.
    const sampleObject = objects.find((object) => object.type === type)
    const at = await versions.modifiedAt({
      workspaceId,
      environment,
      eventId: id,
      kind: `${isPersonal ? 'personal' : 'plain'} ${type}`,
      contentHash: hash(
        'sha256',
        JSON.stringify([sampleObject?.created, sampleObject?.description, sampleObject?.object_refs]),
        'base64url',
      ),
      since: validSince(event, now),
      now,
    })
    return at.toISOString()
  }
  return {
    indicator: await findModifiedAt('indicator'),
    'observed-data': await findModifiedAt('observed-data'),
  }
}
