import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromiumPath, type Page, shareBrowser } from '@signalman/playground/browser'
import { buildPage } from '@signalman/playground/built-page'
import { afterEach, beforeAll } from 'vitest'

const executable = chromiumPath()
/** How long a browser may take to show something on a busy machine. */
const BROWSER_TIMEOUT_MS = 60_000
const PAUSE_MS = 100
/** Together, the pauses are longer than building the page takes, even on a busy machine. */
const MAX_PAUSES = 1800

interface Size {
  width: number
  height: number
}

/** Suites that need a browser are skipped if none is found. */
export const hasBrowser = executable !== undefined

type Browser = Awaited<ReturnType<typeof shareBrowser>>

/** Starts a browser for the suite. Each test opens its own pages, which are closed after it. */
export function startBrowsing(): { open(url: string, viewport?: Size): Promise<Page> } {
  let browser: Browser
  const pages: Page[] = []
  beforeAll(async () => {
    await buildServedPage()
    browser = await shareBrowser(executable ?? '')
  })
  afterEach(async () => void (await Promise.all(pages.splice(0).map((page) => page.context().close()))))
  return {
    async open(url, viewport) {
      const page = await browser.newPage(viewport ? { viewport } : {})
      pages.push(page)
      page.setDefaultTimeout(BROWSER_TIMEOUT_MS)
      await page.goto(url)
      return page
    },
  }
}

/** Types a line into the message field and sends it. */
export async function typeLine(page: Page, line: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill(line)
  await composer.press('Enter')
}

/** Builds the playground's page. The first suite of a run builds it, and the others wait for it. */
async function buildServedPage(): Promise<void> {
  const shared = process.env.PLAYGROUND_PAGES
  if (shared === undefined) return buildPage()
  const served = join(shared, 'served')
  const doneFile = join(served, 'done')
  const isFirst = await mkdir(served).then(
    () => true,
    () => false,
  )
  // Written even if the build fails, so that the other suites stop waiting.
  if (isFirst) await buildPage().finally(() => writeFile(doneFile, ''))
  for (let pauses = 0; !existsSync(doneFile); pauses += 1) {
    if (pauses === MAX_PAUSES) throw new Error('The first suite didn’t build the page in time.')
    await pause(PAUSE_MS)
  }
}
