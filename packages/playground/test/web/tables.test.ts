import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findAxeViolations } from '../../src/browser/axe.ts'
import { chromiumPath } from '../../src/browser/chromium.ts'
import { startBrowser } from '../../src/browser/open-page.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, startWorld } from '../app.ts'

const executable = chromiumPath()
const GENERAL = 'C0GENERAL1'

/** A wide table of checks. */
const table = (rows: number): Fields => ({
  type: 'table',
  rows: [
    ['Name', 'Status', 'Target', 'Since', 'Watched by'],
    ...Array.from({ length: rows }, (_, index) => [
      `check-${index + 1}`,
      'up',
      `https://www.example.com/a/long/path/of/check/number/${index + 1}`,
      '2026-11-22 15:00',
      'on-call, operations, and the people who run the shop',
    ]),
  ].map((cells) => cells.map((text) => ({ type: 'raw_text', text }))),
})

describe.skipIf(!executable)('the page', () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>
  beforeAll(async () => {
    browser = await startBrowser(executable ?? '')
  })
  afterEach(() => expect(browser.errors).toEqual([]))
  afterAll(() => browser[Symbol.asyncDispose]())

  it.each([
    { width: 1280, height: 720, rows: 15, notice: '15 rows. Scroll to see more rows and columns.' },
    { width: 390, height: 844, rows: 4, notice: '4 rows. Scroll to see more columns.' },
  ])(
    'shows where a table at $width × $height continues, and can scroll there',
    async ({ width, height, rows, notice }) => {
      await using world = await startWorld(undefined, { rate: 'off' })
      await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks: [table(rows)] })
      const page = await browser.open(world.playground.url, { viewport: { width, height } })
      const tableGroup = page.getByRole('group', { name: 'Table' })
      await tableGroup.waitFor()
      await page.getByText(notice).waitFor()
      const frame = page.locator('.table-frame')
      expect(await frame.getAttribute('class')).toContain('more-right')
      expect(await findAxeViolations(page)).toEqual([])
      // Scrolls to the end by keyboard.
      await tableGroup.focus()
      for (let pressed = 0; pressed < 40; pressed += 1) await page.keyboard.press('ArrowRight')
      await page.keyboard.press('End')
      await page.locator('.table-frame:not(.more-right, .more-below)').waitFor()
      expect(await tableGroup.getByText(`check-${rows}`, { exact: true }).isVisible()).toBe(true)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    },
  )

  it('shows no notice below a table that fits', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const rows = [
      ['Name', 'Status'],
      ['shop', 'up'],
    ].map((cells) => cells.map((text) => ({ type: 'raw_text', text })))
    await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks: [{ type: 'table', rows }] })
    const page = await browser.open(world.playground.url)
    await page.getByRole('group', { name: 'Table' }).waitFor()
    expect(await page.locator('.table-more, .more-right, .more-below').count()).toBe(0)
  })

  it.each([
    { title: 'Threat event 0af3', labels: 'Signalman' },
    { title: 'A phishing page', labels: 'Threat event · 0af3 · Signalman' },
  ])('shows the ID of the work object “$title” only once', async ({ title, labels }) => {
    await using world = await startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })
    const attributes = {
      title: { text: title },
      display_type: 'Threat event',
      display_id: '0af3',
      product_name: 'Signalman',
    }
    const entity = {
      entity_type: 'slack#/entities/incident',
      url: 'https://example.com/0af3',
      external_ref: { id: '0af3' },
      entity_payload: { attributes },
    }
    const metadata = { event_type: 'seen', event_payload: {}, entities: [entity] }
    expect(await world.api('chat.postMessage', { channel: GENERAL, text: 'x', metadata })).toMatchObject({
      ok: true,
    })
    const page = await browser.open(world.playground.url)
    const card = page.getByRole('article', { name: 'Work object' })
    await card.waitFor()
    expect(await card.locator('p').allTextContents()).toEqual([labels, title])
    expect((await card.textContent())?.split('0af3')).toHaveLength(2)
  })
})
