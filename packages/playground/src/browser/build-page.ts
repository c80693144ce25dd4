import { existsSync } from 'node:fs'
import { mkdtemp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type PluginOption } from 'vite'

const WEB = join(import.meta.dirname, '../web')

/** Builds the page into the folder that the playground serves by default. */
export async function buildPage(outDir?: string, plugins: PluginOption[] = []): Promise<void> {
  const into = outDir && { build: { outDir, emptyOutDir: true } }
  await build({ root: WEB, logLevel: 'warn', plugins, ...into })
}

/** The page in a folder that several processes share: the first one that needs it builds it, and it appears there complete. */
export async function sharedPage(folder: string): Promise<string> {
  const page = join(folder, 'page')
  if (existsSync(page)) return page
  const draft = await mkdtemp(join(folder, 'draft-'))
  await buildPage(draft)
  await rename(draft, page).catch((error: unknown) => {
    // Another process was faster, and its page is the same.
    if (!existsSync(page)) throw error
  })
  return page
}
