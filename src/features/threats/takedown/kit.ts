import { hash } from 'node:crypto'
import { clip, oneLine } from '@signalman/slack'
import type { PageFile } from '../../../service/screenshots.ts'
import { leftOutNote } from '../indicators/export.ts'
import type { KitContent, KitFile, MissingPart } from './content.ts'
import { formatTime, writeLetters } from './letters.ts'
import { buildZip } from './zip.ts'

/**
 * Builds the takedown kit: a ZIP file with letters, indicators, the screenshot, and a manifest. Also returns the number of letters,
 * and why parts are missing. The same content makes the same bytes.
 */
export async function buildKit(content: KitContent) {
  const { id, files, knownSince, indicatorsChangedAt, screenshot } = content
  const picture = toPictureEntry(screenshot)
  const { letters, missing } = writeLetters(content, picture?.name)
  if (typeof screenshot === 'string') missing.push({ what: 'screenshot', why: toSentence(screenshot) })
  // Leaves out the note about indicators, because their summary already has it.
  const missingReasons = missing.map(({ why }) => why)
  const leftOut = leftOutNote(content.indicators).trim()
  if (leftOut) missing.push({ what: 'indicators', why: leftOut })
  const indicators = files.map(
    ({ name, title, body }): KitFile => ({
      name,
      body,
      description: title,
      time: indicatorsChangedAt.toISOString(),
    }),
  )
  const entries = [...letters, ...indicators, ...(picture ? [picture] : [])]
  const zip = await buildZip(
    [...entries, { name: 'manifest.json', body: buildManifest(content, entries, missing) }],
    knownSince,
  )
  return {
    file: {
      name: `threat-${id}-takedown.zip`,
      title: `Takedown kit of threat event ${id}`,
      body: zip,
    },
    letters: letters.length,
    missing: missingReasons,
  }
}

function toPictureEntry(screenshot: PageFile | string): KitFile | undefined {
  if (typeof screenshot === 'string') return undefined
  const { bytes, type } = screenshot
  // The event doesn't say when the screenshot was taken.
  return {
    name: `screenshot.${type}`,
    body: bytes,
    description: 'Screenshot of the page, taken by the service',
    time: undefined,
  }
}

const MAX_SENTENCE_LENGTH = 500

const toSentence = (text: string): string => clip(oneLine(text), MAX_SENTENCE_LENGTH)

/** Builds the manifest as JSON. It has no creation time, because the same content must make the same bytes. */
function buildManifest(
  { id, environment, redactedEvent, indicatorsChangedAt }: KitContent,
  entries: readonly KitFile[],
  missing: readonly MissingPart[],
): Buffer {
  const { whois } = redactedEvent.observedData ?? {}
  const manifest = {
    about: `Takedown kit of threat event ${id}`,
    event: id,
    environment,
    marking: 'TLP:AMBER',
    owner:
      'The domain owner’s name and email address are removed from all text. The screenshot shows the page unchanged.',
    times: {
      reported: formatTime(redactedEvent.date) ?? null,
      domainRegistered: formatTime(whois?.creationDate) ?? null,
      recordUpdated: formatTime(whois?.updatedDate) ?? null,
      recordExpires: formatTime(whois?.expirationDate) ?? null,
      indicatorsSince: indicatorsChangedAt.toISOString(),
    },
    entries: entries.map(({ name, description, body, time }) => ({
      name,
      what: description,
      bytes: body.length,
      sha256: hash('sha256', body, 'hex'),
      time: time ?? null,
    })),
    missing,
  }
  return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)
}
