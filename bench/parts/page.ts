import { type Findings, isMet } from './benchmark.ts'
import { formatBound, formatReached } from './report.ts'

/** The content of results.json: what each benchmark found. */
export type Results = Readonly<Record<string, Findings>>

/** Formats docs/performance.md: each goal, what was reached, and why a goal is missed. */
export function formatPage(results: Results): string {
  const goals = Object.values(results).flatMap((result) => result.goals)
  const rows = goals.map((goal) => {
    return `| ${[goal.goal, formatReached(goal), formatBound(goal), isMet(goal) ? 'met' : 'not met'].join(' | ')} |`
  })
  const missed = goals.filter((goal) => !isMet(goal))
  return `${[
    '<!-- Written by npm run bench. -->',
    '# Performance',
    `Measured with Node ${process.versions.node} on a machine with two cores, which also ran the load and the stand-ins for Slack and the service. Most numbers are ratios (÷) to another program in the same run.`,
    ['| | measured | goal | |', '| --- | --: | --: | --- |', ...rows].join('\n'),
    ...(missed.length > 0 ? ['## Why some goals aren’t met'] : []),
    missed.map(({ goal, reason }) => `- **${goal}**: ${reason ?? 'The reason isn’t known.'}`).join('\n'),
  ].join('\n\n')}\n`
}
