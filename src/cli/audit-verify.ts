import { openStore, StoreError } from '../store/store.ts'
import { existingStore } from './store-from-environment.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Verifies every workspace's audit log, says one line for each, and names each fault. */
async function main(): Promise<void> {
  await using store = await openStore(existingStore(process.env))
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
  if (faults > 0 || missing !== undefined) process.exitCode = 1
  else say(workspaces.length === 0 ? 'The audit log is empty.' : 'The audit log is whole.')
}

function counted(faults: number): string {
  if (faults === 0) return 'whole'
  return faults === 1 ? '1 fault' : `${faults} faults`
}

try {
  await main()
} catch (error) {
  // What the operator can mend is one plain message; anything else is a bug and shows its stack.
  const text = error instanceof StoreError ? error.message : String((error as Error).stack ?? error)
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}
