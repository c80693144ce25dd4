import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './store/databases.ts'

/** The app's own manifest, for a playground to read. */
export const MANIFEST = join(import.meta.dirname, '../manifest.yml')

/** The same, of a workspace that does not let the app read its channels. */
export function manifestWithoutHistory(): { path: string } & Disposable {
  const folder = makeFolder()
  const path = join(folder.path, 'manifest.yml')
  const whole = readFileSync(MANIFEST, 'utf8')
  writeFileSync(path, whole.replaceAll(/ {6}- (?:channels|groups|im|mpim):history\n/g, ''))
  return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
