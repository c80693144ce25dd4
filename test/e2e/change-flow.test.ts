import { findAxeViolations, type Page } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { eitherOf } from '../long.ts'
import { startWorld } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

const WIDTHS = [1280, 390] as const
const CHECKS = ['shop-api', 'shop-web', 'blog'].map((name) => ({
  name,
  target: `${name}.example.com`,
  alerts: [['ann@example.com', 'bob@example.com']],
}))

describe.skipIf(!hasBrowser)('a person who changes health checks in a browser', () => {
  const browsing = startBrowsing()

  /** Opens the DM of the app. On a narrow screen, the channels are behind a button. */
  async function openDm(page: Page, width: number): Promise<void> {
    if (width < 600)
      await page
        .getByRole('button', { name: /channels|menu/i })
        .first()
        .click()
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /Signalman/ })
      .last()
      .click()
  }

  // axe looks at each page in both themes.
  it.each(eitherOf(WIDTHS))(
    'edits one, changes many, and puts them back, %i pixels wide',
    { timeout: 180_000 },
    async (width) => {
      await using world = await startWorld({ checks: CHECKS })
      const page = await browsing.open(world.playground.url, { width, height: 844 })
      const dialog = page.getByRole('dialog')
      const log = page.getByRole('log')
      const look = async (what: string) => expect(await findAxeViolations(page), what).toEqual([])

      await typeLine(page, '/hc edit blog')
      await dialog.getByRole('textbox', { name: 'Target' }).waitFor()
      await look('the window')
      await dialog.getByLabel('Port').fill('8443')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('Saved.').waitFor()
      await look('the saved check')
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
      await dialog.waitFor({ state: 'detached' })

      await typeLine(page, '/hc edit shop* --frequency 30')
      await log.getByText('Nothing has changed yet.').waitFor()
      await look('the preview')
      await log.getByRole('button', { name: 'Change 2' }).click()
      await log.getByText('Started.').waitFor()
      await openDm(page, width)
      await log.getByText('Changed 2 health checks.').waitFor()
      await look('the result')
      const files = (await world.slack.member.messages('dm')).flatMap(({ files }) => files ?? [])
      const before = await (await fetch(`${world.playground.url}${files.at(-1)?.href}`)).text()

      await typeLine(page, '/hc import')
      await dialog
        .locator('input[type=file]')
        .setInputFiles({ name: 'before.csv', mimeType: 'text/csv', buffer: Buffer.from(before) })
      await dialog.getByText('before.csv').waitFor()
      await dialog.getByRole('button', { name: 'Check the file' }).click()
      await dialog
        .getByText(/every 30 s → every 60 s/)
        .first()
        .waitFor()
      await look('the preview of the undo')
      await dialog.getByRole('button', { name: 'Change 2' }).click()
      await dialog.getByText('Started.').waitFor()
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
      await log.getByText('Import before.csv').last().waitFor()
      await look('the undone change')
      const frequencies = await Promise.all(
        (await world.service.checksNamed('shop*')).map(
          async ({ uuid }) => (await world.service.check(uuid)).frequency,
        ),
      )
      expect(frequencies.map(Number)).toEqual([60, 60])
    },
  )
})
