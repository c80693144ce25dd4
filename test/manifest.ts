import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './databases/databases.ts'

/** The app's own manifest, for a playground to read. */
export const MANIFEST = join(import.meta.dirname, '../manifest.yml')

/** The same, of a workspace that does not let the app read its channels, or (`read`) see what they are. */
export function manifestWithout(right: 'history' | 'read'): { path: string } & Disposable {
  const scopes = new RegExp(` {6}- (?:channels|groups|im|mpim):${right}\\n`, 'g')
  return changedManifest((whole) => whole.replaceAll(scopes, ''))
}

/** The app's own manifest, changed. */
export function changedManifest(change: (whole: string) => string): { path: string } & Disposable {
  const folder = makeFolder()
  const path = join(folder.path, 'manifest.yml')
  writeFileSync(path, change(readFileSync(MANIFEST, 'utf8')))
  return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
