import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MODEL } from '../src/app/model.ts'

export const DATA_PAGE = join(import.meta.dirname, 'data.md')

/** The page with a row for each declared table. Keeps the text above the table. */
export function dataPage(page: string): string {
  const above = page.slice(0, page.indexOf('| table |'))
  const rows = MODEL.tables
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, row, bound, partitionedBy }) => {
      const months =
        partitionedBy === undefined
          ? ''
          : '; on PostgreSQL each month is a partition that is dropped as a whole'
      return `| \`${name}\` | ${row} | ${bound}${months} |`
    })
  return `${above}${['| table | a row is | limit |', '| --- | --- | --- |', ...rows].join('\n')}\n`
}

if (import.meta.main) await writeFile(DATA_PAGE, dataPage(await readFile(DATA_PAGE, 'utf8')))
