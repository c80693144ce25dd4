import { UnreadParts } from '../../src/api/fields.ts'
import { readPage } from '../../src/api/health-checks.ts'
import { serveCalls } from '../parts/calls.ts'
import { checkRows } from '../parts/checks.ts'
import { NaivePage } from './naive-schema.ts'

/** Enough for a system that counts processor time in steps of milliseconds. */
const REPEATS = 250

/** One way of turning the text of a page into values. */
export type Reading = 'parsed' | 'validated' | 'validatedOneBad' | 'naive'

const rows = checkRows(500)
const textOf = (results: readonly unknown[]): string =>
  JSON.stringify({ message: 'OK', data: { total: results.length, limit: 500, offset: 0, results } })
const page = textOf(rows)
const pageWithOneBad = textOf(rows.map((row, index) => (index === 250 ? { ...row, uuid: 7 } : row)))
const read = (text: string) => readPage(text, { hide: (said) => said, unread: new UnreadParts() })

const READINGS: Record<Reading, () => unknown> = {
  parsed: () => JSON.parse(page),
  validated: () => read(page),
  validatedOneBad: () => read(pageWithOneBad),
  naive: () => NaivePage.parse(JSON.parse(page)),
}

serveCalls(async () => {
  const lost = read(pageWithOneBad).unreadable
  if (lost !== 1) throw new Error(`One bad row of the page loses ${lost} rows.`)
  return {
    ready: page.length,
    handlers: {
      /** Processor time of one page in microseconds; the argument is a `Reading`, as `list-500.ts` asks for it. */
      read(argument) {
        const work = READINGS[argument as Reading]
        globalThis.gc?.()
        const before = process.cpuUsage()
        for (let count = 0; count < REPEATS; count += 1) work()
        const { user, system } = process.cpuUsage(before)
        return (user + system) / REPEATS
      },
    },
  }
})
