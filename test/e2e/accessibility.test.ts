import { chromiumPath, findAxeViolations, type Page } from '@signalman/playground/browser'
import { startBrowser } from '@signalman/playground/built-page'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld } from '../world.ts'

const executable = chromiumPath()
const HOSTILE = '7e57ed00-0000-4000-8000-000000000007'

describe.skipIf(!executable)('the views of the app, checked with axe', () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>
  beforeAll(async () => {
    browser = await startBrowser(executable ?? '')
  })
  afterAll(() => browser[Symbol.asyncDispose]())

  async function sendLine(page: Page, line: string, until?: string): Promise<void> {
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill(line)
    await field.press('Enter')
    if (until !== undefined) await page.getByText(until).last().waitFor()
  }

  it('have no violations of any severity', async () => {
    await using world = await startWorld({ sandbox: { seed: true } })
    const page = await browser.open(world.playground.url)
    await sendLine(page, '/hc', 'As of')
    await sendLine(page, '/hc list', 'Page 1')
    await sendLine(page, `/threat ${HOSTILE}`, 'Details')
    await sendLine(page, '/hc watches', 'Nothing is watched')
    await sendLine(page, '/hc history', 'Days are in')
    await sendLine(page, '/hc help', '/hc list')
    expect(await findAxeViolations(page)).toEqual([])
    for (const [line, title] of [
      ['/cert-order', /order/i],
      ['/hc create', /check/i],
      ['/hc watch-edit', /watch/i],
    ] as const) {
      await sendLine(page, line)
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.locator('input, textarea, select').first().waitFor()
      expect(await findAxeViolations(page), line).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: /Home$/ }).click()
    await page.getByRole('region', { name: /Home$/ }).getByRole('button').first().waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await page.close()
  })
})
