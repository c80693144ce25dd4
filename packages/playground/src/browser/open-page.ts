import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { buildSharedPage } from './build-page.ts'
import { openBrowser } from './chromium.ts'

export { buildPage } from './build-page.ts'

const CONTENT_TYPES: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
}

/** The timeout for each browser action. It's long because browsers are slow on a busy machine. */
const ACTION_TIMEOUT_MS = 60_000

/**
 * Starts a browser for tests of the page. `open(origin)` opens the page of the playground at that origin, and `errors` collects the page's
 * errors. The browser loads a separate build of the page, because other test suites may rebuild the one that the playground serves. The
 * build is in the folder PLAYGROUND_PAGES, which all processes of a test run share, or if that isn't set, in a temporary folder.
 */
export async function startBrowser(executable: string) {
  const shared = process.env.PLAYGROUND_PAGES
  const folder = shared ?? (await mkdtemp(join(tmpdir(), 'page-')))
  const pageFolder = await buildSharedPage(folder)
  const browser: Browser = await openBrowser(executable)
  const errors: string[] = []

  async function serve(page: Page, origin: string): Promise<void> {
    await page.route(
      (url) => url.origin === origin && !url.pathname.startsWith('/_playground/'),
      async (route) => {
        const path = new URL(route.request().url()).pathname
        const name = path === '/' || path.startsWith('/archives/') ? '/index.html' : path
        const body = await readFile(join(pageFolder, name))
        await route.fulfill({
          body,
          contentType: CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
        })
      },
    )
  }

  return {
    errors,
    async open(origin: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })
      page.setDefaultTimeout(ACTION_TIMEOUT_MS)
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
