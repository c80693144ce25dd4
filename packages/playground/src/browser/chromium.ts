import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM_PATHS = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Finds Chromium on this machine. CHROMIUM_PATH takes precedence. */
export const chromiumPath = (): string | undefined => CHROMIUM_PATHS.find((path) => path && existsSync(path))

/** Starts a headless browser without background connections. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

let sharedBrowser: Promise<Browser> | undefined

/** Returns the browser of this process, which ends with it. All suites that run in the process use it, because starting one takes a second. */
export const shareBrowser = (executablePath: string): Promise<Browser> =>
  (sharedBrowser ??= openBrowser(executablePath))
