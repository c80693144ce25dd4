import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderDriverPage } from './driver-page.ts'

writeFileSync(join(import.meta.dirname, 'driver.md'), renderDriverPage())
