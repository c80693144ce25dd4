import { choose } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { UNTIL_FORM } from '../acts/act-kind.ts'
import { startWorld } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'
import { EXAMPLE_CSR } from './csr.ts'

if (!hasBrowser && process.env.REQUIRE_BROWSER)
  throw new Error('No Chromium was found, and REQUIRE_BROWSER asks for one.')
if (!hasBrowser)
  process.stdout.write('No Chromium was found: the browser tests are skipped. CHROMIUM_PATH names one.\n')

describe.skipIf(!hasBrowser)('a person in the playground', () => {
  const { open } = startBrowsing()

  it('dismisses an ephemeral message', async () => {
    await using world = await startWorld()
    const page = await open(world.playground.url)
    await typeLine(page, '/hc list')
    const answer = page
      .getByRole('log')
      .getByRole('article')
      .filter({ hasText: 'There are no health checks' })
    await answer.getByRole('button', { name: 'Dismiss' }).click()
    await answer.waitFor({ state: 'detached' })
  })

  it('lists checks, opens one, edits its recipients, looks up a threat, and orders a certificate', async () => {
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

    await typeLine(page, '/hc list')
    await choose(log, 'Open a check…', /aaa first/)
    await log.getByText('first.example.com').last().waitFor()
    await log.getByRole('button', { name: 'Alerts…', exact: true }).last().click()

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
    // While a modal is open, nothing behind it accepts input.
    await dialog.waitFor({ state: 'detached' })
    const [check] = await world.service.checksNamed('aaa first')
    expect((await world.service.alerts(check?.uuid ?? '')).map((alert) => alert.recipients)).toEqual([
      ['kept@example.com', 'new@example.com'],
    ])

    const [event] = await world.service.threats()
    await typeLine(page, `/threat ${event?.id}`)
    await log
      .getByText(event?.domain.replaceAll('.', '[.]') ?? '')
      .first()
      .waitFor()

    await typeLine(page, '/cert-order')
    await dialog.getByRole('textbox', { name: 'Certificate signing request (CSR)' }).fill(EXAMPLE_CSR)
    await dialog.getByRole('textbox', { name: 'Duration' }).fill('1 year')
    await choose(dialog, 'Product', /Domain validated, one name/)
    await dialog.getByRole('button', { name: 'Request certificate' }).click()
    await dialog.getByText('Your order 1 is waiting for approval').first().waitFor()
    expect(await world.service.orders()).toHaveLength(0)
    await world.slack.admin.command('/cert-order', 'approve 1', UNTIL_FORM)
    await world.slack.admin.submit({}, { until: 'was received' })
    expect(await world.service.orders()).toHaveLength(1)
  })

  it('imports a file, exports it, and deletes a check', async () => {
    await using world = await startWorld()
    const page = await open(world.playground.url)
    const dialog = page.getByRole('dialog')
    const log = page.getByRole('log')

    await typeLine(page, '/hc import')
    const rows = ['web,HTTPS,www.example.com,443,60,1', 'mail,TCP,mx.example.com,99999,60,1']
    const content = ['name,protocol,target,port,frequency,customer_id', ...rows].join('\n')
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'checks.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
    await dialog.getByText('checks.csv').waitFor()
    await dialog.getByRole('button', { name: 'Check the file' }).click()
    await dialog.getByText('mail · left out: port: Enter a whole number from 1 to 65535.').waitFor()
    await dialog.getByRole('button', { name: 'Create 1' }).click()
    await dialog.getByText('Started.').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.waitFor({ state: 'detached' })

    const sidebar = page.getByRole('navigation')
    const appMessages = sidebar.getByRole('button', { name: /Signalman/ }).last()
    const general = sidebar.getByRole('button', { name: /general/ })
    await appMessages.click()
    await log.getByText('Created 1 health check.').first().waitFor()
    await general.click()

    await typeLine(page, '/hc export')
    await appMessages.click()
    await log
      .getByText(/Exported 1 health check/)
      .first()
      .waitFor()
    await general.click()

    await typeLine(page, '/hc delete web')
    await dialog.getByRole('textbox').fill('web')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Deleted “web”').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.waitFor({ state: 'detached' })
    expect(await world.service.countChecks()).toBe(0)
  })
})
