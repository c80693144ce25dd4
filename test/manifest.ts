import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManifest } from '../src/bot/install/manifest.ts'
import { findDisabledFeatures, listFeatureNames } from '../src/domain/optional-features.ts'
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

/** Features that are off unless an operator turns them on. */
export const OPT_IN = listFeatureNames('with')

/** Creates the manifest that `signalman manifest` prints for a deployment with these opt-in features. */
export function createPrintedManifest(features: readonly string[] = OPT_IN, isSocketMode = false) {
  const choice = { with: new Set(features), without: new Set<string>(), isSocketMode }
  const url = 'https://signalman.example.com'
  return createManifest({ url, prefix: '', isSocketMode, disabledFeatures: findDisabledFeatures(choice) })
}

export const writeManifest = (
  features: readonly string[],
  isSocketMode = false,
): { path: string } & Disposable =>
  writeTemporaryFile('manifest.json', JSON.stringify(createPrintedManifest(features, isSocketMode)))

function writeTemporaryFile(name: string, text: string): { path: string } & Disposable {
  const folder = makeFolder()
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
