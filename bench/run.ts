import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureApprovals } from './measures/approval.ts'
import { measureHelp } from './measures/help-answered.ts'
import { measureLongListing } from './measures/hundred-thousand.ts'
import { measureLists } from './measures/listing.ts'
import { measureChanges } from './measures/many-changes.ts'
import { measureManyChannels } from './measures/many-channels.ts'
import { measurePage } from './measures/page-read.ts'
import { measurePolling } from './measures/polling.ts'
import { measureStart } from './measures/starting.ts'
import { measureStorm } from './measures/storm.ts'
import { measureTypedLines } from './measures/typed-lines.ts'
import type { Benchmark, Goal, RunOptions } from './parts/benchmark.ts'
import { formatGoals, formatPage, type Results } from './parts/page.ts'

/** What a user or an operator would notice. results.json has the goals and what was reached. */
const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  listing: measureLists,
  'help-answered': measureHelp,
  'typed-lines': measureTypedLines,
  'page-read': measurePage,
  'hundred-thousand': measureLongListing,
  polling: measurePolling,
  storm: measureStorm,
  'many-channels': measureManyChannels,
  'many-changes': measureChanges,
  approval: measureApprovals,
  starting: measureStart,
}
const RESULTS = join(import.meta.dirname, 'results.json')
const PAGE = join(import.meta.dirname, '../docs/performance.md')

/**
 * Runs all benchmarks, or the named ones, and prints the results: `npm run bench -- [--quick] [name …]`. Without `--quick`, the
 * results replace the earlier ones in results.json and docs/performance.md.
 */
async function main(): Promise<void> {
  const options = { quick: { type: 'boolean', default: false } } as const
  const { values, positionals: names } = parseArgs({ options, allowPositionals: true })
  const run: RunOptions = {
    progress: (message) => void process.stdout.write(`  … ${message}\n`),
    size: (full, tiny) => (values.quick ? tiny : full),
  }
  const startedAt = performance.now()
  for (const name of names.length > 0 ? names : Object.keys(BENCHMARKS)) {
    const measure = BENCHMARKS[name]
    if (!measure)
      throw new Error(
        `There is no benchmark ${name}. The benchmarks are ${Object.keys(BENCHMARKS).join(', ')}.`,
      )
    process.stdout.write(`\n${name}\n`)
    const goals = await measure(run)
    process.stdout.write(`\n${formatGoals(goals)}\n\n${name} is done after ${minutesSince(startedAt)}.\n`)
    if (!values.quick) await saveResult(name, goals)
  }
}

const minutesSince = (startedAt: number): string => {
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Saves what a benchmark reached in results.json, and writes the page from it. */
async function saveResult(name: string, goals: readonly Goal[]): Promise<void> {
  const saved: Results = { ...JSON.parse(await readFile(RESULTS, 'utf8')), [name]: goals }
  const results: Results = Object.fromEntries(
    Object.keys(BENCHMARKS).flatMap((known) => (saved[known] ? [[known, saved[known]]] : [])),
  )
  await writeFile(RESULTS, `${JSON.stringify(results, roundNumbers, 2)}\n`)
  await writeFile(PAGE, formatPage(results))
}

const roundNumbers = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(3)) : value

await main()
