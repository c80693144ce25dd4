import { parseArgs } from 'node:util'
import { say } from './operator.ts'
import type { OperatorVerb } from './verbs.ts'

const HELP = `
Asks the app on this machine for /healthz. The exit code is 1 when it does not answer, so that a container is restarted.

Read from the environment: PORT, HOST.
`

const WITHIN_MS = 4000

/** Whoever listens everywhere is reached on this machine too. */
function reachedAt(host: string | undefined): string {
  if (!host || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

export const health: OperatorVerb = {
  help: HELP,
  flags: {},
  async run(args, { PORT, HOST }) {
    parseArgs({ args: [...args], options: {} })
    const url = `http://${reachedAt(HOST?.trim())}:${PORT?.trim() || '3000'}/healthz`
    const isAlive = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) }).then(
      ({ ok }) => ok,
      () => false,
    )
    say(isAlive ? 'Alive.' : `${url} does not answer.`)
    return isAlive ? 0 : 1
  },
}
