import { UserError } from '@signalman/runtime'
import { counted } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { OutgoingFile } from '../send-files.ts'
import { csvOf } from './csv.ts'
import { countsOf, type Indicators } from './indicators.ts'
import { mispOf } from './misp.ts'
import { type StixFrame, stixOf } from './stix.ts'

export const FORMATS = ['csv', 'stix', 'misp'] as const
export type Format = (typeof FORMATS)[number]

export interface Export {
  files: OutgoingFile[]
  /** The content in sentences: `1 domain, 2 URLs. 1 value is not valid and left out.` */
  counts: string
}

/** The indicators of an event as files. Throws UserError when there are none. */
export function exportOf(
  event: ThreatEvent,
  indicators: Indicators,
  frame: StixFrame,
  format: Format | undefined,
): Export {
  const { id } = frame
  const { all } = indicators
  if (all.length === 0) throw new UserError(`This event holds nothing to export.${leftOutNote(indicators)}`)
  const make: Record<Format, () => OutgoingFile> = {
    csv: () => csvFile(id, event, indicators),
    stix: () => jsonFile(id, 'stix', 'STIX 2.1', stixOf(event, indicators, frame)),
    misp: () => jsonFile(id, 'misp', 'MISP', mispOf(event, indicators, frame)),
  }
  const files = FORMATS.filter((one) => !format || one === format).map((one) => make[one]())
  return { files, counts: `${countsOf(all)}.${leftOutNote(indicators)}` }
}

/** Which values of the event were left out, and why. */
export function leftOutNote({ invalid, personal }: Pick<Indicators, 'invalid' | 'personal'>): string {
  const said = (count: number, why: string): string =>
    count === 0 ? '' : ` ${counted(count, 'value')} ${why} left out.`
  return (
    said(invalid, invalid === 1 ? 'is not valid and' : 'are not valid and') +
    said(personal, personal === 1 ? 'that names the owner is' : 'that name the owner are')
  )
}

const csvFile = (id: string, event: ThreatEvent, indicators: Indicators): OutgoingFile => ({
  name: `threat-${id}.csv`,
  title: `Indicators of threat event ${id} (CSV)`,
  body: Buffer.from(csvOf(id, event, indicators)),
})

const jsonFile = (id: string, ending: string, format: string, content: object): OutgoingFile => ({
  name: `threat-${id}.${ending}.json`,
  title: `Indicators of threat event ${id} (${format})`,
  body: Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`),
})
