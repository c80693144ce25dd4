import { describe, expect, it } from 'vitest'
import { createTour } from '../../src/demo/tour.ts'
import { startWorld } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

const MINUTES = { timeout: 180_000 }

describe.skipIf(!hasBrowser)('the tour of the demo', () => {
  const browsing = startBrowsing()

  it.each([
    { width: 1280, height: 720, fitsNextToConversation: true },
    { width: 390, height: 844, fitsNextToConversation: false },
  ])(
    'opens only if it fits next to the conversation, and never covers a response, at $width × $height',
    MINUTES,
    async (size) => {
      await using world = await startWorld({
        sandbox: { seed: true },
        playground: { panels: [createTour()] },
      })
      const page = await browsing.open(world.playground.url, size)
      await page.getByRole('heading', { name: 'operations' }).first().waitFor()
      const tour = page.getByRole('complementary', { name: 'Tour' })
      expect(await tour.count()).toBe(size.fitsNextToConversation ? 1 : 0)
      await typeLine(page, '/hc')
      let answer = page.getByText(/health checks are down/).last()
      await answer.waitFor()
      /** Whether the answer is visible, and not covered by the tour. */
      const isVisible = async () => {
        const box = await answer.boundingBox()
        const tourBox = (await tour.count()) > 0 ? await tour.boundingBox() : null
        if (!box || box.x < 0 || box.x + box.width > size.width) return false
        return tourBox === null || box.x + box.width <= tourBox.x || box.y + box.height <= tourBox.y
      }
      await expect.poll(isVisible).toBe(true)
      // On a phone, the tour is closed, and the button that opens it is visible.
      if (!size.fitsNextToConversation) await page.getByRole('button', { name: 'Tour', exact: true }).click()
      await page.getByRole('button', { name: 'Type /hc history' }).click()
      await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('/hc history')
      // On a narrow page, the tour is below the message field, and the answer is above both.
      await page.getByRole('textbox', { name: 'Message' }).press('Enter')
      answer = page.getByText(/outages are unknown/).last()
      await answer.waitFor()
      expect(await tour.count()).toBe(1)
      await expect.poll(isVisible).toBe(true)
      await page.close()
    },
  )
})
