import { readFileSync } from 'node:fs'
import { openStore, type Store } from '../app/store.ts'
import { writtenPastTheApp } from '../bot/audit/told-rows.ts'
import { parseAnchorTarget } from '../domain/audit-anchor.ts'
import { counted } from '../domain/wording.ts'
import { OperatorError, say } from './operator.ts'
import { existingStore } from './store-from-environment.ts'
import { operatorVerb } from './verbs.ts'

const HELP = `
Reads every workspace's audit log from end to end, while the app serves. Says a line for each, and names each fault;
the exit code is 1 when there is one.

  signalman audit verify                 with AUDIT_ANCHOR=file:PATH, compares it with the records in that file too
  signalman audit verify --anchor FILE   compares it with the records in FILE: what the app has put into a channel or sent
                                         to an address, copied out with or without the words around it

Without an anchor, nobody can tell that a log was put back to an earlier state: its rows and its sealed head still fit.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS, AUDIT_ANCHOR.
`

/** Verifies every workspace's audit log, says one line for each, and names each fault. */
export const auditVerify = operatorVerb({
  help: HELP,
  flags: { anchor: { type: 'string' } },
  async run({ values }, environment) {
    const anchor = values.anchor ?? anchorFileOf(environment)
    await using store = await openStore(existingStore(environment))
    return (await verifyAll(store, anchor, new Date(), say)) > 0 ? 1 : 0
  },
})

type Say = (line: string) => void

/** Says what is found of each workspace's log, and of what is stored beside it. Returns the number of faults. */
export async function verifyAll(
  store: Store,
  anchor: string | undefined,
  now: Date,
  say: Say,
): Promise<number> {
  const workspaces = await store.audit.workspaces()
  let faults = 0
  for (const workspace of workspaces) faults += await verifyOne(store, workspace, say)
  const chains = await store.audit.missingChains()
  const others = [
    ...(chains === undefined ? [] : [chains]),
    ...(await store.audit.unlogged()),
    ...(await Array.fromAsync(writtenPastTheApp(store, now))),
  ]
  for (const fault of others) say(fault)
  faults += others.length
  if (anchor !== undefined) faults += await compare(store, anchor, say)
  if (faults === 0) say(workspaces.length === 0 ? 'The audit log is empty.' : 'The audit log is whole.')
  return faults
}

async function verifyOne(store: Store, workspace: string, say: Say): Promise<number> {
  const verdict = await store.audit.verify(workspace)
  say(`${workspace}: ${counted(verdict.rows, 'row')}, ${faultWords(verdict.faults.length)}`)
  for (const { sequence, what } of verdict.faults) {
    say(sequence === 0 ? `  ${what}` : `  row ${sequence} ${what}`)
  }
  return verdict.faults.length
}

/** Says what is wrong with the log by what was put outside of the database. */
async function compare(store: Store, path: string, say: Say): Promise<number> {
  const { records, faults } = await store.anchoring.compare(read(path))
  for (const { workspaceId, sequence, what } of faults)
    say(`${workspaceId}: ${workspaceId === 'the anchor' ? 'record' : 'row'} ${sequence} ${what}`)
  const last = records.at(-1)
  if (last === undefined) say(`There is no record of the audit log in ${path}.`)
  else
    say(
      `${path}: ${counted(records.length, 'record')}, the last as of ${last.at}; ${faultWords(faults.length)}`,
    )
  return last === undefined ? faults.length + 1 : faults.length
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(
      `The anchor ${path} cannot be read: ${error instanceof Error ? error.message : ''}`,
    )
  }
}

function anchorFileOf({ AUDIT_ANCHOR }: Readonly<Record<string, string | undefined>>): string | undefined {
  const target = parseAnchorTarget(AUDIT_ANCHOR?.trim() ?? '')
  return target?.kind === 'file' ? target.path : undefined
}

const faultWords = (faults: number): string => (faults === 0 ? 'whole' : counted(faults, 'fault'))
