import { type AuditVerdict, describeFault } from '@signalman/durable'
import { openStore, type Store } from '../app/store.ts'
import { pluralize } from '../domain/wording.ts'
import { printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { readExistingStoreOptions } from './store-from-environment.ts'

const HELP = `
Verifies every workspace's audit log against its signed head, and the stored settings and roles against the log's last records.
The exit code is 1 if there is a problem. The app can keep running.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

/** Verifies every workspace's audit log, and prints one line for each workspace and each fault. */
export const auditVerify = operatorVerb({
  help: HELP,
  flags: {},
  async run(_, environment) {
    await using store = await openStore(readExistingStoreOptions(environment))
    return (await verifyAll(store, printLine)) > 0 ? 1 : 0
  },
})

type Print = (line: string) => void


/** Verifies the logs and related rows, and prints the results. Returns the number of faults. */
export async function verifyAll(
  store: Pick<Store, 'audit' | 'forgedRows'>,
  print: Print,
): Promise<number> {
  const verdicts = await store.audit.verifyAll()
  const { workspaces } = verdicts
  let faults = 0
  for (const [workspace, verdict] of workspaces) faults += printWorkspace(workspace, verdict, print)
  const otherFaults = [
    ...verdicts.faults,
    ...(await Array.fromAsync(store.forgedRows())),
  ]
  for (const fault of otherFaults) print(fault)
  faults += otherFaults.length
  if (faults === 0) print(workspaces.size === 0 ? 'The audit log is empty.' : 'The audit log is intact.')
  return faults
}

function printWorkspace(
  workspace: string,
  { rows, head, notes, faults }: AuditVerdict,
  print: Print,
): number {
  print(
    `${workspace}: ${pluralize(rows, 'row')}, ${faults.length === 0 ? 'intact' : pluralize(faults.length, 'fault')}`,
  )
  for (const fault of faults) print(`  ${describeFault(fault)}`)
  // Deliberate removals, such as by the retention period, which aren't faults.
  for (const { why: cause, to: lastRow, day, by: auditRow } of head?.cuts ?? [])
    print(`  ${cause} removed the rows up to ${lastRow} on ${day}, recorded in row ${auditRow}`)
  for (const note of notes) print(`  ${note}`)
  return faults.length
}

