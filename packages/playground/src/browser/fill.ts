import type { Locator, Page } from 'playwright-core'

function findPage(scope: Page | Locator): Page {
  return 'goto' in scope ? scope : scope.page()
}

/** Opens the select with this label, and returns its list of options. */
export async function openList(scope: Page | Locator, name: string | RegExp): Promise<Locator> {
  const page = findPage(scope)
  const field = scope.getByRole('combobox', { name })
  await field.focus()
  // The list closes when the page scrolls, so wait until scrolling has ended.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await field.press('ArrowDown')
  return page.locator('.listbox-box')
}

/** Chooses an option of the select with this label, and closes the list. */
export async function choose(
  scope: Page | Locator,
  name: string | RegExp,
  option: string | RegExp,
): Promise<void> {
  const list = await openList(scope, name)
  const match = list.getByRole('option', { name: option })
  const isMultiSelect = (await list.locator('[aria-multiselectable="true"]').count()) > 0
  await match.click()
  if (isMultiSelect) await findPage(scope).keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
}
