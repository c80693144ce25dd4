import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderCoveragePage } from './coverage-page.ts'

writeFileSync(join(import.meta.dirname, 'coverage.md'), renderCoveragePage())
