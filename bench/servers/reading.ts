import { type HealthCheckPage, readPage } from '../../src/service/health-checks.ts'
import { UnreadParts } from '../../src/service/unread.ts'
import { serveCalls } from '../parts/calls.ts'
import { checkRows } from '../parts/checks.ts'
import { NaivePage } from './naive-schema.ts'

/** One way of turning the text of a page into values. */
export type Reading = 'parsed' | 'validated' | 'validatedOneBad' | 'naive'

const rows = checkRows(500)
const textOf = (results: readonly unknown[]): string =>
  JSON.stringify({ message: 'OK', data: { total: results.length, limit: 500, offset: 0, results } })
const page = textOf(rows)
const pageWithOneBad = textOf(rows.map((row, index) => (index === 250 ? { ...row, uuid: 7 } : row)))

// The one step inside the app that the bench looks at: over HTTP the step would drown in the transport.
const read = (text: string) => readPage(text, { hide: (said) => said, unread: new UnreadParts() })

const READINGS: Record<Reading, () => unknown> = {
  parsed: () => JSON.parse(page),
  validated: () => shown(read(page)),
  validatedOneBad: () => shown(read(pageWithOneBad)),
  naive: () => shown({ ...NaivePage.parse(JSON.parse(page)), unreadable: 0 }),
}

/** What a listing shows is read of every row: a row may be one that is only read when it is asked. */
function shown({ results }: HealthCheckPage): number {
  let letters = 0
  for (const { name, status, protocol = '', target = '', port = 0 } of results)
    letters += name.length + status.length + protocol.length + target.length + port
  return letters
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
