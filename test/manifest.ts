import { join } from 'node:path'

/** The app's own manifest, for a playground to read. */
export const MANIFEST = join(import.meta.dirname, '../manifest.yml')
