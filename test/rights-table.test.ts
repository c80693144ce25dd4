import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { README, rightsTable, withTable } from '../docs/rights-table.ts'
import { readShipped } from '../docs/shipped.ts'

it('shows in the README what the routes ask for', async () => {
  const readme = await readFile(README, 'utf8')
  const right = withTable(readme, rightsTable((await readShipped()).verbs))
  expect(readme === right, 'The table of rights in README.md is out of date: run npm run rights').toBe(true)
})
