import { yieldWhenDue } from '@signalman/runtime'

export interface ZipEntry {
  name: string
  body: Buffer
}

/** Only our own names, none from an event, and no path that leaves the folder. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9-]*(?:\.[a-z]+){1,2}$/
const PIECE = 128 * 1024
/** The years that the format can express. */
const FIRST = 1980
const LAST = 2099

/** The entries as one zip file, all dated `at`. The same entries make the same bytes. Yields to other requests. */
export async function buildZip(entries: readonly ZipEntry[], at: Date): Promise<Buffer> {
  const { Zip, ZipDeflate } = await import('fflate')
  const pieces: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    pieces.push(piece)
  })
  const mtime = toNoon(at)
  for (const { name, body } of entries) {
    if (!NAME.test(name)) throw new Error(`“${name}” isn’t a valid name for a ZIP entry.`)
    const entry = new ZipDeflate(name, { level: 6 })
    entry.mtime = mtime
    zip.add(entry)
    for (let start = 0; start < body.length || start === 0; start += PIECE) {
      await yieldWhenDue()
      entry.push(body.subarray(start, start + PIECE), start + PIECE >= body.length)
    }
  }
  zip.end()
  return Buffer.concat(pieces)
}

/** Zip files use local time. Local noon of the UTC day always exists, whatever the time zone. */
function toNoon(at: Date): Date {
  const year = Math.min(Math.max(at.getUTCFullYear(), FIRST), LAST)
  return new Date(year, at.getUTCMonth(), at.getUTCDate(), 12)
}
