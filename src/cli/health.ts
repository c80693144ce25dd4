import { localUrl } from '../config.ts'
import { printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'

const HELP = `
Requests /healthz from the app on this machine. The exit code is 1 if it doesn't respond, so that the container is restarted.

Read from the environment: PORT, HOST.
`

const TIMEOUT_MS = 4000

export const health = operatorVerb({
  help: HELP,
  flags: {},
  async run(_, { PORT = '', HOST = '' }) {
    const url = `${localUrl({ host: HOST.trim(), port: PORT.trim() || '3000' })}/healthz`
    const isAlive = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
      ({ ok }) => ok,
      () => false,
    )
    printLine(isAlive ? 'Alive.' : `${url} doesn’t respond.`)
    return isAlive ? 0 : 1
  },
})
