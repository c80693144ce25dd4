import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { driverPage } from './driver-page.ts'

writeFileSync(join(import.meta.dirname, 'driver.md'), driverPage())
