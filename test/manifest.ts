import { readFileSync, writeFileSync } from 'node:fs'
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

/** Writes a changed copy of the app's manifest to a temporary file. */
export const writeChangedManifest = (change: (text: string) => string): { path: string } & Disposable =>
  writeTemporaryFile('manifest.yml', change(readFileSync(MANIFEST, 'utf8')))

/** Creates the manifest that `signalman manifest` prints. */
export const createPrintedManifest = (isSocketMode = false) =>
  createManifest({ url: 'https://signalman.example.com', prefix: '', isSocketMode })

export const writeManifest = (isSocketMode = false): { path: string } & Disposable =>
  writeTemporaryFile('manifest.json', JSON.stringify(createPrintedManifest(isSocketMode)))

function writeTemporaryFile(name: string, text: string): { path: string } & Disposable {
  const folder = makeFolder()
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
