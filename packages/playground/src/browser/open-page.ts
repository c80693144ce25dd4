// This folder: the page in a real browser, for tests and pictures.

import type { Browser, Page } from 'playwright-core'
import { shareBrowser } from './chromium.ts'

/** The timeout for each browser action. It's long because browsers are slow on a busy machine. */
const ACTION_TIMEOUT_MS = 240_000
const VIEWPORT = { width: 1280, height: 900 }

type PageOptions = NonNullable<Parameters<Browser['newPage']>[0]>

/** A page, and the origin that it may load from. */
interface OpenPage {
  readonly page: Page
  readonly options: PageOptions
  origin: string
}

/** Leaves the page, and forgets what it stored and how it was changed. */
async function emptyPage({ page, options }: OpenPage): Promise<void> {
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await page.mouse.move(0, 0)
  await page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' })
  await page.goto('about:blank')
}

/**
 * Starts the browser of this process for tests of the page. `open(origin)` opens the page of the playground at that origin, and `errors`
 * collects the page's errors.
 */
export async function startBrowser(executable: string) {
  const browser: Browser = await shareBrowser(executable)
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
  }
}
