import { decodePage } from '../../src/service/health-checks.ts'
import { ParseIssueCollector } from '../../src/service/parse-issues.ts'
import { serveCalls } from '../parts/calls.ts'
import { checkRows } from '../parts/checks.ts'
import { NaivePage } from './naive-schema.ts'

/** How to parse a page: only with `JSON.parse`, with the app's decoder, or with naive zod schemas. */
export type ParseMethod = 'json' | 'app' | 'appWithBadRow' | 'naive'

const rows = checkRows(500)
const formatPage = (results: readonly unknown[]): string =>
  JSON.stringify({ message: 'OK', data: { total: results.length, limit: 500, offset: 0, results } })
const page = formatPage(rows)
const pageWithBadRow = formatPage(rows.map((row, index) => (index === 250 ? { ...row, uuid: 7 } : row)))

// Calls the decoder directly, while other benchmarks run the whole app: over HTTP, the transport would take most of the time.
const decode = (page: string) =>
  decodePage(page, { redact: (text) => text, issues: new ParseIssueCollector() })

const PARSE_METHODS: Record<ParseMethod, () => unknown> = {
  json: () => JSON.parse(page),
  app: () => decode(page),
  appWithBadRow: () => decode(pageWithBadRow),
  naive: () => NaivePage.parse(JSON.parse(page)),
}

serveCalls(async (settings) => {
  // `page-read.ts` passes this. Repeated, because some systems measure CPU time only in whole milliseconds.
  const { repeats } = settings as { repeats: number }
  const unreadable = decode(pageWithBadRow).unreadable
  if (unreadable !== 1) throw new Error(`One bad row makes ${unreadable} rows unreadable.`)
  return {
    ready: page.length,
    handlers: {
      /** The CPU time for one page in microseconds; the argument is a `ParseMethod`, which `page-read.ts` passes. */
      measure(argument) {
        const parse = PARSE_METHODS[argument as ParseMethod]
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
