import { type Findings, type Goal, isMet, type Table } from './benchmark.ts'

/** Formats findings for a terminal: tables first, then each goal and whether it is met. */
export function formatReport({ tables, goals }: Findings): string {
  return [...tables.map(formatTable), formatGoals(goals)].join('\n\n')
}

function formatTable({ title, columns, rows }: Table): string {
  const lines = rows.map(([name, ...values]) => [name, ...values.map(formatNumber)])
  return [title, ...alignColumns([['', ...columns], ...lines])].join('\n')
}

function formatGoals(goals: readonly Goal[]): string {
  const lines = goals.map((goal) => [
    isMet(goal) ? 'met' : 'NOT MET',
    goal.goal,
    formatReached(goal),
    formatBound(goal),
  ])
  const reasons = goals.flatMap(({ reason, ...goal }) =>
    reason === undefined || isMet(goal) ? [] : [`${goal.goal}: ${reason}`],
  )
  return ['Goals', ...alignColumns([['', '', 'measured', 'goal'], ...lines]), ...reasons].join('\n')
}

export const formatReached = (goal: Goal): string => `${formatNumber(goal.reached)}${formatUnit(goal)}`

export function formatBound(goal: Goal): string {
  const { bound } = goal
  return `${'atMost' in bound ? `≤ ${bound.atMost}` : `≥ ${bound.atLeast}`}${formatUnit(goal)}`
}

const formatUnit = ({ unit }: Goal): string => (unit ? ` ${unit}` : '')

const formatNumber = (value: number | undefined): string =>
  value === undefined ? '' : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)

/** Aligns words to the left and numbers to the right. The first line after the headings decides which columns have numbers. */
function alignColumns(lines: readonly (readonly string[])[]): string[] {
  const columns = lines[0]?.map((_, column) => column) ?? []
  const widths = columns.map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const isNumber = columns.map((column) => /^[\d.]*( ms)?$/.test(lines[1]?.[column] ?? ''))
  return lines.map((line) =>
    line
      .map((cell, column) =>
        isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
