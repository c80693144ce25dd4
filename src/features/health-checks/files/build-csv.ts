import type { Upload } from '@signalman/slack'
import { BOM, csvText } from '../../../domain/csv.ts'

/** Builds a CSV file from pages of records, so that other requests run in between. */
export async function buildCsv(
  { name, title }: Pick<Upload, 'name' | 'title'>,
  pages: AsyncIterable<readonly (readonly string[])[]> | Iterable<readonly (readonly string[])[]>,
): Promise<Upload> {
  const parts = [Buffer.from(BOM)]
  for await (const records of pages) parts.push(Buffer.from(csvText(records)))
  const body = Buffer.concat(parts)
  return { name, title, bytes: body.length, body }
}
