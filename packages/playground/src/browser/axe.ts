import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** What axe finds on the page as it is now, of any weight, as sentences; none when all is well. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  // axe's own answer, cut down to what is told.
  const violations = (await page.evaluate(
    'axe.run(document).then(({ violations }) => violations)',
  )) as Finding[]
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${impact}): ${html}\n${failureSummary}`),
  )
}
