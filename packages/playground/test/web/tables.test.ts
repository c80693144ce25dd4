import { describe, expect, it } from 'vitest'
import { findAxeViolations } from '../../src/browser/axe.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { startWorld } from '../app.ts'
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

  it.each([
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ])('scrolls a table that doesn’t fit, and not the window, at $width × $height', async (viewport) => {
    await using world = await startWorld(undefined, { rate: 'off' })
    await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks: [table(15)] })
    const page = await browser.open(world.playground.url, { viewport })
    const frame = page.getByRole('group', { name: 'Table' })
    await frame.waitFor()
    expect(await findAxeViolations(page)).toEqual([])
    // By keyboard, without a mouse.
    await frame.focus()
    for (const key of ['ArrowRight', 'End']) await page.keyboard.press(key)
    await expect.poll(() => frame.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0)
    expect(await frame.getByText('check-15', { exact: true }).isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
  })
})
