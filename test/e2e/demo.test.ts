import { findAxeViolations, type Page } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { startLateDemo } from '../demo/demo-world.ts'
import { eitherOf } from '../long.ts'
import { hasBrowser, startBrowsing } from './browsing.ts'

const MINUTES = { timeout: 300_000 }

/** What a person does in each step of the story on the page. */
const STEPS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async break(page) {
    await press(page, 'Stop a server')
    const status = await page.getByText(/The server of “.+” has stopped/).innerText()
    const [, stopped = ''] = /“(.+)”/.exec(status) ?? []
    const outage = page.getByRole('article').filter({ hasText: `${stopped} is down` })
    // The app has updated the message. An update during a press can move the button.
    await outage.getByText('Pages @on-call').waitFor()
    await outage.getByRole('button', { name: 'I’m on it' }).click()
    await page.getByText('You’re on it').last().waitFor()
    await outage.getByText('is on it since').waitFor()
  },
  async ask(page) {
    await press(page, 'Type /hc list down')
    await send(page)
    await page
      .getByRole('cell', { name: 'Outlet vouchers' })
      .or(page.getByText('Outlet vouchers'))
      .last()
      .waitFor()
  },
  async recover(page) {
    await press(page, 'Stop a server')
    await page.getByText(/The server of “.+” has stopped/).waitFor()
    await press(page, /again$/)
    await page.getByText('Started again: ').waitFor()
    await page.getByText('up again').last().waitFor()
  },
  async order(page) {
    await press(page, 'Let a colleague order')
    await page.getByText('Admin requested a certificate').waitFor()
    await page.getByRole('button', { name: 'Review and approve' }).last().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('shop.example.com').first().waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.getByText('was received').first().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
  },
  async threat(page) {
    await press(page, 'Let a colleague ask')
    await page.getByText('Admin posted in #operations').waitFor()
    await send(page)
    await page.getByText('example-shops-login[.]test').last().waitFor()
  },
}

const findPanel = (page: Page) => page.getByRole('complementary', { name: 'Start here' })
const press = (page: Page, name: string | RegExp) => findPanel(page).getByRole('button', { name }).click()

/** Sends the line that the panel has put into the message field. */
async function send(page: Page): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await expect.poll(() => composer.inputValue()).toMatch(/^\//)
  await composer.press('Enter')
}

/** Whether the text is completely inside the window. */
async function isVisible(page: Page, text: string, { width, height }: { width: number; height: number }) {
  const box = await page.getByText(text).last().boundingBox()
  return (
    box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
  )
}

describe.skipIf(!hasBrowser)('the story of the demo', () => {
  const browsing = startBrowsing()

  it.each(
    eitherOf([
      { width: 1280, height: 800, order: ['break', 'ask', 'recover', 'order', 'threat'] },
      { width: 390, height: 800, order: ['threat', 'recover', 'order', 'break', 'ask'] },
    ]),
  )('works ten minutes after the start, at $width × $height', MINUTES, async ({ order, ...size }) => {
    await using demo = await startLateDemo()
    const page = await browsing.open(demo.page, size)
    // The first text says what Signalman is, and that everything runs here.
    for (const text of ['Signalman is a Slack app', 'Everything here runs on this machine'])
      await expect.poll(() => isVisible(page, text, size)).toBe(true)
    expect(await findAxeViolations(page)).toEqual([])
    for (const step of order) await STEPS[step]?.(page)
    expect(await findAxeViolations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width)
  })
})
