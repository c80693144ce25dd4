import { oneLine } from '@signalman/slack'
import { BOM, csvText } from '../../../domain/csv.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { Indicators } from './indicators.ts'

const HEAD = ['kind', 'value', 'found in', 'name', 'threat event', 'type', 'criticality', 'brand', 'date']

/** The indicators as CSV (RFC 4180) in UTF-8, with the byte order mark by which spreadsheets recognize it. */
export function csvOf(id: string, event: ThreatEvent, { all }: Indicators): string {
  const about = [
    id,
    event.type ?? '',
    event.criticality?.level ?? event.criticality?.name ?? '',
    event.brand?.name ?? '',
    event.date?.toISOString() ?? '',
  ]
  const rows = all.map(({ kind, value, source, name = '' }) => [kind, value, source, name, ...about])
  return BOM + csvText([HEAD, ...rows].map((row) => row.map(oneLine)))
}
