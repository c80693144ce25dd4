import { decodePage } from '../../src/service/health-checks.ts'
import { ParseIssueCollector } from '../../src/service/parse-issues.ts'
import { checkRows } from '../parts/checks.ts'
import { serveCalls } from '../parts/child.ts'

const data = { total: 500, limit: 500, offset: 0, results: checkRows(500) }
const page = JSON.stringify({ message: 'OK', data })

/** How to parse a page: only with `JSON.parse`, or with the app's decoder. Over HTTP, the transport would take most of the time. */
const METHODS = {
  json: () => JSON.parse(page),
  app: () =>
    decodePage({ bytes: Buffer.alloc(0), mediaType: '', text: () => page }, new ParseIssueCollector()),
}

interface Settings {
  method: keyof typeof METHODS
  /** Some systems measure CPU time only in whole milliseconds. */
  repeats: number
}

serveCalls(async ({ method, repeats }: Settings) => {
  const parse = METHODS[method]
  return {
    ready: true,
    handlers: {
      /** The CPU time for one page in microseconds. */
      measure() {
        globalThis.gc?.()
        // Warm up again: if no object of a shape is left, a full garbage collection drops the code that V8 compiled for that shape.
        for (let count = 0; count < repeats; count += 1) parse()
        const before = process.cpuUsage()
        for (let count = 0; count < repeats; count += 1) parse()
        const { user, system } = process.cpuUsage(before)
        return (user + system) / repeats
      },
    },
  }
})
