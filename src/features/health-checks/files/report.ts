import { setImmediate } from 'node:timers/promises'
import type { Upload } from '@signalman/slack'
import { BOM, csvText } from '../../../domain/csv.ts'
import { NAMED } from '../views/words.ts'

const IN_A_ROW = 1000

/** Many rows as a file. There may be one for every cell of another file: other requests are answered meanwhile. */
export async function reportOf(
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

/** Sends rows as a file where a message does not name all of them. False where Slack does not take it, too: those that are named have to do. */
export async function reportMany(
  upload: (report: Upload) => Promise<unknown>,
  ...[file, head, rows]: Parameters<typeof reportOf>
): Promise<boolean> {
  if (rows.length <= NAMED) return false
  return upload(await reportOf(file, head, rows)).then(
    () => true,
    () => false,
  )
}
