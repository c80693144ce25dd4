import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildPage, chromiumPath, openBrowser, type Page } from '@signalman/playground/browser'
import { afterAll, beforeAll } from 'vitest'

const executable = chromiumPath()

/** Where no browser is found, the suites that need one are skipped. */
export const hasBrowser = executable !== undefined

/** One browser for the suite that calls this; each test opens pages of its own in it. */
export function startBrowsing(): { open(url: string): Promise<Page> } {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    await buildServedPage()
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

/** What the playground serves lies in one place: the first suite of a run builds it, and the others wait until it is whole. */
async function buildServedPage(): Promise<void> {
  const shared = process.env.PLAYGROUND_PAGES
  if (shared === undefined) return buildPage()
  const served = join(shared, 'served')
  const isWhole = join(served, 'whole')
  const isFirst = await mkdir(served).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    await buildPage()
    await writeFile(isWhole, '')
  }
  while (!existsSync(isWhole)) await pause(100)
}
