// Prints the test files that failed according to Vitest's JSON results (the argument), one per line. Prints nothing if an error isn't
// from a test, for example because a process died. Such a run isn't repeated.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const { testResults, numFailedTests } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const failed = testResults.filter(({ status }) => status === 'failed')
const areAllFromTests = failed.every(({ assertionResults }) =>
  assertionResults.some(({ status }) => status === 'failed'),
)
if (areAllFromTests && numFailedTests > 0)
  process.stdout.write(failed.map(({ name }) => `${relative(process.cwd(), name)}\n`).join(''))
