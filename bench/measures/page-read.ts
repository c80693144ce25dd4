import type { Benchmark } from '../parts/benchmark.ts'
import { type Child, startChild } from '../parts/child.ts'
import { ratio } from '../parts/numbers.ts'
import type { ParseMethod } from '../servers/parse-page.ts'

const PARSE_METHODS = ['json', 'app', 'appWithBadRow', 'naive'] as const satisfies readonly ParseMethod[]

/** Measures parsing a page of 500 checks with zod. */
export const pageRead: Benchmark = {
  name: 'page-read',
  question: 'What does it cost to parse a page of 500 checks with zod?',
  async answer({ progress, size }) {
    progress('four ways in turn, each in its own process')
    await using running = new AsyncDisposableStack()
    // In one process, each method would change how V8 compiles zod for the others.
    const children = new Map<ParseMethod, Child>()
    for (const name of PARSE_METHODS)
      children.set(name, running.use(await startChild('servers/parse-page.ts', { repeats: size(250, 5) })))
    const series: Record<ParseMethod, number[]> = { json: [], app: [], appWithBadRow: [], naive: [] }
    for (let round = -size(2, 0); round < size(15, 1); round += 1) {
      for (const name of PARSE_METHODS) {
        // `parse-page.ts` returns microseconds.
        const micros = (await children.get(name)?.call('measure', name)) as number
        if (round >= 0) series[name].push(micros)
      }
    }
    const ratioTo = (name: ParseMethod, other: ParseMethod): number => ratio(series[name], series[other])
    return {
      tables: [
        {
          title: `Reading a page of 500 (${Math.round(Number(children.get('json')?.ready) / 1000)} KB)`,
          columns: ['CPU ÷ JSON.parse'],
          rows: [
            ['JSON.parse', 1],
            ['Signalman: compiled schemas, every field', ratioTo('app', 'json')],
            ['the same with one bad row, which is left out', ratioTo('appWithBadRow', 'json')],
            ['naive app: zod unions and transforms', ratioTo('naive', 'json')],
          ],
        },
      ],
      goals: [
        {
          goal: 'CPU of a page of 500, every field read ÷ JSON.parse',
          bound: { atMost: 2 },
          reached: ratioTo('app', 'json'),
        },
      ],
    }
  },
}
