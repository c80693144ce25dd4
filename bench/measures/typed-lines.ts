import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadAppRoutes } from '../../docs/app-routes.ts'
import { readLine } from '../../src/bot/routes/read-line.ts'
import { splitCommand } from '../../src/bot/routes/resolve-line.ts'
import { createRoutes, verbName } from '../../src/bot/routes/routes.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { median } from '../parts/numbers.ts'

const FILE = join(import.meta.dirname, '../../test/bot/grammar/collected-lines.tsv')

/** Measures reading lines that people typed to similar bots. */
export const typedLines: Benchmark = {
  name: 'typed-lines',
  question: 'What does it cost to read a typed line?',
  async answer({ progress, size }) {
    const routes = createRoutes()
    for (const verb of (await loadAppRoutes()).verbs) routes.verb({ ...verb, line: verbName(verb) })
    const rows = readFileSync(FILE, 'utf8').split('\n').slice(1).filter(Boolean)
    const lines = rows.map((row) => splitCommand(row.split('\t')[1] ?? ''))
    progress(`${lines.length} lines in turn`)
    const readAll = (): number => {
      // CPU time, because a busy machine would change the time on the clock.
      const before = process.cpuUsage()
      for (const { command, text } of lines) {
        try {
          readLine(routes, command, text, { isTyped: true })
        } catch {
          // Refused, which takes as long.
        }
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000 / lines.length
    }
    for (let round = 0; round < size(20, 1); round += 1) readAll()
    const rounds = Array.from({ length: size(50, 2) }, readAll)
    const perLine = median(rounds)
    return {
      tables: [
        {
          title: `CPU to read ${lines.length} typed lines`,
          columns: ['ms per line'],
          rows: [
            ['median', perLine],
            ['slowest round', Math.max(...rounds)],
          ],
        },
      ],
      goals: [{ goal: 'CPU to read a typed line', bound: { atMost: 0.2 }, reached: perLine, unit: 'ms' }],
    }
  },
}
