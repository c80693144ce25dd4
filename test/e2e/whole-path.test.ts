import { buildPage, choose, chromiumPath, openBrowser, type Page } from '@signalman/playground/browser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld } from '../world.ts'
import { EXAMPLE_CSR } from './csr.ts'

const executable = chromiumPath()
if (!executable && process.env.REQUIRE_BROWSER)
  throw new Error('No Chromium was found, and REQUIRE_BROWSER asks for one.')
if (!executable)
  process.stdout.write('No Chromium was found: the browser tests are skipped. CHROMIUM_PATH names one.\n')

describe.skipIf(!executable)('a person at the playground', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>
  beforeAll(async () => {
    await buildPage()
    browser = await openBrowser(executable ?? '')
  })
  afterAll(() => browser.close())

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    page.setDefaultTimeout(8000)
    await page.goto(url)
    return page
  }

  async function type(page: Page, line: string): Promise<void> {
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill(line)
    await composer.press('Enter')
  }

  it('dismisses an answer that only they see', async () => {
    await using world = await startWorld()
    const page = await open(world.playground.url)
    await type(page, '/hc list')
    const answer = page.getByRole('log').getByRole('article').filter({ hasText: 'No health checks here.' })
    await answer.getByRole('button', { name: 'Dismiss' }).click()
    await answer.waitFor({ state: 'detached' })
  })

  it('lists, opens a check, edits its recipients, looks a threat up, and orders a certificate', async () => {
    await using world = await startWorld({
      sandbox: { seed: true },
      checks: [
        {
          name: 'aaa first',
          status: 'UNHEALTHY',
          target: 'first.example.com',
          alerts: [['old@example.com', 'kept@example.com']],
        },
      ],
    })
    const page = await open(world.playground.url)
    const log = page.getByRole('log')

    await type(page, '/hc list')
    await choose(log, 'Open a health check', /aaa first/)
    await log.getByText('first.example.com').last().waitFor()
    await log.getByRole('button', { name: 'Alerts', exact: true }).last().click()

    await log
      .getByRole('button', { name: /Edit recipients/ })
      .last()
      .click()
    const dialog = page.getByRole('dialog')
    const recipients = dialog.getByRole('textbox').first()
    expect(await recipients.inputValue()).toContain('old@example.com')
    await recipients.fill('kept@example.com\nnew@example.com')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('+1 −1').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    // While a window is open, nothing behind it can be typed into.
    await dialog.waitFor({ state: 'detached' })
    const [check] = await world.service.checksNamed('aaa first')
    expect((await world.service.alerts(check?.uuid ?? '')).map((alert) => alert.recipients)).toEqual([
      ['kept@example.com', 'new@example.com'],
    ])

    const [event] = await world.service.threats()
    await type(page, `/threat ${event?.id}`)
    await log
      .getByText(event?.domain.replaceAll('.', '[.]') ?? '')
      .first()
      .waitFor()

    await type(page, '/cert-order')
    await dialog.getByRole('textbox', { name: 'Certificate signing request (CSR)' }).fill(EXAMPLE_CSR)
    await dialog.getByRole('textbox', { name: 'Duration' }).fill('1 year')
    await choose(dialog, 'Product', /Domain validated, one name/)
    await dialog.getByRole('button', { name: 'Send order' }).click()
    await dialog.getByText('Order 1 waits for approval.').first().waitFor()
    expect(await world.service.orders()).toHaveLength(0)
    await world.slack.admin.command('/cert-order', 'approve 1')
    await world.slack.admin.submit({}, { until: 'Order placed.' })
    expect(await world.service.orders()).toHaveLength(1)
  })
})
