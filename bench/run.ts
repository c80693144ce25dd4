import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Findings, isMet, type Run } from './parts/question.ts'
import { reportOf } from './parts/report.ts'
import { QUESTIONS } from './questions.ts'
import { soak } from './soak.ts'

const RESULTS = join(import.meta.dirname, 'results.json')
const VERSIONS = ['node', 'v8', 'undici'] as const

/**
 * Asks every question, or those named, and prints what came out: `npm run bench -- [--quick] [name …]`. All of them at
 * full size are written to results.json. `--soak [--minutes 60] [--rate 4]` asks what an hour of use leaves behind instead.
 */
async function main(): Promise<void> {
  const { values, positionals: names } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      soak: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '4' },
    },
    allowPositionals: true,
  })
  if (values.soak) return soak({ minutes: Number(values.minutes), perSecond: Number(values.rate) })
  const unknown = names.filter((name) => QUESTIONS.every((question) => question.name !== name))
  if (unknown.length > 0) {
    const known = QUESTIONS.map(({ name }) => name).join(', ')
    process.stderr.write(`There is no question ${unknown.join(', ')}. There are: ${known}.\n`)
    process.exitCode = 1
    return
  }
  const run: Run = {
    progress: (doing) => void process.stdout.write(`  … ${doing}\n`),
    size: (full, tiny) => (values.quick ? tiny : full),
  }
  const asked = QUESTIONS.filter(({ name }) => names.length === 0 || names.includes(name))
  const found = new Map<string, Findings>()
  const startedAt = performance.now()
  for (const { name, asks, answer } of asked) {
    process.stdout.write(`\n${asks}\n`)
    const askedAt = performance.now()
    const findings = await answer(run)
    process.stdout.write(`\n${reportOf(findings)}\n\nAnswered in ${minutesSince(askedAt)}.\n`)
    found.set(name, findings)
  }
  process.stdout.write(`\nAll of it took ${minutesSince(startedAt)}.\n`)
  if (asked.length === QUESTIONS.length && !values.quick) await writeFile(RESULTS, resultsText(found))
}

const minutesSince = (startedAt: number): string => {
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

function resultsText(found: ReadonlyMap<string, Findings>): string {
  const goals = [...found].flatMap(([question, findings]) =>
    findings.goals.map((goal) => ({ question, ...goal, met: isMet(goal) })),
  )
  const tables = [...found].flatMap(([question, findings]) =>
    findings.tables.map((table) => ({ question, ...table })),
  )
  const versions = Object.fromEntries(VERSIONS.map((name) => [name, process.versions[name]]))
  const machine = { cores: availableParallelism(), platform: `${process.platform}-${process.arch}`, versions }
  return `${JSON.stringify({ machine, goals, tables }, rounded, 2)}\n`
}

const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(3)) : value

await main()
