import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { loadAppRoutes } from '../docs/app-routes.ts'
import { generateRightsTables, PAGE, replaceTables } from '../docs/rights-table.ts'

it('has an up-to-date table in docs/who-can-see-what.md', async () => {
  const page = await readFile(PAGE, 'utf8')
  const expected = replaceTables(page, generateRightsTables((await loadAppRoutes()).verbs))
  expect(page === expected, 'docs/who-can-see-what.md is out of date: run npm run generate').toBe(true)
})
