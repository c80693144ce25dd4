import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { sharedPage } from './build-page.ts'
import { openBrowser } from './chromium.ts'

export { buildPage } from './build-page.ts'

const TYPES: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
}

/** As long as a browser may need to show something on a busy machine. */
const PATIENCE_MS = 60_000

/**
 * A browser with a page that isn't rebuilt in the meantime, as other suites do with the served one. It is in a folder of its own,
 * or in the one that PLAYGROUND_PAGES names, which every process of a test run shares. `open` shows it on a playground; every
 * error of the page is added to `errors`.
 */
export async function startBrowser(executable: string) {
  const shared = process.env.PLAYGROUND_PAGES
  const folder = shared ?? (await mkdtemp(join(tmpdir(), 'page-')))
  const built = await sharedPage(folder)
  const browser: Browser = await openBrowser(executable)
  const errors: string[] = []

  async function serve(page: Page, origin: string): Promise<void> {
    await page.route(
      (url) => url.origin === origin && !url.pathname.startsWith('/_playground/'),
      async (route) => {
        const path = new URL(route.request().url()).pathname
        const name = path === '/' || path.startsWith('/archives/') ? '/index.html' : path
        const body = await readFile(join(built, name))
        await route.fulfill({
          body,
          contentType: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
        })
      },
    )
  }

  return {
    errors,
    async open(origin: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })
      page.setDefaultTimeout(PATIENCE_MS)
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== origin) errors.push(`loaded ${request.url()}`)
      })
      await serve(page, origin)
      await page.goto(origin)
      return page
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      if (!shared) await rm(folder, { recursive: true, force: true })
    },
  }
}
