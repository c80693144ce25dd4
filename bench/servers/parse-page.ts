import { decodePage } from '../../src/service/health-checks.ts'
import { ParseIssueCollector } from '../../src/service/parse-issues.ts'
import { serveCalls } from '../parts/calls.ts'
import { checkRows } from '../parts/checks.ts'
import { NaivePage } from './naive-schema.ts'

/** How to parse a page: only as JSON, with the app's decoder, or with naive zod schemas. */
export type ParseMethod = 'parsed' | 'decoded' | 'decodedOneBad' | 'naive'

const rows = checkRows(500)
const toText = (results: readonly unknown[]): string =>
  JSON.stringify({ message: 'OK', data: { total: results.length, limit: 500, offset: 0, results } })
const page = toText(rows)
const pageWithOneBad = toText(rows.map((row, index) => (index === 250 ? { ...row, uuid: 7 } : row)))

// This is the only step of the app that is measured in isolation, because over HTTP the transport would dominate.
const read = (page: string) => decodePage(page, { redact: (text) => text, issues: new ParseIssueCollector() })

const PARSE_METHODS: Record<ParseMethod, () => unknown> = {
  parsed: () => JSON.parse(page),
  decoded: () => read(page),
  decodedOneBad: () => read(pageWithOneBad),
  naive: () => NaivePage.parse(JSON.parse(page)),
}

serveCalls(async (settings) => {
  // `page-read.ts` sets the repetitions, because some systems count CPU time in steps of milliseconds.
  const { repeats } = settings as { repeats: number }
  const unreadable = read(pageWithOneBad).unreadable
  if (unreadable !== 1) throw new Error(`One bad row makes ${unreadable} rows unreadable.`)
  return {
    ready: page.length,
    handlers: {
      /** The CPU time for one page in microseconds; the argument is a `ParseMethod`, which `page-read.ts` passes. */
      measure(argument) {
        const parse = PARSE_METHODS[argument as ParseMethod]
        globalThis.gc?.()
        // A full collection that finds no object of a shape drops the code compiled for it, so warm up again.
        for (let count = 0; count < repeats; count += 1) parse()
        const before = process.cpuUsage()
        for (let count = 0; count < repeats; count += 1) parse()
        const { user, system } = process.cpuUsage(before)
        return (user + system) / repeats
      },
    },
  }
})
