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
export async function buildSharedPage(folder: string): Promise<string> {
  const page = join(folder, 'page')
  if (existsSync(page)) return page
  const buildFolder = await mkdtemp(join(folder, 'build-'))
  await buildPage(buildFolder)
  await rename(buildFolder, page).catch((error: unknown) => {
    // Another process built the same page first.
    if (!existsSync(page)) throw error
  })
  return page
}
