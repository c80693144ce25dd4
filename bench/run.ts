import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { approval } from './measures/approval.ts'
import { helpAnswered } from './measures/help-answered.ts'
import { hundredThousand } from './measures/hundred-thousand.ts'
import { listing } from './measures/listing.ts'
import { longHistory } from './measures/long-history.ts'
import { manyChanges } from './measures/many-changes.ts'
import { pageRead } from './measures/page-read.ts'
import { polling } from './measures/polling.ts'
import { starting } from './measures/starting.ts'
import { storm } from './measures/storm.ts'
import { typedLines } from './measures/typed-lines.ts'
import type { Benchmark, Goal, RunOptions } from './parts/benchmark.ts'
import { formatGoals, formatPage, type Results } from './parts/page.ts'

/** What a user or an operator would notice. results.json has the goals and what was reached. */
const BENCHMARKS: readonly Benchmark[] = [
  ...[helpAnswered, listing, typedLines, longHistory, pageRead, hundredThousand],
  ...[polling, storm, manyChanges, approval, starting],
]
const RESULTS = join(import.meta.dirname, 'results.json')
const PAGE = join(import.meta.dirname, '../docs/performance.md')

/**
 * Runs all benchmarks, or the named ones, and prints the results: `npm run bench -- [--quick] [name …]`. Without `--quick`, the
 * results replace the earlier ones in results.json and docs/performance.md.
 */
async function main(): Promise<void> {
  const { values, positionals: names } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const unknown = names.filter((name) => BENCHMARKS.every((benchmark) => benchmark.name !== name))
  if (unknown.length > 0) {
    const available = BENCHMARKS.map(({ name }) => name).join(', ')
    process.stderr.write(`There is no benchmark ${unknown.join(', ')}. The benchmarks are ${available}.\n`)
    process.exitCode = 1
    return
  }
  const run: RunOptions = {
    progress: (message) => void process.stdout.write(`  … ${message}\n`),
    size: (full, tiny) => (values.quick ? tiny : full),
  }
  const selected = BENCHMARKS.filter(({ name }) => names.length === 0 || names.includes(name))
  const startedAt = performance.now()
  for (const { name, question, answer } of selected) {
    process.stdout.write(`\n${question}\n`)
    const benchmarkStartedAt = performance.now()
    const goals = await answer(run)
    const took = minutesSince(benchmarkStartedAt)
    process.stdout.write(`\n${formatGoals(goals)}\n\nFinished in ${took}.\n`)
    if (!values.quick) await saveResult(name, goals)
  }
  process.stdout.write(`\nAll benchmarks took ${minutesSince(startedAt)}.\n`)
}

const minutesSince = (startedAt: number): string => {
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Saves what a benchmark reached in results.json, and writes the page from it. */
async function saveResult(name: string, goals: readonly Goal[]): Promise<void> {
  const saved: Results = { ...JSON.parse(await readFile(RESULTS, 'utf8')), [name]: goals }
  const results: Results = Object.fromEntries(
    BENCHMARKS.flatMap((benchmark) => {
      const known = saved[benchmark.name]
      return known ? [[benchmark.name, known] as const] : []
    }),
  )
  await writeFile(RESULTS, `${JSON.stringify(results, roundNumbers, 2)}\n`)
  await writeFile(PAGE, formatPage(results))
}

const roundNumbers = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(3)) : value

await main()
