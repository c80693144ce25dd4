import { join } from 'node:path'
import { build } from 'vite'

const WEB = join(import.meta.dirname, '../web')

/** Builds the page, into the folder that the playground serves when no other is given. */
export async function buildPage(outDir?: string): Promise<void> {
  await build({ root: WEB, logLevel: 'warn', ...(outDir && { build: { outDir, emptyOutDir: true } }) })
}
