import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { build } from 'vite'

const WEB = join(import.meta.dirname, '../web')
const PAUSE_MS = 100
/** Together, the pauses are longer than building the page takes, even on a busy machine. */
const MAX_PAUSES = 1800

/** Builds the page into the folder from which the playground serves it. */
export async function buildPage(): Promise<void> {
  await build({ root: WEB, logLevel: 'warn' })
}

/**
 * Builds the page that the playground serves, once for all processes of a test run: the first one builds it, and the others wait. They
 * share the folder PLAYGROUND_PAGE_BUILD. If that isn't set, builds the page each time.
 */
export async function buildPageOnce(): Promise<void> {
  const shared = process.env.PLAYGROUND_PAGE_BUILD
  if (shared === undefined) return buildPage()
  const started = join(shared, 'started')
  const ended = join(shared, 'ended')
  const isFirst = await mkdir(started).then(
    () => true,
    () => false,
  )
  // Written even if the build fails, so that the others stop waiting.
  if (isFirst) await buildPage().finally(() => writeFile(ended, ''))
  for (let pauses = 0; !existsSync(ended); pauses += 1) {
    if (pauses === MAX_PAUSES) throw new Error('The first suite didn’t build the page in time.')
    await pause(PAUSE_MS)
  }
}
