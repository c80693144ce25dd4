import type { Benchmark } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { ratio } from '../parts/numbers.ts'

/** Measures parsing a page of 500 checks with zod. */
export const pageRead: Benchmark = {
  name: 'page-read',
  question: 'What does it cost to parse a page of 500 checks with zod?',
  async answer({ progress, size }) {
    progress('two ways in turn, each in its own process')
    const settings = { repeats: size(250, 5) }
    // In one process, each of them would change how V8 compiles the other.
    await using json = await startChild('servers/parse-page.ts', settings)
    await using app = await startChild('servers/parse-page.ts', settings)
    const micros: Record<'json' | 'app', number[]> = { json: [], app: [] }
    for (let round = -size(2, 0); round < size(15, 1); round += 1)
      for (const [name, child] of [
        ['json', json],
        ['app', app],
      ] as const) {
        // `parse-page.ts` returns microseconds.
        const measured = (await child.call('measure', name)) as number
        if (round >= 0) micros[name].push(measured)
      }
    return {
      tables: [],
      goals: [
        {
          goal: 'CPU of a page of 500, every field read ÷ JSON.parse',
          bound: { atMost: 1.4 },
          reached: ratio(micros.app, micros.json),
        },
      ],
    }
  },
}
