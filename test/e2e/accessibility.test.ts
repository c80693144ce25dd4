import { findAxeViolations } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { startWorld } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

const HOSTILE = '7e57ed00-0000-4000-8000-000000000007'

describe.skipIf(!hasBrowser)('the views of the app, checked with axe', () => {
  const browsing = startBrowsing()

  it('have no violations of any severity', async () => {
    await using world = await startWorld({ sandbox: { seed: true } })
    const page = await browsing.open(world.playground.url)
    for (const [line, until] of [
      ['/hc', 'As of'],
      ['/hc list', 'Page 1'],
      [`/threat ${HOSTILE}`, 'Details'],
      ['/hc watches', 'Nothing is watched'],
      ['/hc history', 'last 7 days'],
      ['/hc help', '/hc list'],
    ] as const) {
      await typeLine(page, line)
      await page.getByText(until).last().waitFor()
    }
    expect(await findAxeViolations(page)).toEqual([])
    for (const [line, title] of [
      ['/cert-order', /order/i],
      ['/hc create', /check/i],
      ['/hc watch-edit', /watch/i],
    ] as const) {
      await typeLine(page, line)
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.locator('input, textarea, select').first().waitFor()
      expect(await findAxeViolations(page), line).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: /Home$/ }).click()
    await page.getByRole('region', { name: /Home$/ }).getByRole('button').first().waitFor()
    expect(await findAxeViolations(page)).toEqual([])
  })
})
