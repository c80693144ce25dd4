import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { PAGE, rightsTable, withTable } from '../docs/rights-table.ts'
import { readShipped } from '../docs/shipped.ts'

it('shows in docs/use-access.md what the routes ask for', async () => {
  const page = await readFile(PAGE, 'utf8')
  const right = withTable(page, rightsTable((await readShipped()).verbs))
  expect(page === right, 'The table of rights in docs/use-access.md is out of date: run npm run rights').toBe(
    true,
  )
})
