import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { PAGE, rightsTables, withTables } from '../docs/rights-table.ts'
import { readShipped } from '../docs/shipped.ts'

it('finds the table in docs/who-can-see-what.md up to date', async () => {
  const page = await readFile(PAGE, 'utf8')
  const expected = withTables(page, rightsTables((await readShipped()).verbs))
  expect(page === expected, 'docs/who-can-see-what.md is out of date: run npm run rights').toBe(true)
})
