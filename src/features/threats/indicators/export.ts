import { hash } from 'node:crypto'
import { UserError } from '@signalman/runtime'
import { oneLine } from '@signalman/slack'
import type { Requester } from '../../../bot/routes/command-context.ts'
import { BOM, csvText } from '../../../domain/csv.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ThreatVersions } from '../rows/versions.ts'
import { findBlockable, formatCounts, type Indicators } from '../rules/indicators.ts'
import type { OutgoingFile } from '../send-files.ts'
import { type ExportTimes, type StixOptions, toStix, type VersionedType } from './stix.ts'

export const EXPORT_FORMATS = ['csv', 'stix'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export interface IndicatorExport {
  files: OutgoingFile[]
  /** Counts the content: `1 domain, 2 URLs. 1 value isn’t valid and was left out.` */
  summary: string
}

/** Exports the indicators of an event as files. Throws UserError if there are none. */
export function buildExport(
  event: ThreatEvent,
  indicators: Indicators,
  options: StixOptions,
  format: ExportFormat | undefined,
): IndicatorExport {
  const { id } = options
  const { all } = indicators
  if (all.length === 0)
    throw new UserError(`This event has no indicators to export.${leftOutNote(indicators)}`)
  const creators: Record<ExportFormat, () => OutgoingFile> = {
    csv: () => buildCsvFile(id, event, indicators),
    stix: () => buildStixFile(id, toStix(event, indicators, options)),
  }
  const files = EXPORT_FORMATS.filter((name) => !format || name === format).map((name) => creators[name]())
  return { files, summary: `${formatCounts(all)}.${leftOutNote(indicators)}` }
}

/** Says which values of the event were left out or contain personal data. */
export function leftOutNote({
  invalidCount,
  personalUrlCount,
  isTrimmed,
}: Pick<Indicators, 'invalidCount' | 'personalUrlCount' | 'isTrimmed'>): string {
  const invalidText = `${pluralize(invalidCount, 'value')} ${invalidCount === 1 ? 'isn’t valid and was' : 'aren’t valid and were'} left out.`
  const urls = pluralize(personalUrlCount, 'URL')
  const personalText = isTrimmed
    ? `Personal data was removed from ${urls}.`
    : `${urls} ${personalUrlCount === 1 ? 'contains' : 'contain'} personal data, such as an email address.`
  return [invalidCount > 0 && ` ${invalidText}`, personalUrlCount > 0 && ` ${personalText}`]
    .filter(Boolean)
    .join('')
}

const buildCsvFile = (id: string, event: ThreatEvent, indicators: Indicators): OutgoingFile => ({
  name: `threat-${id}.csv`,
  title: `Indicators of threat event ${id} (CSV)`,
  body: Buffer.from(toCsv(id, event, indicators)),
})

const buildStixFile = (id: string, content: object): OutgoingFile => ({
  name: `threat-${id}.stix.json`,
  title: `Indicators of threat event ${id} (STIX 2.1)`,
  body: Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`),
})

const CSV_HEADER = [
  'kind',
  'value',
  'use',
  'found in',
  'name',
  'threat event',
  'type',
  'criticality',
  'brand',
  'date',
]

/**
 * The indicators as CSV (RFC 4180) in UTF-8, with the byte order mark that spreadsheets need. The use is `block` for exactly those that
 * are STIX indicators, and `context` for the rest.
 */
export function toCsv(id: string, event: ThreatEvent, indicators: Indicators): string {
  const blockable = new Set(findBlockable(indicators, event))
  const eventFields = [
    id,
    event.type ?? '',
    event.criticality?.level ?? event.criticality?.name ?? '',
    event.brand?.name ?? '',
    event.date?.toISOString() ?? '',
  ]
  const rows = indicators.all.map((indicator) => {
    const { kind, value, source, name = '' } = indicator
    return [kind, value, blockable.has(indicator) ? 'block' : 'context', source, name, ...eventFields]
  })
  return BOM + csvText([CSV_HEADER, ...rows].map((row) => row.map(oneLine)))
}

/** The latest time in the event that isn't in the future. The event's content must have changed at that time or later. */
function findLatestTime(event: ThreatEvent, created: Date, now: Date): Date {
  const dates = [...(event.comments ?? []).map(({ date }) => date), event.observedData?.whois?.updatedDate]
  return dates.reduce<Date>((latest, date) => (date && date > latest && date <= now ? date : latest), created)
}

/** The year in which Unix time begins. An earlier date is a placeholder, such as 0001-01-01. */
const EPOCH_YEAR = 1970

/** The event's date; undefined if it has none, or one that can't be right. */
const findUsableDate = ({ date }: ThreatEvent, now: Date): Date | undefined =>
  date && date <= now && date.getUTCFullYear() >= EPOCH_YEAR ? date : undefined

/** Finds when an event became known, and when each kind of object in its export last changed. Unchanged content keeps its times. */
export async function findExportTimes(
  versions: ThreatVersions,
  context: Pick<Requester, 'workspaceId' | 'environment' | 'now'>,
  {
    id,
    event,
    indicators,
    isPersonal,
  }: { id: string; event: ThreatEvent; indicators: Indicators; isPersonal: boolean },
): Promise<ExportTimes> {
  const { workspaceId, environment, now } = context
  const resolve = (kind: string, contentHash: string, latestContentAt: Date) =>
    versions.resolveModifiedAt({
      workspaceId,
      environment,
      eventId: id,
      kind,
      contentHash,
      latestContentAt,
      now,
    })
  // The hash never changes, so all later exports keep the time of the first one.
  const createdAt = await resolve('first', '', findUsableDate(event, now) ?? now)
  const created = createdAt.toISOString()
  // Placeholders: the hash below leaves out these times.
  const modified = { indicator: '', 'observed-data': '' }
  const { objects } = toStix(event, indicators, { id, created, modified, isPersonal })
  const findModifiedAt = async (type: VersionedType) => {
    // One object is enough: all objects of a type share these fields, and other fields can't change without changing the ID.
    const sampleObject = objects.find((object) => object.type === type)
    const content = [sampleObject?.description, sampleObject?.object_refs]
    const at = await resolve(
      `${isPersonal ? 'personal' : indicators.isTrimmed ? 'trimmed' : 'plain'} ${type}`,
      hash('sha256', JSON.stringify(content), 'base64url'),
      findLatestTime(event, createdAt, now),
    )
    return at.toISOString()
  }
  return {
    created,
    modified: {
      indicator: await findModifiedAt('indicator'),
      'observed-data': await findModifiedAt('observed-data'),
    },
  }
}
