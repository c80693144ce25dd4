import { existsSync } from 'node:fs'
import { mkdtemp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type PluginOption } from 'vite'

const WEB = join(import.meta.dirname, '../web')

/** Builds the page into the folder that the playground serves by default. */
export async function buildPage(outDir?: string, plugins: PluginOption[] = []): Promise<void> {
  const output = outDir && { build: { outDir, emptyOutDir: true } }
  await build({ root: WEB, logLevel: 'warn', plugins, ...output })
}

/**
 * Builds the page in a folder that several processes share, unless it's already there. Builds in a temporary folder and then renames that,
 * so no process sees an incomplete page.
 */
export async function buildSharedPage(pageFolder: string): Promise<void> {
  if (existsSync(pageFolder)) return
  const buildFolder = await mkdtemp(`${pageFolder}-build-`)
  await buildPage(buildFolder)
  await rename(buildFolder, pageFolder).catch((error: unknown) => {
    // Another process built the same page first.
    if (!existsSync(pageFolder)) throw error
  })
}
