import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { buildPageOnce } from '../../src/browser/build-page.ts'
import { chromiumPath } from '../../src/browser/chromium.ts'
import { startBrowser } from '../../src/browser/open-page.ts'
import { preferredPort } from '../preferred-port.ts'

const executable = chromiumPath()

/** Suites that need a browser are skipped if none is found. */
export const hasBrowser = executable !== undefined

type Browser = Awaited<ReturnType<typeof startBrowser>>

async function start(): Promise<Browser> {
  await buildPageOnce()
  return startBrowser(executable ?? '')
}

/** The browser of this process with its pages, which all suites that run in the process use. */
let sharedBrowser: Promise<Browser> | undefined

/** The port of the first playground that the browser opened. */
let pagePort = 0

/** Starts a browser for the suite. After each test, the page must have had no error, and the next test uses it again. */
export function useBrowser(): { open: (...args: Parameters<Browser['open']>) => Promise<Page> } {
  let browser: Browser
  beforeAll(async () => {
    sharedBrowser ??= start()
    browser = await sharedBrowser
    preferredPort.current = pagePort
  })
  afterEach(async () => {
    expect(browser.errors.splice(0)).toEqual([])
    await browser.release()
  })
  afterAll(() => {
    preferredPort.current = 0
  })
  return {
    open(url, ...options) {
      pagePort ||= Number(new URL(url).port)
      preferredPort.current = pagePort
      return browser.open(url, ...options)
    },
  }
}
