import { createHostileTexts } from '../../test/hostile-texts.ts'
import { startWithLoad } from '../parts/app.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { measureParse, PARSERS } from '../parts/parsers.ts'

/** The longest line that isn't refused for its length. */
const MAX_LINE = 4000

/** Lines that look for many names, or for one in many ways. */
const LINES = [
  `why ${Array.from({ length: 1300 }, (_, nth) => `w${nth}`).join(' ')}`.slice(0, MAX_LINE),
  'history http --yes --sure a b edit until rm zz*',
  'silence 1h for until --after=5 --env=ote --target=t delete zq*',
  'show storefrnot.17 eu wset',
  'mute storefornt eu-wst 2h',
]

/** Measures what mistyped and hostile lines cost everybody else in an account of 10,000 checks. */
export const typedLines: Benchmark = {
  name: 'typed-lines',
  question:
    'What do mistyped and hostile lines cost the service and everybody else, with 10,000 health checks?',
  async answer({ progress, size }) {
    await using app = await startWithLoad({ checks: size(10_000, 50), hasAccents: true })
    // The stand-in returns a number.
    const countRequests = async (): Promise<number> => (await app.service.call('countRequests')) as number
    const countFor = async (typed: string): Promise<number> => {
      const before = await countRequests()
      await app.answerTo(typed)
      return (await countRequests()) - before
    }
    progress('two mistyped names, one after the other')
    const first = await countFor('show storefornt.17 eu-wset')
    const further = await countFor('show storfront.18 eu-wets')
    const hostile = createHostileTexts(MAX_LINE - 10, 1).map(({ text }) => `show ${text}`)
    const lines = [...LINES, ...hostile].slice(0, size(1000, 7))
    progress(`${lines.length} lines`)
    const plan = { url: app.ours.url, typed: lines, count: lines.length, connections: 1 }
    // The first time compiles the code, and reads the names.
    await app.load.run(plan)
    await app.ours.watchTurns()
    await app.load.run(plan)
    const longestMs = await app.ours.readLongestTurnMs()
    progress('what parses texts, one after the other')
    const parsers = []
    for (const parser of PARSERS) {
      let worstMs = 0
      for (const { text } of createHostileTexts(parser.maxLength, 1).slice(0, size(100, 2)))
        worstMs = Math.max(worstMs, await measureParse(parser, text))
      parsers.push([parser.input, worstMs] as const)
    }
    return {
      tables: [
        { title: 'Longest turn for a hostile text of the greatest length', columns: ['ms'], rows: parsers },
        {
          title: 'Requests to the service for a mistyped name',
          columns: ['requests'],
          rows: [
            ['the first one, with the listing of all names', first],
            ['a further one within 30 s', further],
          ],
        },
      ],
      goals: [
        {
          goal: 'Requests for a mistyped name, beside one listing of all names in 30 s',
          bound: { atMost: 4 },
          reached: further,
        },
        {
          goal: 'Longest turn of the event loop, whatever is typed or uploaded',
          bound: { atMost: 30 },
          reached: Math.max(longestMs, ...parsers.map(([, ms]) => ms)),
          unit: 'ms',
          reason: 'A collection of the whole heap counts, too.',
        },
      ],
    }
  },
}
