import { parseArgs } from 'node:util'
import { say } from './operator.ts'
import type { OperatorVerb } from './verbs.ts'

const HELP = `
Asks the app that runs beside it for /healthz, for whoever starts it anew when it does not answer. The exit code is 1 then.

Read from the environment: PORT.
`

const WITHIN_MS = 4000

export const health: OperatorVerb = {
  help: HELP,
  flags: {},
  async run(args, { PORT }) {
    parseArgs({ args: [...args], options: {} })
    const url = `http://127.0.0.1:${PORT?.trim() || '3000'}/healthz`
    const isAlive = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) }).then(
      ({ ok }) => ok,
      () => false,
    )
    say(isAlive ? 'Alive.' : `${url} does not answer.`)
    return isAlive ? 0 : 1
  },
}
