import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }

export const VERSION = manifest.version

/** Which Signalman this is, for the log and a bug report: its version, and the SHA-256 of its one file, or `sources`. */
export function readBuild(): { version: string; sha256: string; node: string } {
  const { filename } = import.meta
  const isBundle = filename.endsWith('.mjs')
  const sha256 = isBundle ? createHash('sha256').update(readFileSync(filename)).digest('hex') : 'sources'
  return { version: VERSION, sha256, node: process.versions.node }
}
