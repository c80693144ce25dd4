import { setImmediate } from 'node:timers/promises'
import type { Upload } from '@signalman/slack'
import { BOM, csvText } from '../../../domain/csv.ts'
import { NAMED } from '../views/words.ts'

const IN_A_ROW = 1000

/** Writes many rows as a file. There may be one per cell of another file, so other requests are answered in the meantime. */
export async function buildReport(
  file: { name: string; title: string },
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<Upload> {
  const parts = [Buffer.from(BOM + csvText([head]))]
  for (let start = 0; start < rows.length; start += IN_A_ROW) {
    parts.push(Buffer.from(csvText(rows.slice(start, start + IN_A_ROW))))
    await setImmediate()
  }
  const body = Buffer.concat(parts)
  return { ...file, bytes: body.length, body }
}

/** Sends rows as a file if a message can't name all of them. Also false if Slack rejects it: then the named ones have to do. */
export async function reportMany(
  upload: (report: Upload) => Promise<unknown>,
  ...[file, head, rows]: Parameters<typeof buildReport>
): Promise<boolean> {
  if (rows.length <= NAMED) return false
  return upload(await buildReport(file, head, rows)).then(
    () => true,
    () => false,
  )
}
