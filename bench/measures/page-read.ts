import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { takeTurns } from '../parts/turns.ts'

/** Measures parsing a page of 500 checks with zod. */
export async function measurePage(run: RunOptions): Promise<readonly Goal[]> {
  const settings = { repeats: run.size(250, 5) }
  // In one process, each of them would change how V8 compiles the other.
  await using json = await startChild('servers/parse-page.ts', { ...settings, method: 'json' })
  await using app = await startChild('servers/parse-page.ts', { ...settings, method: 'app' })
  const { divide } = await takeTurns(run, 15, {
    json: async () => ({ micros: await json.call<number>('measure') }),
    ours: async () => ({ micros: await app.call<number>('measure') }),
  })
  return [
    {
      goal: 'CPU of a page of 500, every field read ÷ JSON.parse',
      atMost: 1.4,
      ...divide('micros', 'json', 'µs'),
      reason:
        'Each row is checked alone, so that one that is unreadable loses only itself, and its fields are renamed.',
    },
  ]
}
