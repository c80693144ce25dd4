// Writes more to the log than is kept while nobody reads it, and one more line when it's asked to.
import { once } from 'node:events'
import { openLogOutput } from '../../src/log.ts'

const LINES = 8000
const output = openLogOutput()
const line = `${JSON.stringify({ msg: 'x'.repeat(1000) })}\n`
for (let written = 0; written < LINES; written += 1) output.write(line)
process.stderr.write(String(LINES))
await once(process.stdin, 'data')
output.write('{"msg":"after"}\n')
await output.flush()
process.exit(0)
