import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAxeViolations } from '../../src/browser/axe.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, startWorld, type World } from '../app.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

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

describe.skipIf(!hasBrowser)('the page', () => {
  const browser = useBrowser()

  const openTable = async (world: World, rows: number, viewport: { width: number; height: number }) => {
    await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks: [table(rows)] })
    const page = await browser.open(world.playground.url, { viewport })
    const tableGroup = page.getByRole('group', { name: 'Table' })
    await tableGroup.waitFor()
    return { page, tableGroup }
  }
  const scrollToEnd = async (page: Page, tableGroup: Locator) => {
    await tableGroup.focus()
    for (let pressed = 0; pressed < 40; pressed += 1) await page.keyboard.press('ArrowRight')
    await page.keyboard.press('End')
    await page.locator('.table-frame:not(.more-right, .more-below)').waitFor()
  }

  it('names the columns that don’t fit, and can scroll to them', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const { page, tableGroup } = await openTable(world, 15, { width: 1280, height: 720 })
    await page.getByText('15 rows. Scroll to see more rows, and Watched by.').waitFor()
    expect(await page.locator('.table-frame').getAttribute('class')).toContain('more-right')
    expect(await findAxeViolations(page)).toEqual([])
    await scrollToEnd(page, tableGroup)
    expect(await tableGroup.getByText('check-15', { exact: true }).isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280)
  })

  it('shows all columns of a row below each other on a phone, so that nobody scrolls sideways', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const { page, tableGroup } = await openTable(world, 15, { width: 390, height: 844 })
    await page.getByText('15 rows. Scroll to see more rows.').waitFor()
    const [first] = await tableGroup.getByRole('listitem').all()
    const text = await first?.innerText()
    expect(text?.split('\n')).toEqual([
      'check-1',
      'up',
      'Target',
      'https://www.example.com/a/long/path/of/check/number/1',
      'Since',
      '2026-11-22 15:00',
      'Watched by',
      'on-call, operations, and the people who run the shop',
    ])
    expect(await tableGroup.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    expect(await findAxeViolations(page)).toEqual([])
    await scrollToEnd(page, tableGroup)
    expect(await tableGroup.getByText('check-15', { exact: true }).isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  it('names only the first of many columns that don’t fit', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const rows = ['A column with a long name', 'cell'].map((text) =>
      Array.from({ length: 20 }, (_, index) => ({ type: 'raw_text', text: `${text} ${index + 1}` })),
    )
    await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks: [{ type: 'table', rows }] })
    const page = await browser.open(world.playground.url, { viewport: { width: 1280, height: 720 } })
    const note = await page.locator('.table-more').textContent()
    expect(note).toMatch(
      /^1 row\. Scroll to see A column with a long name \d+, A column with a long name \d+, A column with a long name \d+, and \d+ more columns\.$/,
    )
  })

  it('wraps the cells of a table with two columns on a phone', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const rows = [
      ['Name', 'Since'],
      ['a'.repeat(200), '2026-11-22 15:00'],
    ].map((cells) => cells.map((text) => ({ type: 'raw_text', text })))
    await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks: [{ type: 'table', rows }] })
    const page = await browser.open(world.playground.url, { viewport: { width: 390, height: 844 } })
    await page.getByRole('cell', { name: '2026-11-22 15:00' }).waitFor()
    expect(await page.locator('.table-more, .more-right').count()).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  it('leaves out the empty cells of a row on a phone, and can sort', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const rows = [
      ['Name', 'Status', 'On it', 'Down for'],
      ['web-2', 'up', '–', '-'],
      ['web-1', 'down', 'Ann', '4 min'],
    ].map((cells) => cells.map((text) => ({ type: 'raw_text', text })))
    const blocks = [{ type: 'data_table', caption: 'Checks', row_header_column_index: 0, rows }]
    await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks })
    const page = await browser.open(world.playground.url, { viewport: { width: 390, height: 844 } })
    const items = page.getByRole('group', { name: 'Checks' }).getByRole('listitem')
    await items.first().waitFor()
    const readItems = async () => (await items.allInnerTexts()).map((text) => text.split('\n').join(' '))
    expect(await readItems()).toEqual(['web-2 Status up', 'web-1 Status down On it Ann Down for 4 min'])
    await page.getByRole('button', { name: 'Name' }).click()
    await expect.poll(async () => (await readItems())[0]).toContain('web-1')
    expect(await findAxeViolations(page)).toEqual([])
  })

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
