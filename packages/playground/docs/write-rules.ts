import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rulesPage } from './rules-page.ts'

writeFileSync(join(import.meta.dirname, 'rules.md'), rulesPage())
