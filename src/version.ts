import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }

export const VERSION = manifest.version

/** The version, and the SHA-256 of the bundled program (`sources` if it runs from source), for the log and bug reports. */
export function readBuild(): { version: string; sha256: string; node: string } {
  const { filename } = import.meta
  const isBundle = filename.endsWith('.mjs')
  const sha256 = isBundle ? createHash('sha256').update(readFileSync(filename)).digest('hex') : 'sources'
  return { version: VERSION, sha256, node: process.versions.node }
}
