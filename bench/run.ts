import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { acknowledge } from './acknowledge.ts'
import { hundredThousand } from './hundred-thousand.ts'
import { list500 } from './list-500.ts'
import { loopHolds } from './loop-holds.ts'
import { type Findings, isMet, type Question } from './parts/question.ts'
import { reportOf } from './parts/report.ts'

const QUESTIONS: readonly Question[] = [acknowledge, list500, hundredThousand, loopHolds]
const RESULTS = join(import.meta.dirname, 'results.json')
const VERSIONS = ['node', 'v8', 'undici'] as const

/** Asks every question, or those named, and prints what came out. All of them together are written to results.json. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => QUESTIONS.every((question) => question.name !== name))
  if (unknown.length > 0) {
    const known = QUESTIONS.map(({ name }) => name).join(', ')
    process.stderr.write(`There is no question ${unknown.join(', ')}. There are: ${known}.\n`)
    process.exitCode = 1
    return
  }
  const asked = QUESTIONS.filter(({ name }) => names.length === 0 || names.includes(name))
  const found = new Map<string, Findings>()
  for (const question of asked) {
    process.stdout.write(`\n${question.asks}\n`)
    const findings = await question.answer((doing) => void process.stdout.write(`  … ${doing}\n`))
    process.stdout.write(`\n${reportOf(findings)}\n`)
    found.set(question.name, findings)
  }
  if (asked.length === QUESTIONS.length) await writeFile(RESULTS, resultsText(found))
}

function resultsText(found: ReadonlyMap<string, Findings>): string {
  const questions = [...found].map(([name, { tables, goals }]) => ({
    name,
    tables,
    goals: goals.map((goal) => ({ ...goal, met: isMet(goal) })),
  }))
  const versions = Object.fromEntries(VERSIONS.map((name) => [name, process.versions[name]]))
  const machine = { cores: availableParallelism(), platform: `${process.platform}-${process.arch}`, versions }
  return `${JSON.stringify({ machine, questions }, rounded, 2)}\n`
}

const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(3)) : value

await main(process.argv.slice(2))
