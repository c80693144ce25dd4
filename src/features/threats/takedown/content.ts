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
  /** With the owner's personal data; it is read for abuse contacts only, and nothing personal goes into the kit. */
  fullEvent: ThreatEvent
  /** Indicators of `redactedEvent`. */
  indicators: Indicators
  /** The indicators as files. */
  files: readonly OutgoingFile[]
  /** When the indicators became what they are. */
  since: Date
  /** The picture, or the sentence that says why there is none. */
  screenshot: PageFile | string
}

/** A file of a kit, as the manifest lists it. */
export interface Entry extends ZipEntry {
  what: string
  /** The time to which the content belongs, when that is known. */
  time: string | undefined
}

/** What the kit could contain and does not, and why. */
export interface Missing {
  what: string
  why: string
}
