import type { Capture } from '../../../api/screenshots.ts'
import type { ThreatEvent } from '../../../api/threat-event.ts'
import { clip, oneLine } from '../../../blocks/text.ts'
import type { Environment } from '../../../domain/environment.ts'
import { leftOutNote } from '../indicators/export.ts'
import type { Indicators } from '../indicators/indicators.ts'
import { createdOf } from '../indicators/stix.ts'
import type { OutgoingFile } from '../send-files.ts'
import { hostsOf, registrarOf } from './addressees.ts'
import { timeOf } from './facts.ts'
import { letterTo } from './letters.ts'
import { type Entry, type Missing, manifestOf } from './manifest.ts'
import { zipOf } from './zip.ts'

/** What a kit is made of. */
export interface KitContent {
  id: string
  environment: Environment
  seen: ThreatEvent
  /** With the owner of the domain: only looked at for whom to write to, and what of it is the owner's. */
  whole: ThreatEvent
  /** Of `seen`. */
  indicators: Indicators
  /** The indicators as files. */
  files: readonly OutgoingFile[]
  /** Since when the indicators are what they are. */
  since: Date
  /** The picture, or the sentence on why there is none. */
  screenshot: Capture | string
}

/** The zip, how many letters are in it, and why others and the picture are not. */
export interface Kit {
  file: OutgoingFile
  letters: number
  missing: readonly string[]
}

/** Letters, indicators, screenshot and a manifest as one zip. The same content makes the same bytes. */
export async function kitOf(content: KitContent): Promise<Kit> {
  const { id, seen, files, since, screenshot } = content
  const picture = pictureEntry(screenshot)
  const { letters, missing } = lettersOf(content, picture?.name)
  if (typeof screenshot === 'string') missing.push({ what: 'screenshot', why: sentence(screenshot) })
  const said = missing.map(({ why }) => why)
  const leftOut = leftOutNote(content.indicators).trim()
  if (leftOut) missing.push({ what: 'indicators', why: leftOut })
  const indicators = files.map(
    ({ name, title, body }): Entry => ({ name, body, what: title, time: since.toISOString() }),
  )
  const entries = [...letters, ...indicators, ...(picture ? [picture] : [])]
  const zip = await zipOf(
    [...entries, { name: 'manifest.json', body: manifestOf(content, entries, missing) }],
    new Date(createdOf(seen)),
  )
  return {
    file: {
      name: `threat-${id}-takedown.zip`,
      title: `Takedown kit of threat event ${id}`,
      body: zip,
    },
    letters: letters.length,
    missing: said,
  }
}

function lettersOf(
  content: KitContent,
  screenshot: string | undefined,
): { letters: Entry[]; missing: Missing[] } {
  const { id, environment, seen, indicators } = content
  const registrar = registrarOf(content, indicators)
  const { hosts, left } = hostsOf(content, indicators)
  const letters = [...(registrar ? [registrar] : []), ...hosts].map((to): Entry => {
    const system = to.system ? `-AS${to.system}` : ''
    return {
      name: `letter-${to.role}${system}.txt`,
      body: Buffer.from(letterTo(to, { id, environment, event: seen, screenshot })),
      what: `Letter to the ${to.role}, abuse contact ${to.contact ?? 'not known'}`,
      time: timeOf(seen.date),
    }
  })
  const missing: Missing[] = []
  if (!registrar)
    missing.push({
      what: 'letter to the registrar',
      why: 'No letter to a registrar: the event names no domain.',
    })
  if (hosts.length === 0)
    missing.push({
      what: 'letter to the host',
      why: 'No letter to a host: the event names nothing that it is about.',
    })
  if (left > 0)
    missing.push({
      what: 'letters to hosts',
      why: `No letters to ${left} more hosts: the first ${hosts.length} have one.`,
    })
  return { letters, missing }
}

function pictureEntry(screenshot: Capture | string): Entry | undefined {
  if (typeof screenshot === 'string') return undefined
  const { bytes, type } = screenshot
  // The event does not say when it was taken.
  return {
    name: `screenshot.${type}`,
    body: bytes,
    what: 'Screenshot of the page, taken by the service',
    time: undefined,
  }
}

const MAX_SENTENCE = 500
const sentence = (text: string): string => clip(oneLine(text), MAX_SENTENCE)
