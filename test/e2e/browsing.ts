import { buildPageOnce, chromiumPath, type Page, shareBrowser } from '@signalman/playground/browser'
import { afterEach, beforeAll } from 'vitest'

const executable = chromiumPath()
const BROWSER_TIMEOUT_MS = 240_000

/** A laptop and a phone. */
export const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
]

interface Size {
  width: number
  height: number
}

/** Suites that need a browser are skipped if none is found. */
export const hasBrowser = executable !== undefined
if (!hasBrowser && process.env.REQUIRE_BROWSER)
  throw new Error('No Chromium was found, and REQUIRE_BROWSER asks for one.')
if (!hasBrowser)
  process.stdout.write('No Chromium was found: the browser tests are skipped. CHROMIUM_PATH names one.\n')

type Browser = Awaited<ReturnType<typeof shareBrowser>>

/** Starts a browser for the suite. Each test opens its own pages, which are closed after it. If it fails, their text is printed. */
export function startBrowsing(): { open(url: string, viewport?: Size): Promise<Page> } {
  let browser: Browser
  const pages: Page[] = []
  beforeAll(async () => {
    await buildPageOnce()
    browser = await shareBrowser(executable ?? '')
  })
  afterEach(async ({ task }) => {
    const opened = pages.splice(0)
    if (task.result?.state === 'fail')
      for (const page of opened) process.stderr.write(`The page showed:\n${await page.innerText('body')}\n`)
    await Promise.all(opened.map((page) => page.context().close()))
  })
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

export async function typeLine(page: Page, line: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill(line)
  await composer.press('Enter')
}
