import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }

export const VERSION = manifest.version

/** The version, and the SHA-256 of the bundled program (`sources` if it runs from source), for the log and bug reports. */
export async function readBuild(): Promise<{ version: string; sha256: string; node: string }> {
  const { filename } = import.meta
  const sha256 = filename.endsWith('.mjs') ? await hashFile(filename) : 'sources'
  return { version: VERSION, sha256, node: process.versions.node }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
