import { buildPage, chromiumPath, openBrowser, type Page } from '@signalman/playground/browser'
import { afterAll, beforeAll } from 'vitest'

const executable = chromiumPath()

/** Where no browser is found, the suites that need one are skipped. */
export const hasBrowser = executable !== undefined

/** One browser for the suite that calls this; each test opens pages of its own in it. */
export function startBrowsing(): { open(url: string): Promise<Page> } {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    await buildPage()
    browser = await openBrowser(executable ?? '')
  })
  afterAll(() => browser.close())
  return {
    async open(url) {
      const page = await browser.newPage()
      page.setDefaultTimeout(8000)
      await page.goto(url)
      return page
    },
  }
}

/** Types a line into the field at the foot of the conversation, and sends it. */
export async function type(page: Page, line: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill(line)
  await composer.press('Enter')
}
