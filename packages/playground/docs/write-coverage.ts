import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { coveragePage } from '../src/coverage.ts'

writeFileSync(join(import.meta.dirname, 'coverage.md'), coveragePage())
