import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** What axe calls serious or critical on the page as it is now, as sentences; none when all is well. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  // axe's own answer, cut down to what is told.
  const violations = (await page.evaluate(
    'axe.run(document).then(({ violations }) => violations)',
  )) as Finding[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}
