import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderRulesPage } from './rules-page.ts'

writeFileSync(join(import.meta.dirname, 'rules.md'), renderRulesPage())
