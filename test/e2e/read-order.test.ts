import { describe, expect, it } from 'vitest'
import {
  joinExtensionParts,
  LARGEST,
  LARGEST_VALUES,
  requestLargestOrder,
} from '../features/cert-orders/largest-order.ts'
import { startOrders } from '../features/cert-orders/order-helpers.ts'
import { eitherOf } from '../long.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

/**
 * Browser code that finds the elements of a modal in which text is cut off on the right or at the bottom. Skips emoji (`.art`), which
 * are drawn wider than their box.
 */
const CLIPPED = `[...document.querySelectorAll('[role=dialog] *:not(.art), dialog *:not(.art)')].flatMap((element) => {
  const { overflowX, overflowY } = getComputedStyle(element)
  const isHidden = (overflow) => overflow === 'hidden' || overflow === 'clip'
  const isWide = element.scrollWidth > element.clientWidth + 1 && isHidden(overflowX)
  const isTall = element.scrollHeight > element.clientHeight + 1 && isHidden(overflowY)
  return element.clientWidth > 1 && (isWide || isTall) ? [element.tagName + ' ' + element.className + ' ' + element.textContent.slice(0, 60)] : []
})`

describe.skipIf(!hasBrowser)('the modal for approving an order, in a browser', () => {
  const browsing = startBrowsing()

  it.each(
    eitherOf([
      { width: 1280, height: 720 },
      { width: 390, height: 844 },
    ]),
  )(
    'shows every value of the largest order above the Approve button at a width of $width pixels',
    {
      timeout: 300_000,
    },
    async (viewport) => {
      await using world = await startOrders()
      await requestLargestOrder(world.slack.admin, 'operations')
      const page = await browsing.open(world.playground.url, viewport)
      await typeLine(page, '/cert-order approve 1')
      const dialog = page.getByRole('dialog', { name: /Approve order 1/ })
      await dialog.getByText('If you approve, it’s sent once, exactly as shown.').waitFor()
      expect(await page.evaluate(CLIPPED)).toEqual([])
      expect(await dialog.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(1)
      const text = await dialog.innerText()
      for (const value of LARGEST_VALUES) expect(text).toContain(value)
      expect(joinExtensionParts(text)).toContain(LARGEST.extensionValue.toString('hex'))
    },
  )
})
