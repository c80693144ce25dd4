import { parseArgs } from 'node:util'
import { openStore, type Store } from '../store/store.ts'
import { anchorFileOf, compare, faultWords } from './compare-anchor.ts'
import { say } from './operator.ts'
import { existingStore } from './store-from-environment.ts'
import type { OperatorVerb } from './verbs.ts'

const HELP = `
Reads every workspace's audit log from end to end, while the app serves. Says a line for each, and names each fault;
the exit code is 1 when there is one.

  signalman audit verify                 with AUDIT_ANCHOR=file:PATH, compares it with the records in that file too
  signalman audit verify --anchor FILE   compares it with the records in FILE: what the app has put into a channel or sent
                                         to an address, copied out with or without the words around it

Without an anchor nobody can tell a log that was put back, rows and sealed head together, to what it once was.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS, AUDIT_ANCHOR.
`

const FLAGS = { anchor: { type: 'string' } } as const

/** Verifies every workspace's audit log, says one line for each, and names each fault. */
export const auditVerify: OperatorVerb = {
  help: HELP,
  flags: FLAGS,
  async run(args, environment) {
    const { values } = parseArgs({ args: [...args], options: FLAGS })
    const anchor = values.anchor ?? anchorFileOf(environment)
    await using store = await openStore(existingStore(environment))
    const workspaces = await store.audit.workspaces()
    let faults = 0
    for (const workspace of workspaces) faults += await verifyOne(store, workspace)
    const missing = [await store.audit.missingChains(), ...(await store.audit.unlogged())].filter(
      (fault) => fault !== undefined,
    )
    for (const fault of missing) say(fault)
    faults += missing.length
    if (anchor !== undefined) faults += await compare(store, anchor)
    if (faults > 0) return 1
    say(workspaces.length === 0 ? 'The audit log is empty.' : 'The audit log is whole.')
    return 0
  },
}

async function verifyOne(store: Store, workspace: string): Promise<number> {
  const verdict = await store.audit.verify(workspace)
  say(`${workspace}: ${verdict.rows} rows, ${faultWords(verdict.faults.length)}`)
  for (const { sequence, what } of verdict.faults) {
    say(sequence === 0 ? `  ${what}` : `  row ${sequence} ${what}`)
  }
  return verdict.faults.length
}
