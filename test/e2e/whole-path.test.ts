import { choose } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { startWorld } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

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

  it('lists checks, opens one, edits its recipients, and looks up a threat', async () => {
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
  })
})
