import type { Locator } from 'playwright-core'

/** Chooses the first option of the select with this label whose text matches. */
export async function choose(scope: Locator, name: string | RegExp, option: RegExp): Promise<void> {
  const field = scope.getByRole('combobox', { name })
  const labels = await field.getByRole('option').allInnerTexts()
  await field.selectOption({ label: labels.find((label) => option.test(label)) ?? '' })
}
