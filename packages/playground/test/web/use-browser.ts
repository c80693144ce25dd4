import type { Page } from 'playwright-core'
import { afterEach, beforeAll, expect } from 'vitest'
import { chromiumPath } from '../../src/browser/chromium.ts'
import { startBrowser } from '../../src/browser/open-page.ts'

const executable = chromiumPath()

/** Suites that need a browser are skipped if none is found. */
export const hasBrowser = executable !== undefined

type Browser = Awaited<ReturnType<typeof startBrowser>>

/** The browser of this process, which ends with it. All suites that run in the process use it, because starting one takes a second. */
let sharedBrowser: Promise<Browser> | undefined

/** Starts a browser for the suite. After each test, the page must have had no error, and the next test uses it again. */
export function useBrowser(): { open: (...args: Parameters<Browser['open']>) => Promise<Page> } {
  let browser: Browser
  beforeAll(async () => {
    sharedBrowser ??= startBrowser(executable ?? '')
    browser = await sharedBrowser
  })
  afterEach(async () => {
    expect(browser.errors.splice(0)).toEqual([])
    await browser.release()
  })
  return { open: (...args) => browser.open(...args) }
}
