import { describe, expect, it } from 'vitest'
import { startWorld } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

/** The example events that aren't hostile. */
const EVENTS = [1, 2, 3, 4, 5, 6].map(
  (number) => `7e57ed00-0000-4000-8000-${String(number).padStart(12, '0')}`,
)
/** Of an internationalized domain, the headline shows both spellings. */
const LONG_HEADLINES = 1

/** Browser code that counts the lines of text in the newest message, without its author and its buttons. */
const COUNT_LINES = `(() => {
  const message = [...document.querySelectorAll('article')].at(-1)
  const range = document.createRange()
  const centers = [...message.querySelectorAll('.block-header, .block-section, .block-context')].flatMap((block) => {
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    const rects = []
    while (texts.nextNode()) {
      range.selectNodeContents(texts.currentNode)
      rects.push(...range.getClientRects())
    }
    return rects.map(({ top, bottom }) => (top + bottom) / 2)
  })
  // Emoji are a bit higher than the text of their line.
  return centers.toSorted((left, right) => left - right).filter((center, index, all) => index === 0 || center - all[index - 1] > 9).length
})()`

describe.skipIf(!hasBrowser)('the card of a threat event, in a browser 390 pixels wide', () => {
  const browsing = startBrowsing()

  it('reads as a verdict in eight lines', { timeout: 120_000 }, async () => {
    await using world = await startWorld({ sandbox: { seed: true } })
    const page = await browsing.open(world.playground.url, { width: 390, height: 844 })
    const lines: number[] = []
    let headline = ''
    for (const id of EVENTS) {
      await typeLine(page, `/threat ${id}`)
      const newest = page.locator('article h2').last()
      await expect.poll(() => newest.innerText()).not.toBe(headline)
      headline = await newest.innerText()
      lines.push(Number(await page.evaluate(COUNT_LINES)))
    }
    expect(lines.filter((count) => count > 8).length, lines.join()).toBeLessThanOrEqual(LONG_HEADLINES)
    expect(Math.max(...lines), lines.join()).toBeLessThanOrEqual(9)
    expect(Math.min(...lines), lines.join()).toBeGreaterThan(4)
  })
})
