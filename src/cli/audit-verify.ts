import { parseArgs } from 'node:util'
import { openStore } from '../store/store.ts'
import { say } from './operator.ts'
import { existingStore } from './store-from-environment.ts'
import type { OperatorVerb } from './verbs.ts'

const HELP = `
Reads every workspace's audit log from end to end, while the app serves. Says a line for each, and names each fault;
the exit code is 1 when there is one.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

/** Verifies every workspace's audit log, says one line for each, and names each fault. */
export const auditVerify: OperatorVerb = {
  help: HELP,
  async run(args, environment) {
    parseArgs({ args: [...args], options: {} })
    await using store = await openStore(existingStore(environment))
    const workspaces = await store.audit.workspaces()
    let faults = 0
    for (const workspace of workspaces) {
      const verdict = await store.audit.verify(workspace)
      faults += verdict.faults.length
      say(`${workspace}: ${verdict.rows} rows, ${counted(verdict.faults.length)}`)
      for (const { sequence, what } of verdict.faults) {
        say(sequence === 0 ? `  ${what}` : `  row ${sequence} ${what}`)
      }
    }
    const missing = await store.audit.missingChains()
    if (missing !== undefined) say(missing)
    if (faults > 0 || missing !== undefined) return 1
    say(workspaces.length === 0 ? 'The audit log is empty.' : 'The audit log is whole.')
    return 0
  },
}

function counted(faults: number): string {
  if (faults === 0) return 'whole'
  return faults === 1 ? '1 fault' : `${faults} faults`
}
