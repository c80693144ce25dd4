import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** Checks everything in one theme, and in the other only what depends on its colors. */
const IN_THEMES = [
  { colorScheme: 'light', options: {} },
  { colorScheme: 'dark', options: { runOnly: ['color-contrast', 'link-in-text-block'] } },
] as const

/** What axe finds on the current page, light and dark, at any severity, as sentences; none if there are no findings. */
export async function findings(page: Page): Promise<string[]> {
  const found: string[] = []
  await page.evaluate(axe.source)
  for (const { colorScheme, options } of IN_THEMES) {
    await page.emulateMedia({ colorScheme })
    // axe's own answer, reduced to what is reported.
    const violations = (await page.evaluate(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
    )) as Finding[]
    for (const { id, impact, nodes } of violations)
      for (const { html, failureSummary } of nodes)
        found.push(`${id} (${impact}, ${colorScheme}): ${html}\n${failureSummary}`)
  }
  return found
}
