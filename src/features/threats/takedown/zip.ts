import { yieldWhenDue } from '@signalman/runtime'

export interface ZipEntry {
  name: string
  body: Buffer
}

/** Doesn't allow paths, so an entry can't be extracted outside its folder. */
const ENTRY_NAME = /^[A-Za-z0-9][A-Za-z0-9-]*(?:\.[a-z]+){1,2}$/
const CHUNK_SIZE = 128 * 1024
/** The years that the format supports. */
const MIN_YEAR = 1980
const MAX_YEAR = 2099

/** Builds a ZIP file with all entries dated `at`. The same entries make the same bytes. Yields to other requests. */
export async function buildZip(entries: readonly ZipEntry[], at: Date): Promise<Buffer> {
  const { Zip, ZipDeflate } = await import('fflate')
  const chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    chunks.push(chunk)
  })
  const mtime = toNoon(at)
  for (const { name, body } of entries) {
    if (!ENTRY_NAME.test(name)) throw new Error(`“${name}” isn’t a valid name for a ZIP entry.`)
    const entry = new ZipDeflate(name, { level: 6 })
    entry.mtime = mtime
    zip.add(entry)
    for (let start = 0; start < body.length || start === 0; start += CHUNK_SIZE) {
      await yieldWhenDue()
      entry.push(body.subarray(start, start + CHUNK_SIZE), start + CHUNK_SIZE >= body.length)
    }
  }
  zip.end()
  return Buffer.concat(chunks)
}

/** ZIP files store local time. Uses noon of the UTC day, because noon exists on every day in every time zone. */
function toNoon(at: Date): Date {
  const year = Math.min(Math.max(at.getUTCFullYear(), MIN_YEAR), MAX_YEAR)
  return new Date(year, at.getUTCMonth(), at.getUTCDate(), 12)
}
