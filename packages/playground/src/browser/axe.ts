import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** In dark mode, only the color checks run, because nothing but colors differs from light mode. */
const THEMES = [
  { colorScheme: 'light', options: {} },
  { colorScheme: 'dark', options: { runOnly: ['color-contrast', 'link-in-text-block'] } },
] as const

/** Only what the message of a violation needs. Finding selectors for the elements of every result takes a quarter of the time. */
const OUTPUT = { resultTypes: ['violations'], selectors: false }

/** Runs axe on the current page in light and dark mode. Returns all violations as text. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  const messages: string[] = []
  // The page still has it from an earlier check, unless it was loaded again.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  for (const { colorScheme, options } of THEMES) {
    await page.emulateMedia({ colorScheme })
    // Safe cast: axe returns these fields and more.
    const violations = (await page.evaluate(
      `axe.run(document, ${JSON.stringify({ ...OUTPUT, ...options })}).then(({ violations }) => violations)`,
    )) as Violation[]
    for (const { id, impact, nodes } of violations)
      for (const { html, failureSummary } of nodes)
        messages.push(`${id} (${impact}, ${colorScheme}): ${html}\n${failureSummary}`)
  }
  return messages
}
