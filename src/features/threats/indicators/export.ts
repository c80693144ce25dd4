// This folder exports indicators as CSV and STIX.

import { UserError, yieldWhenDue } from '@signalman/runtime'
import { oneLine } from '@signalman/slack'
import { BOM, csvText } from '../../../domain/csv.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { findBlockable, findIndicators, type Indicators } from '../rules/indicators.ts'
import type { OutgoingFile } from '../send-files.ts'
import { toStix } from './stix.ts'

const EXPORT_FORMATS = ['csv', 'stix'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The indicators of an event as files, and a summary that counts them. Throws UserError if there are none. */
export async function buildExport(
  event: ThreatEvent,
  { id, now, format }: { id: string; now: Date; format: ExportFormat | undefined },
): Promise<{ files: OutgoingFile[]; summary: string }> {
  const indicators = await findIndicators(event)
  const { all } = indicators
  if (all.length === 0)
    throw new UserError(
      `This event has no values to export that Signalman can read.${leftOutNote(indicators)}`,
    )
  const createFile: Readonly<Record<ExportFormat, () => Promise<OutgoingFile>>> = {
    csv: async () => ({
      name: `threat-${id}.csv`,
      title: `Indicators of threat event ${id} (CSV)`,
      body: await toCsv(id, event, indicators),
    }),
    stix: async () => ({
      name: `threat-${id}.stix.json`,
      title: `Indicators of threat event ${id} (STIX 2.1)`,
      body: await toStix(event, indicators, { id, now }),
    }),
  }
  const formats = format ? [format] : EXPORT_FORMATS
  return {
    files: await Promise.all(formats.map((name) => createFile[name]())),
    summary: `${pluralize(all.length, 'value')}.${leftOutNote(indicators)}`,
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
export async function toCsv(id: string, event: ThreatEvent, indicators: Indicators): Promise<Buffer> {
  const blockable = new Set(findBlockable(indicators, event))
  const eventFields = [
    id,
    event.type ?? '',
    event.criticality?.level ?? event.criticality?.name ?? '',
    event.brand?.name ?? '',
    event.date?.toISOString() ?? '',
  ].map(oneLine)
  const rows = indicators.all.map((indicator) => {
    const { kind, value, source, name = '' } = indicator
    return [kind, value, blockable.has(indicator) ? 'block' : 'context', source, name, ...eventFields]
  })
  const parts = [Buffer.from(BOM + csvText([CSV_HEADER]))]
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await yieldWhenDue()
    parts.push(Buffer.from(csvText(rows.slice(at, at + ROWS_AT_ONCE))))
  }
  return Buffer.concat(parts)
}

const ROWS_AT_ONCE = 100
