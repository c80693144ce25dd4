import { createHostileTexts } from '../../test/hostile-texts.ts'
import { startWithLoad } from '../parts/app.ts'
import type { Goal, RunOptions } from '../parts/benchmark.ts'

/** The longest line that isn't refused for its length. */
const MAX_LINE = 4000

/** Measures what mistyped and hostile lines cost everybody else in an account of 10,000 checks. */
export async function measureTypedLines({ progress, size }: RunOptions): Promise<readonly Goal[]> {
  await using app = await startWithLoad({ checks: size(10_000, 50), hasAccents: true })
  progress('two mistyped names, one after the other')
  // The first one lists all names.
  await app.answerTo('show storefornt.17 eu-wset')
  const before = await app.service.call<number>('countRequests')
  await app.answerTo('show storfront.18 eu-wets')
  const requests = (await app.service.call<number>('countRequests')) - before
  const hostile = createHostileTexts(MAX_LINE - 10, 1).slice(0, size(1000, 7))
  const typed = hostile.map(({ text }) => `show ${text}`)
  progress(`${typed.length} lines`)
  const plan = { typed, count: typed.length, connections: 1 }
  // The first time compiles the code.
  await app.send(app.ours, plan)
  await app.ours.call('watchTurns')
  await app.send(app.ours, plan)
  const longestMs = await app.ours.call<number>('readLongestTurnMs')
  return [
    {
      goal: 'Requests for a mistyped name, beside one listing of all names in 30 s',
      atMost: 4,
      reached: requests,
    },
    {
      goal: 'Longest turn of the event loop, whatever is typed',
      atMost: 30,
      reached: longestMs,
      unit: 'ms',
      reason: 'A collection of the whole heap counts, too.',
    },
  ]
}
