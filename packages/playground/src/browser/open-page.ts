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
const VIEWPORT = { width: 1280, height: 900 }

type PageOptions = NonNullable<Parameters<Browser['newPage']>[0]>

/** A page, and the origin that it may load from. */
interface OpenPage {
  readonly page: Page
  readonly options: PageOptions
  origin: string
}

/** Serves the built page instead of the one that the playground would serve. */
const servePage = (opened: OpenPage, folder: string): Promise<unknown> =>
  opened.page.route(
    (url) => url.origin === opened.origin && !url.pathname.startsWith('/_playground/'),
    async (route) => {
      const path = new URL(route.request().url()).pathname
      const name = path === '/' || path.startsWith('/archives/') ? '/index.html' : path
      const body = await readFile(join(folder, name))
      await route.fulfill({
        body,
        contentType: CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      })
    },
  )

/** Leaves the page, and forgets what it stored and how it was changed. */
async function emptyPage({ page, options }: OpenPage): Promise<void> {
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await page.mouse.move(0, 0)
  await page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' })
  await page.goto('about:blank')
}

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
  const used: OpenPage[] = []
  /** Pages to use again, by their options except for the size. The code of the page is compiled already, so opening it takes a third of the time. */
  const empty = new Map<string, OpenPage[]>()

  async function createPage(options: PageOptions): Promise<OpenPage> {
    const page = await browser.newPage(options)
    const opened = { page, options, origin: '' }
    page.setDefaultTimeout(ACTION_TIMEOUT_MS)
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== opened.origin) errors.push(`loaded ${request.url()}`)
    })
    await servePage(opened, pageFolder)
    return opened
  }

  return {
    errors,
    async open(url: string, { viewport = VIEWPORT, ...options }: PageOptions = {}): Promise<Page> {
      const opened = empty.get(JSON.stringify(options))?.pop() ?? (await createPage(options))
      if (viewport) await opened.page.setViewportSize(viewport)
      opened.origin = new URL(url).origin
      used.push(opened)
      await opened.page.goto(url)
      return opened.page
    },
    /** Ends the use of all pages that are open, so that the next test can use them. */
    async release(): Promise<void> {
      for (const opened of used.splice(0)) {
        if (opened.page.isClosed()) continue
        await emptyPage(opened)
        const key = JSON.stringify(opened.options)
        empty.set(key, [...(empty.get(key) ?? []), opened])
      }
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      if (!shared) await rm(folder, { recursive: true, force: true })
    },
  }
}
