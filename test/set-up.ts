// Runs in front of each test file. A process runs many, and loads only this file again for each of them.
import './fast-check-seed.ts'
import './no-dns.ts'
import { expectNoServerLeft } from './leaked-servers.ts'
import { watchTests } from './stuck-worker.ts'

watchTests()
expectNoServerLeft()
