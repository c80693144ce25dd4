import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startWorld } from '../app.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

describe.skipIf(!hasBrowser)('the page for one person', () => {
  const browser = useBrowser()

  const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
  const actingAs = (page: Page) => page.getByRole('combobox', { name: 'Acting as' })
  const workspace = (page: Page) => page.getByRole('combobox', { name: 'Workspace' })

  it('lets the user act as any kind of person in any workspace, and shows only what that person can see', async () => {
    await using world = await startWorld()
    const page = await browser.open(world.playground.url)
    await field(page).waitFor()
    const people = await actingAs(page).getByRole('option').allInnerTexts()
    expect(people).toEqual([
      'Member',
      'Admin (admin)',
      'Guest (guest)',
      'Partner (other organization)',
      'Left the company (deactivated)',
      'Deploys (app)',
    ])
    await actingAs(page).selectOption({ label: 'Partner (other organization)' })
    await page.getByRole('heading', { name: '#partner' }).first().waitFor()
    expect(await page.getByRole('button', { name: 'general' }).count()).toBe(0)
    await workspace(page).selectOption({ label: 'Workshop (Example Group, app not installed)' })
    await page.getByText('Everyone in the workshop').first().waitFor()
    expect(await actingAs(page).getByRole('option').allInnerTexts()).toEqual([
      'Workshop member',
      'Workshop admin (admin)',
    ])
    await field(page).fill('/hc list')
    await field(page).press('Enter')
    await page.getByText('/hc is not a valid command.').waitFor()
    expect(world.sent).toEqual([])
  })
})
