import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** In one theme everything, and in the other one what depends on its colours. */
const IN_THEMES = [
  { colorScheme: 'light', options: {} },
  { colorScheme: 'dark', options: { runOnly: ['color-contrast', 'link-in-text-block'] } },
] as const

/** What axe finds on the page as it is now, light and dark, of any weight, as sentences; none when all is well. */
export async function findings(page: Page): Promise<string[]> {
  const found: string[] = []
  await page.evaluate(axe.source)
  for (const { colorScheme, options } of IN_THEMES) {
    await page.emulateMedia({ colorScheme })
    // axe's own answer, cut down to what is told.
    const violations = (await page.evaluate(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
    )) as Finding[]
    for (const { id, impact, nodes } of violations)
      for (const { html, failureSummary } of nodes)
        found.push(`${id} (${impact}, ${colorScheme}): ${html}\n${failureSummary}`)
  }
  return found
}
