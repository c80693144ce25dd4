import type { Environment } from '../../../domain/environment.ts'
import type { PageFile } from '../../../service/screenshots.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { Indicators } from '../rules/indicators.ts'
import type { OutgoingFile } from '../send-files.ts'
import type { ZipEntry } from './zip.ts'

/** The input of a takedown kit. */
export interface KitContent {
  id: string
  environment: Environment
  redactedEvent: ThreatEvent
  /** Includes the owner's personal data. Only used to quote the registrar and the DNS records; no personal data gets into the kit. */
  fullEvent: ThreatEvent
  /** The indicators in `fullEvent`, without personal data. */
  indicators: Indicators
  /** The indicators as files. */
  files: readonly OutgoingFile[]
  /** When the event became known. */
  knownSince: Date
  /** When the indicators last changed. */
  indicatorsChangedAt: Date
  /** The screenshot, or the reason why there is none, as a sentence. */
  screenshot: PageFile | string
}

/** A file of the kit, as the manifest lists it. */
export interface KitFile extends ZipEntry {
  description: string
  /** The date of the content, if known. */
  time: string | undefined
}

/** Something that the kit doesn't have, as the manifest lists it. */
export interface MissingPart {
  what: string
  why: string
}
