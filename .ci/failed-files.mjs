// Prints the test files that failed according to Vitest's JSON results (the argument), one per line. Prints nothing if an error belongs
// to no test, as when a process died: such a run isn't repeated.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const { testResults, numFailedTests } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const failed = testResults.filter(({ status }) => status === 'failed')
const known = failed.every(({ assertionResults }) =>
  assertionResults.some(({ status }) => status === 'failed'),
)
if (known && numFailedTests > 0)
  process.stdout.write(failed.map(({ name }) => `${relative(process.cwd(), name)}\n`).join(''))
