import { decodePage } from '../../src/service/health-checks.ts'
import { UnreadParts } from '../../src/service/unread.ts'
import { serveCalls } from '../parts/calls.ts'
import { checkRows } from '../parts/checks.ts'
import { NaivePage } from './naive-schema.ts'

/** One way of turning the text of a page into values. */
export type Reading = 'parsed' | 'decoded' | 'decodedOneBad' | 'naive'

const rows = checkRows(500)
const textOf = (results: readonly unknown[]): string =>
  JSON.stringify({ message: 'OK', data: { total: results.length, limit: 500, offset: 0, results } })
const page = textOf(rows)
const pageWithOneBad = textOf(rows.map((row, index) => (index === 250 ? { ...row, uuid: 7 } : row)))

// The one step inside the app that the bench looks at: over HTTP the step would drown in the transport.
const read = (text: string) => decodePage(text, { hide: (said) => said, unread: new UnreadParts() })

const READINGS: Record<Reading, () => unknown> = {
  parsed: () => JSON.parse(page),
  decoded: () => read(page),
  decodedOneBad: () => read(pageWithOneBad),
  naive: () => NaivePage.parse(JSON.parse(page)),
}

serveCalls(async (settings) => {
  // `page-read.ts` says how often; a system may count processor time in steps of milliseconds.
  const { repeats } = settings as { repeats: number }
  const lost = read(pageWithOneBad).unreadable
  if (lost !== 1) throw new Error(`One bad row of the page loses ${lost} rows.`)
  return {
    ready: page.length,
    handlers: {
      /** Processor time of one page in microseconds; the argument is a `Reading`, as `page-read.ts` asks for it. */
      read(argument) {
        const work = READINGS[argument as Reading]
        globalThis.gc?.()
        // A full collection that finds no object of a shape drops the code made for it. In a server at work there is one.
        for (let count = 0; count < repeats; count += 1) work()
        const before = process.cpuUsage()
        for (let count = 0; count < repeats; count += 1) work()
        const { user, system } = process.cpuUsage(before)
        return (user + system) / repeats
      },
    },
  }
})
