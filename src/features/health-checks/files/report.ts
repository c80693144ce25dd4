import { setImmediate } from 'node:timers/promises'
import type { Upload } from '@signalman/slack'
import { BOM, csvText } from '../../../domain/csv.ts'
import { MAX_LISTED } from '../views/words.ts'

const ROWS_PER_SLICE = 1000

/** Builds a CSV file. Yields to other requests, because there may be a row for each cell of an imported file. */
export async function buildReport(
  file: { name: string; title: string },
  header: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<Upload> {
  const parts = [Buffer.from(BOM + csvText([header]))]
  for (let start = 0; start < rows.length; start += ROWS_PER_SLICE) {
    parts.push(Buffer.from(csvText(rows.slice(start, start + ROWS_PER_SLICE))))
    await setImmediate()
  }
  const body = Buffer.concat(parts)
  return { ...file, bytes: body.length, body }
}

/** Sends rows as a file if there are too many for a message. Returns whether Slack accepted a file. */
export async function sendReportIfLong(
  upload: (report: Upload) => Promise<unknown>,
  ...[file, header, rows]: Parameters<typeof buildReport>
): Promise<boolean> {
  if (rows.length <= MAX_LISTED) return false
  return upload(await buildReport(file, header, rows)).then(
    () => true,
    () => false,
  )
}
