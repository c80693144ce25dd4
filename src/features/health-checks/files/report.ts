import type { Upload } from '../../../slack/client/slack-files.ts'
import { BOM, csvText } from './csv.ts'
import type { BadCell } from './read-file.ts'

/** So many faults are named in a message; more go into a file. */
export const NAMED = 10

/** Every fault of a file, as a file. */
export function reportOf(bad: readonly BadCell[], fileName: string): Upload {
  const lines = bad.map(({ line, column, says }) => [String(line), column, says])
  const body = Buffer.from(BOM + csvText([['line', 'column', 'problem'], ...lines]))
  return { name: 'problems.csv', title: `Problems in ${fileName}`, bytes: body.length, body }
}
