import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManifest } from '../src/bot/install/manifest.ts'
import { makeFolder } from './databases/databases.ts'

/** The path of the app's own manifest. */
export const MANIFEST = join(import.meta.dirname, '../manifest.yml')

/** Scopes that a workspace may decline: to read the messages in channels, and to read the channels' settings. */
export const CHANNEL_SCOPES = {
  history: ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  read: ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
} as const

/** Creates the manifest that `signalman manifest` prints. */
export const createPrintedManifest = (isSocketMode = false) =>
  createManifest({ url: 'https://signalman.example.com', prefix: '', isSocketMode })

export function writeManifest(isSocketMode = false): { path: string } & Disposable {
  const folder = makeFolder()
  const path = join(folder.path, 'manifest.json')
  writeFileSync(path, JSON.stringify(createPrintedManifest(isSocketMode)))
  return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
