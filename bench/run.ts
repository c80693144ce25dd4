import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { approval } from './measures/approval.ts'
import { firstCard } from './measures/first-card.ts'
import { helpAnswered } from './measures/help-answered.ts'
import { hundredThousand } from './measures/hundred-thousand.ts'
import { listing } from './measures/listing.ts'
import { manyChanges } from './measures/many-changes.ts'
import { pageRead } from './measures/page-read.ts'
import { polling } from './measures/polling.ts'
import { starting } from './measures/starting.ts'
import { typedLines } from './measures/typed-lines.ts'
import type { Benchmark, Findings, RunOptions } from './parts/benchmark.ts'
import { formatPage, type Results } from './parts/page.ts'
import { formatReport } from './parts/report.ts'

/** What a user or an operator would notice. results.json has the goals and what was reached. */
const BENCHMARKS: readonly Benchmark[] = [
  ...[helpAnswered, listing, typedLines, pageRead],
  ...[hundredThousand, polling, firstCard, manyChanges, approval, starting],
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
    const findings = await answer(run)
    process.stdout.write(`\n${formatReport(findings)}\n\nFinished in ${minutesSince(benchmarkStartedAt)}.\n`)
    if (!values.quick) await saveResult(name, findings)
  }
  process.stdout.write(`\nAll benchmarks took ${minutesSince(startedAt)}.\n`)
}

const minutesSince = (startedAt: number): string => {
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Saves a benchmark's findings in results.json, and writes the page from it. */
async function saveResult(name: string, findings: Findings): Promise<void> {
  const saved: Results = JSON.parse(await readFile(RESULTS, 'utf8'))
  const results: Results = { ...saved, [name]: findings }
  const sortedResults = Object.fromEntries(
    BENCHMARKS.flatMap((benchmark) => {
      const found = results[benchmark.name]
      return found ? [[benchmark.name, found] as const] : []
    }),
  )
  await writeFile(RESULTS, `${JSON.stringify(sortedResults, roundNumbers, 2)}\n`)
  await writeFile(PAGE, formatPage(sortedResults))
}

const roundNumbers = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(3)) : value

await main()
