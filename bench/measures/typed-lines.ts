import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadAppRoutes } from '../../docs/app-routes.ts'
import { readTyped } from '../../src/bot/routes/read-typed.ts'
import { splitCommand } from '../../src/bot/routes/resolve-line.ts'
import { createRoutes, type RouteTable, verbName } from '../../src/bot/routes/routes.ts'
import { editDistance } from '../../src/domain/edit-distance.ts'
import { findSimilarChecks, type NamedCheck } from '../../src/domain/mistyped-check-name.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { median } from '../parts/numbers.ts'

const FILE = join(import.meta.dirname, '../../test/bot/grammar/collected-lines.tsv')
const NAMES = 100_000
const PAGE = 500
/** A mistyped name, which no check has. Finding similar ones is the most work that a line with a name causes. */
const MISTYPED = 'Shop 4711 chekcout'
/** The goal for the CPU time of a mistyped name ÷ that of comparing it with all names by the usual edit distance. */
const MAX_NAME_RATIO = 0.2

/** Measures reading lines that people typed to similar bots, long words, and a mistyped name among many. */
export const typedLines: Benchmark = {
  name: 'typed-lines',
  question: 'What does it cost to read a typed line?',
  async answer({ progress, size }) {
    const routes = createRoutes()
    for (const verb of (await loadAppRoutes()).verbs) routes.verb({ ...verb, line: verbName(verb) })
    const rows = readFileSync(FILE, 'utf8').split('\n').slice(1).filter(Boolean)
    const lines = rows.map((row) => splitCommand(row.split('\t')[1] ?? ''))
    progress(`${lines.length} lines in turn`)
    const readAll = () => measureCpu(() => readLines(routes, lines)) / lines.length
    for (let round = 0; round < size(20, 1); round += 1) readAll()
    const rounds = Array.from({ length: size(50, 2) }, readAll)
    const perLine = median(rounds)
    const longest = measureLongWord(routes, size(50, 2))
    progress(`a mistyped name among ${NAMES} names`)
    const names = await measureNames(routes, { count: size(NAMES, 2000), rounds: size(15, 1) })
    return {
      tables: [
        {
          title: `CPU to read ${lines.length} typed lines`,
          columns: ['ms per line'],
          rows: [
            ['median', perLine],
            ['slowest round', Math.max(...rounds)],
            ['3,000 characters of one word', longest],
          ],
        },
        {
          title: `CPU of a mistyped name among ${NAMES} names`,
          columns: ['ms'],
          rows: [
            ['edit distance to every name', names.plain],
            ['Signalman', names.ours],
          ],
        },
      ],
      goals: [
        { goal: 'CPU to read a typed line', bound: { atMost: 0.2 }, reached: perLine, unit: 'ms' },
        {
          goal: 'CPU to read 3,000 characters of one word',
          bound: { atMost: 50 },
          reached: longest,
          unit: 'ms',
        },
        {
          goal: `CPU of a mistyped name among ${NAMES} ÷ the edit distance to each`,
          bound: { atMost: MAX_NAME_RATIO },
          reached: names.ours / names.plain,
        },
      ],
    }
  },
}

/** CPU time in milliseconds, because a busy machine would change the time on the clock. */
function measureCpu(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function readLines(routes: RouteTable, lines: readonly ReturnType<typeof splitCommand>[]): void {
  for (const { command, text } of lines) {
    try {
      readTyped(routes, command, text)
    } catch {
      // Refused, which takes as long.
    }
  }
}

function measureLongWord(routes: RouteTable, count: number): number {
  const line = { command: 'hc', text: 'x'.repeat(3000) }
  return median(Array.from({ length: count }, () => measureCpu(() => readLines(routes, [line]))))
}

/** Compares a line with a mistyped name, and the search for similar names, with the edit distance to every name. */
async function measureNames(
  routes: RouteTable,
  { count, rounds }: { count: number; rounds: number },
): Promise<{ ours: number; plain: number }> {
  const checks: NamedCheck[] = Array.from({ length: count }, (_, index) => ({
    uuid: `${index}`,
    name: `Shop ${index} checkout`,
    target: `https://shop-${index}.example.com/`,
  }))
  const source = {
    async *listAll() {
      for (let from = 0; from < checks.length; from += PAGE)
        yield { results: checks.slice(from, from + PAGE) }
    },
  }
  const ours: number[] = []
  const plain: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage()
    readLines(routes, [{ command: 'hc', text: `show ${MISTYPED}` }])
    await findSimilarChecks(source, MISTYPED)
    const { user, system } = process.cpuUsage(before)
    ours.push((user + system) / 1000)
    plain.push(
      measureCpu(() => {
        for (const { name } of checks) editDistance(MISTYPED, name.toLowerCase(), Number.POSITIVE_INFINITY)
      }),
    )
  }
  return { ours: median(ours), plain: median(plain) }
}
