import { choose } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { startWorld } from '../world.ts'
import { hasBrowser, startBrowsing, type } from './browsing.ts'

describe.skipIf(!hasBrowser)('health checks by hand', () => {
  const { open } = startBrowsing()

  it('imports a file, exports it, deletes a check and brings it back', async () => {
    await using world = await startWorld()
    const page = await open(world.playground.url)
    const dialog = page.getByRole('dialog')
    const log = page.getByRole('log')

    await type(page, '/hc import')
    const rows = ['web,HTTPS,www.example.com,443,60,1', 'mail,TCP,mx.example.com,99999,60,1']
    const content = ['name,protocol,target,port,frequency,customer_id', ...rows].join('\n')
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'checks.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
    await dialog.getByText('checks.csv').waitFor()
    await dialog.getByRole('button', { name: 'Check the file' }).click()
    await dialog.getByText('Line 3, port: Give a whole number from 1 to 65535.').waitFor()
    await dialog.getByRole('button', { name: 'Create 1' }).click()
    await dialog.getByText('Started.').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.waitFor({ state: 'detached' })

    const sidebar = page.getByRole('navigation')
    const direct = sidebar.getByRole('button', { name: /Signalman/ }).last()
    const general = sidebar.getByRole('button', { name: /general/ })
    await direct.click()
    await log.getByText('Imported checks.csv.').first().waitFor()
    await general.click()

    await type(page, '/hc export')
    await direct.click()
    await log.getByText('Exported 1 health check into the file below.').first().waitFor()
    await general.click()

    await type(page, '/hc delete web')
    await dialog.getByRole('textbox').fill('web')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Deleted “web”').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.waitFor({ state: 'detached' })
    await log.getByRole('button', { name: 'Undo' }).last().click()
    await log.getByText('“web” is back').waitFor()
    expect(await world.service.total()).toBe(1)
  })

  it('pages, filters and opens from a table', async () => {
    await using world = await startWorld({
      checks: Array.from({ length: 18 }, (_, index) => ({
        name: `check-${String(index).padStart(2, '0')}`,
        status: index === 17 ? 'UNHEALTHY' : 'HEALTHY',
      })),
    })
    const page = await open(world.playground.url)
    const log = page.getByRole('log')
    await type(page, '/hc list')
    await log.getByText('page 1 of 2').waitFor()
    expect(await log.getByRole('row').nth(1).innerText()).toContain('check-17')
    await log.getByRole('button', { name: 'Next' }).click()
    await log.getByText('page 2 of 2').waitFor()
    await log.getByRole('button', { name: 'Previous' }).click()
    await log.getByText('page 1 of 2').waitFor()
    await choose(log, 'Open a check…', 'check-17')
    await log.getByRole('button', { name: 'Mails…', exact: true }).waitFor()
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT })
  })

  it('shows what an edit of recipients will change while it is typed', async () => {
    await using world = await startWorld({ checks: [{ name: 'web', alerts: [['ann@example.com']] }] })
    const page = await open(world.playground.url)
    await type(page, '/hc alerts web')
    await page
      .getByRole('log')
      .getByRole('button', { name: /Edit recipients/ })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No change: 1 recipient.').waitFor()
    const field = dialog.getByRole('textbox').first()
    await field.fill('')
    await field.pressSequentially('bo@example.com, cy@example.com')
    await dialog.getByText('+2 −1: 2 recipients then.').waitFor()
    expect(await field.inputValue()).toBe('bo@example.com, cy@example.com')
  })
})
