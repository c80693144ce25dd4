import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FEATURES } from '../src/app/features.ts'
import { MODEL } from '../src/app/model.ts'
import type { Feature } from '../src/bot/feature.ts'

export const DATA_PAGE = join(import.meta.dirname, 'data.md')

/** Generates a row for each declared table and each setting of a feature. Keeps the text above the tables. */
export function generateDataPage(page: string): string {
  const intro = page.slice(0, page.indexOf('| table |'))
  const rows = MODEL.tables
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, row, bound }) => `| \`${name}\` | ${row} | ${bound} |`)
  const settings = FEATURES.flatMap(({ name, settings = [] }: Feature) =>
    settings.map(({ key }) => `| \`${key}\` | ${name} |`),
  ).toSorted()
  const lines = [
    ...['| table | a row is | limit |', '| --- | --- | --- |', ...rows],
    ...['', 'Features keep these settings in the table `setting`:', ''],
    ...['| setting | feature |', '| --- | --- |', ...settings],
  ]
  return `${intro}${lines.join('\n')}\n`
}

if (import.meta.main) await writeFile(DATA_PAGE, generateDataPage(await readFile(DATA_PAGE, 'utf8')))
