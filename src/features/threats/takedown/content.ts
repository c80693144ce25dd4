import type { Environment } from '../../../domain/environment.ts'
import type { PageFile } from '../../../service/screenshots.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { Indicators } from '../rules/indicators.ts'
import type { OutgoingFile } from '../send-files.ts'
import type { ZipEntry } from './zip.ts'

/** The content of a kit. */
export interface KitContent {
  id: string
  environment: Environment
  redactedEvent: ThreatEvent
  /** Includes the owner's personal data. Only used to find abuse contacts; no personal data gets into the kit. */
  fullEvent: ThreatEvent
  /** The indicators in `redactedEvent`. */
  indicators: Indicators
  /** The indicators as files. */
  files: readonly OutgoingFile[]
  /** When the indicators last changed. */
  since: Date
  /** The screenshot, or a sentence that says why there is none. */
  screenshot: PageFile | string
}

/** A file of a kit, as listed in the manifest. */
export interface KitEntry extends ZipEntry {
  what: string
  /** The date of the content, if known. */
  time: string | undefined
}

/** What is missing from the kit, and why. */
export interface MissingPart {
  what: string
  why: string
}
