import { choose, findAxeViolations, type Page } from '@signalman/playground/browser'
import { afterAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../features/cert-orders/certificate/make-certificate.ts'
import { startOrders } from '../features/cert-orders/order-helpers.ts'
import { eitherOf } from '../long.ts'
import { WORKSPACE, type World } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

const MINUTES = { timeout: 300_000 }
const DAY_MS = 86_400_000
const APPROVER = 'U0ADMIN001'
const NAMES = 'DNS:shop.example.com,DNS:www.shop.example.com'

const authority = createAuthority()
afterAll(() => authority[Symbol.dispose]())

const dialogOf = (page: Page) => page.getByRole('dialog').last()

async function closeDialog(page: Page): Promise<void> {
  await dialogOf(page).getByRole('button', { name: 'Close', exact: true }).last().click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Opens the direct messages with the app. On a phone, the list of channels is behind a button. */
async function openDirectMessages(page: Page, { width }: { width: number }): Promise<void> {
  if (width < 600) await page.getByRole('button', { name: 'Channels' }).click()
  await page
    .getByRole('navigation')
    .getByRole('button', { name: /Signalman/ })
    .last()
    .click()
}

/** Makes the recorded certificate end in nine days, so that its first reminder is due. */
async function endInNineDays({ app }: World): Promise<void> {
  const { certificates } = app.store
  const [certificate] = await certificates.listByEnd({
    ...{ workspaceId: WORKSPACE, environment: 'production', from: new Date(0), limit: 1 },
  })
  if (!certificate) throw new Error('No certificate is stored.')
  const notAfter = new Date(Date.now() + 9 * DAY_MS)
  const notBefore = new Date(notAfter.getTime() - 30 * DAY_MS).toISOString()
  await certificates.update({ ...certificate, notAfter, content: { ...certificate.content, notBefore } })
}

describe.skipIf(!hasBrowser)('a certificate in the browser', () => {
  const browsing = startBrowsing()

  it.each(
    eitherOf([
      { width: 1280, height: 800 },
      { width: 390, height: 800 },
    ]),
  )(
    'is ordered, approved, recorded, reminded of, renewed, and replaced at $width × $height',
    MINUTES,
    async (size) => {
      await using world = await startOrders()
      const member = await browsing.open(world.playground.url, size)
      const approver = await browsing.open(world.playground.url, size)
      await approver.evaluate(`sessionStorage.setItem('signalman.user', '${APPROVER}')`)
      await approver.reload()

      const seen = new Set<string>()
      /** Whether everyone can use what the page shows, without scrolling sideways. Looks at each view once. */
      async function look(page: Page, view: string): Promise<void> {
        if (seen.has(view)) return
        seen.add(view)
        expect(await findAxeViolations(page), view).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBe(size.width)
      }

      async function approve(number: number, until: string): Promise<void> {
        await typeLine(approver, `/cert-order approve ${number}`)
        await dialogOf(approver).getByText(`Approve order ${number}`).first().waitFor()
        await dialogOf(approver).getByText(until).first().waitFor()
        await look(approver, 'an approval')
        await dialogOf(approver).getByRole('button', { name: 'Approve', exact: true }).click()
        await dialogOf(approver).getByText('was received').first().waitFor()
        await look(approver, 'an approved order')
        await closeDialog(approver)
      }

      async function record(pem: string, until: string): Promise<void> {
        await typeLine(member, '/cert-order certificate')
        await dialogOf(member)
          .getByRole('textbox', { name: /^Certificate(?! ID)/ })
          .fill(pem)
        await look(member, 'the form of a certificate')
        await dialogOf(member).getByRole('button', { name: 'Record', exact: true }).click()
        await dialogOf(member).getByText(until).first().waitFor()
        await look(member, 'a recorded certificate')
        await closeDialog(member)
      }

      authority.issue('one', NAMES, { days: 60 })
      await typeLine(member, '/cert-order')
      await dialogOf(member)
        .getByRole('textbox', { name: 'Certificate signing request (CSR)' })
        .fill(authority.text('one.csr'))
      await dialogOf(member).getByRole('textbox', { name: 'Duration' }).fill('90 days')
      await choose(dialogOf(member), 'Product', /^Domain validated, one name/)
      await look(member, 'the form of an order')
      await dialogOf(member).getByRole('button', { name: 'Request certificate' }).click()
      await dialogOf(member).getByText('Your order 1 is waiting for approval').first().waitFor()
      await look(member, 'a waiting order')
      await closeDialog(member)
      await approve(1, 'shop.example.com')

      await record(authority.text('one.pem'), 'It was issued for order 1')
      await endInNineDays(world)
      await openDirectMessages(member, size)
      const log = member.getByRole('log')
      await log.getByText('The certificate for shop.example.com').last().waitFor()
      await look(member, 'a reminder')
      await log
        .getByRole('button', { name: /^Renew/ })
        .last()
        .click()
      authority.issue('two', NAMES, { days: 89 })
      await dialogOf(member).getByText('Filled in from order 1').waitFor()
      await dialogOf(member)
        .getByRole('textbox', { name: 'Certificate signing request (CSR)' })
        .fill(authority.text('two.csr'))
      await dialogOf(member).getByRole('textbox', { name: 'Certificate ID' }).fill('C-9')
      await look(member, 'the form of a renewal')
      await dialogOf(member).getByRole('button', { name: 'Request certificate' }).click()
      await dialogOf(member).getByText('Your order 2 is waiting for approval').first().waitFor()
      await closeDialog(member)
      await approve(2, 'asked by')

      await record(authority.text('two.pem'), 'It was issued for order 2')
      await typeLine(member, '/cert-order list --expiring')
      await log.getByText('replaced by a later one').last().waitFor()
      await look(member, 'the list by expiry')
      await typeLine(member, '/cert-order show 2')
      await log.getByText('Certificate for shop.example.com').last().waitFor()
      await look(member, 'an order')
    },
  )
})
