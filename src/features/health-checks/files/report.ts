import { setImmediate } from 'node:timers/promises'
import { BOM, csvText } from '../../../domain/csv.ts'
import type { Upload } from '../../../slack/client/slack-files.ts'
import type { BadCell } from './read-file.ts'

/** So many faults are named in a message; more go into a file. */
export const NAMED = 10

const IN_A_ROW = 1000

/** Every fault of a file, as a file. There may be some for every cell: other requests are answered meanwhile. */
export async function reportOf(bad: readonly BadCell[], fileName: string): Promise<Upload> {
  const parts = [Buffer.from(BOM + csvText([['line', 'column', 'problem']]))]
  for (let start = 0; start < bad.length; start += IN_A_ROW) {
    const some = bad.slice(start, start + IN_A_ROW)
    parts.push(Buffer.from(csvText(some.map(({ line, column, says }) => [String(line), column, says]))))
    await setImmediate()
  }
  const body = Buffer.concat(parts)
  return { name: 'problems.csv', title: `Problems in ${fileName}`, bytes: body.length, body }
}
