import type { Goal } from './benchmark.ts'

/** The content of results.json: the goals of each benchmark, and what was reached. */
export type Results = Readonly<Record<string, readonly Goal[]>>

/** Formats docs/performance.md. */
export const formatPage = (results: Results): string =>
  `${[
    '<!-- Written by npm run bench. -->',
    '# Performance',
    `Measured with Node ${process.versions.node} on a machine with two cores, which also ran the load and the stand-ins for Slack and the service. Most numbers are ratios (÷) to another program in the same run.`,
    formatGoals(Object.values(results).flat()),
  ].join('\n\n')}\n`

/** Formats goals for the page or the terminal: those that are met, then the others, each with its reason. */
export function formatGoals(goals: readonly Goal[]): string {
  const { met = [], missed = [] } = Object.groupBy(goals, ({ reached, atMost }) =>
    reached <= atMost ? 'met' : 'missed',
  )
  const byReason = Map.groupBy(missed, ({ reason = 'The reason isn’t known.' }) => reason)
  const reasons = [...byReason].map(
    ([reason, alike]) => `- ${alike.map(({ goal }) => `**${goal}**`).join(', ')}: ${reason}`,
  )
  return [
    ...(met.length > 0 ? ['## Goals that are met', formatTable(met)] : []),
    ...(missed.length > 0 ? ['## Goals that aren’t met', formatTable(missed), reasons.join('\n')] : []),
  ].join('\n\n')
}

const formatTable = (goals: readonly Goal[]): string =>
  ['| | measured | goal |', '| --- | --: | --: |', ...goals.map(formatRow)].join('\n')

function formatRow({ goal, atMost, reached, sides, unit = '' }: Goal): string {
  const divided = sides && ` (${formatNumber(sides.ours)} ÷ ${formatNumber(sides.theirs)} ${sides.unit})`
  const measured = `${formatNumber(reached)} ${unit}`.trimEnd() + (divided ?? '')
  return `| ${goal} | ${measured} | ≤ ${`${atMost} ${unit}`.trimEnd()} |`
}

const formatNumber = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
