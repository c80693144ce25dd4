// This folder exports indicators as CSV and STIX.

import { UserError } from '@signalman/runtime'
import { oneLine } from '@signalman/slack'
import { BOM, csvText } from '../../../domain/csv.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { findBlockable, findIndicators, formatCounts, type Indicators } from '../rules/indicators.ts'
import type { OutgoingFile } from '../send-files.ts'
import { toStix } from './stix.ts'

export const EXPORT_FORMATS = ['csv', 'stix'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The indicators of an event as files, and a summary that counts them. Throws UserError if there are none. */
export function buildExport(
  event: ThreatEvent,
  { id, now, format }: { id: string; now: Date; format: ExportFormat | undefined },
): { files: OutgoingFile[]; summary: string } {
  const indicators = findIndicators(event)
  const { all } = indicators
  if (all.length === 0)
    throw new UserError(`This event has no indicators to export.${leftOutNote(indicators)}`)
  const createFile: Readonly<Record<ExportFormat, () => OutgoingFile>> = {
    csv: () => ({
      name: `threat-${id}.csv`,
      title: `Indicators of threat event ${id} (CSV)`,
      body: Buffer.from(toCsv(id, event, indicators)),
    }),
    stix: () => ({
      name: `threat-${id}.stix.json`,
      title: `Indicators of threat event ${id} (STIX 2.1)`,
      body: Buffer.from(`${JSON.stringify(toStix(event, indicators, { id, now }), undefined, 2)}\n`),
    }),
  }
  const formats = format ? [format] : EXPORT_FORMATS
  return {
    files: formats.map((name) => createFile[name]()),
    summary: `${formatCounts(all)}.${leftOutNote(indicators)}`,
  }
}

/** Says how many values of the event were left out. */
export const leftOutNote = ({ invalidCount }: Pick<Indicators, 'invalidCount'>): string =>
  invalidCount === 0
    ? ''
    : ` ${pluralize(invalidCount, 'value')} ${invalidCount === 1 ? 'isn’t valid and was' : 'aren’t valid and were'} left out.`

const CSV_HEADER = [
  ...['kind', 'value', 'use', 'found in', 'name'],
  ...['threat event', 'type', 'criticality', 'brand', 'date'],
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
