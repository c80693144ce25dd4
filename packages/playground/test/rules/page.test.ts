import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { renderRulesPage } from '../../docs/rules-page.ts'

it('docs/rules.md matches the table of rules: run `node docs/write-rules.ts`', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/rules.md'), 'utf8')).toBe(renderRulesPage())
})
