import { choose, findAxeViolations } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { makeCsr } from '../features/cert-orders/csr/make-csr.ts'
import {
  APPROVALS_CHANNEL,
  addOrder,
  listPlacedOrders,
  ORDERS_PATH,
  startOrders,
} from '../features/cert-orders/order-helpers.ts'
import { eitherOf } from '../long.ts'
import { hasBrowser, SIZES, startBrowsing, typeLine } from './browsing.ts'

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
/** Too long for one line at any width. */
const LONG_NAME = `${`${'x'.repeat(60)}.`.repeat(3)}shop.example.com`

describe.skipIf(!hasBrowser)('an order, in a browser', () => {
  const browsing = startBrowsing()

  // axe looks at each page in both themes.
  it.each(eitherOf(SIZES))(
    'is requested with its warnings, read in full, and sent, in one window of $width pixels',
    async (viewport) => {
      await using world = await startOrders({ allowsOwn: true })
      const page = await browsing.open(world.playground.url, viewport)
      await typeLine(page, '/cert-order')
      const form = page.getByRole('dialog', { name: /Certificate order/ })
      await form.getByRole('button', { name: 'Request certificate' }).waitFor()
      expect(await findAxeViolations(page), 'the form').toEqual([])
      const names = ['shop.example.com', '*.shop.example.com', 'www.exmaple.com', LONG_NAME]
      const { pem } = makeCsr({ names })
      await form.getByRole('textbox', { name: /CSR/ }).fill(pem)
      await form.getByText('differ by one letter').waitFor()
      expect(await findAxeViolations(page), 'the warnings').toEqual([])
      await choose(form, 'Product', /101/)
      await form.getByRole('textbox', { name: 'Duration' }).fill('1 year')
      // The product is for one name, so the form asks once.
      await form.getByRole('button', { name: 'Request certificate' }).click()
      await form.getByText('Compare the product with the names').waitFor()
      expect(await findAxeViolations(page), 'the question').toEqual([])
      await form.getByRole('button', { name: 'Request certificate' }).click()
      const approval = page.getByRole('dialog', { name: /Approve order 1/ })
      await approval.getByRole('button', { name: 'Approve', exact: true }).waitFor()
      expect(await page.evaluate(`document.querySelector('dialog .modal-body').scrollTop`)).toBe(0)
      expect(await findAxeViolations(page), 'the approval').toEqual([])
      expect(await page.evaluate(CLIPPED)).toEqual([])
      expect(await approval.innerText()).toContain(LONG_NAME)
      await approval.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByRole('dialog', { name: 'Received', exact: true }).waitFor()
      expect(await findAxeViolations(page), 'what was sent').toEqual([])
      await page.getByRole('button', { name: /Service’s answer/ }).click()
      await page.getByText('I sent you a DM with the full contents of order 1').waitFor()
      expect(await listPlacedOrders(world)).toHaveLength(1)
    },
  )

  it.each(eitherOf(SIZES))(
    'is withdrawn, rejected, listed, and recorded as failed, at $width pixels',
    async (viewport) => {
      await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
      await addOrder(world, world.slack.admin)
      const page = await browsing.open(world.playground.url, viewport)
      const look = async (screen: string) => expect(await findAxeViolations(page), screen).toEqual([])
      const leave = async () => {
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await page.getByText('Approve order 1?').first().waitFor()
      await look('the card')
      await page.getByRole('button', { name: /Reject/ }).click()
      await page.getByRole('textbox', { name: 'Reason' }).waitFor()
      await look('the reason of a rejection')
      await leave()
      await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })
      await page.getByRole('button', { name: /Review and approve/ }).click()
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByRole('dialog', { name: 'Outcome unknown' }).waitFor()
      await look('an unclear answer')
      await page.getByRole('button', { name: 'Close', exact: true }).last().click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page
        .getByRole('button', { name: /It failed/ })
        .first()
        .click()
      await page.getByRole('dialog').getByText('You looked at the service').waitFor()
      await look('what became of it')
      await page.getByRole('button', { name: 'It failed', exact: true }).last().click()
      await page.getByText('Order 1 failed').first().waitFor()
      await page.getByRole('button', { name: 'Close', exact: true }).last().click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await addOrder(world, world.slack.member)
      for (const [line, until] of [
        ['/cert-order list', '2 certificate orders'],
        ['/cert-order show', 'Your order 2 is waiting for approval'],
        ['/cert-order withdraw', 'Withdraw order 2?'],
      ] as const) {
        await typeLine(page, line)
        await page.getByText(until).first().waitFor()
        await look(line)
      }
      await page.getByRole('button', { name: 'Withdraw order 2' }).last().click()
      await page.getByText('Your order 2 was withdrawn').first().waitFor()
      await typeLine(page, '/cert-order settings')
      await page.getByRole('dialog').getByText('Allowed domains').first().waitFor()
      await look('the settings')
    },
  )
})
