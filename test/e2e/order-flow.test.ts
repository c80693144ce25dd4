import { findAxeViolations } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { makeCsr } from '../features/cert-orders/csr/make-csr.ts'
import {
  APPROVALS_CHANNEL,
  addOrder,
  listPlacedOrders,
  startOrders,
} from '../features/cert-orders/order-helpers.ts'
import { eitherOf } from '../long.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
]

describe.skipIf(!hasBrowser)('an order, in a browser', () => {
  const browsing = startBrowsing()

  // axe looks at each page in both themes.
  it.each(eitherOf(SIZES))(
    'is requested with its warnings, read in full, and sent, in one window of $width pixels',
    { timeout: 300_000 },
    async (viewport) => {
      await using world = await startOrders({ allowsOwn: true })
      const page = await browsing.open(world.playground.url, viewport)
      await typeLine(page, '/cert-order')
      const form = page.getByRole('dialog', { name: /Certificate order/ })
      await form.getByRole('button', { name: 'Request certificate' }).waitFor()
      expect(await findAxeViolations(page), 'the form').toEqual([])
      const names = ['shop.example.com', '*.shop.example.com', 'www.exmaple.com'].map((value) => ({
        type: 'dns' as const,
        value,
      }))
      const { pem } = await makeCsr({ names })
      await form.getByRole('textbox', { name: /CSR/ }).fill(pem)
      await form.getByText('differ by one letter').waitFor()
      expect(await findAxeViolations(page), 'the warnings').toEqual([])
      await form.getByRole('combobox', { name: 'Product' }).press('ArrowDown')
      await page.getByRole('option', { name: /101/ }).waitFor()
      await page.keyboard.press('Enter')
      await form.getByRole('textbox', { name: 'Duration' }).fill('1 year')
      await form.getByRole('button', { name: 'Request certificate' }).click()
      const approval = page.getByRole('dialog', { name: /Approve order 1/ })
      await approval.getByRole('button', { name: 'Approve', exact: true }).waitFor()
      expect(await findAxeViolations(page), 'the approval').toEqual([])
      await approval.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText('Sent.').waitFor()
      expect(await findAxeViolations(page), 'what was sent').toEqual([])
      await page.getByRole('button', { name: /Service’s answer/ }).click()
      await page.getByText('"status": "pending"').waitFor()
      expect(await listPlacedOrders(world)).toHaveLength(1)
    },
  )

  it.each(eitherOf(SIZES))(
    'is approved from its card, at $width pixels',
    { timeout: 300_000 },
    async (viewport) => {
      await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
      await addOrder(world, world.slack.admin)
      const page = await browsing.open(world.playground.url, viewport)
      await page.getByText('Approve order 1?').first().waitFor()
      expect(await findAxeViolations(page), 'the card').toEqual([])
      await page.getByRole('button', { name: /Review and approve/ }).click()
      const approval = page.getByRole('dialog', { name: /Approve order 1/ })
      await approval.getByText('Key fingerprint').waitFor()
      await approval.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText('Sent.').waitFor()
      await page.getByRole('button', { name: 'Close', exact: true }).last().click()
      await page.getByText('Order 1 was received').first().waitFor()
      expect(await findAxeViolations(page), 'the card of a received order').toEqual([])
      expect(await listPlacedOrders(world)).toHaveLength(1)
    },
  )
})
