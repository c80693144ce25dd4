import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { chromiumPath } from '../../src/browser/chromium.ts'
import { startBrowser } from '../../src/browser/open-page.ts'

const executable = chromiumPath()

/** Suites that need a browser are skipped if none is found. */
export const hasBrowser = executable !== undefined

type Browser = Awaited<ReturnType<typeof startBrowser>>

/** Starts one browser for the suite. After each test, the page must have had no error, and the next test uses it again. */
export function useBrowser(): { open: (...args: Parameters<Browser['open']>) => Promise<Page> } {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser(executable ?? '')
  })
  afterEach(async () => {
    expect(browser.errors).toEqual([])
    await browser.release()
  })
  afterAll(() => browser[Symbol.asyncDispose]())
  return { open: (...args) => browser.open(...args) }
}
