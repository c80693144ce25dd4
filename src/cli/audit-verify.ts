import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type AnchorText, type AuditVerdict, describeFault } from '@signalman/durable'
import { openStore, type Store } from '../app/store.ts'
import { anchorName, parseAnchorTarget } from '../domain/audit-anchor.ts'
import { pluralize } from '../domain/wording.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { readExistingStoreOptions } from './store-from-environment.ts'

const HELP = `
Verifies every workspace's audit log against its signed head, and the stored settings and roles against the log's last records.
With --anchor, also compares the records stored outside the database. Prints one line for each workspace and each problem. The
exit code is 1 if there is a problem. The app can keep running.

  signalman audit verify                 with AUDIT_ANCHOR=file:PATH, also compares that file
  signalman audit verify --anchor FILE   compares the records in FILE: the file that the app writes, or messages copied
                                         from the channel where it posts them; other text is ignored

Without an anchor, nobody can detect that the whole database was replaced by an older copy. docs/security.md lists what else
can't be detected.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS, AUDIT_ANCHOR.
`

/** Verifies every workspace's audit log, and prints one line for each workspace and each fault. */
export const auditVerify = operatorVerb({
  help: HELP,
  flags: { anchor: { type: 'string' } },
  async run({ values }, environment) {
    const anchor = readAnchor(values.anchor, environment)
    await using store = await openStore(readExistingStoreOptions(environment))
    const faults = await verifyAll(store, anchor, printLine)
    const uncompared = await findUncomparedPlace(store, anchor)
    if (uncompared !== undefined)
      printLine(
        `Not compared with the anchor ${uncompared}, so an older copy of the whole database would look the same. Save its records in a file, and add --anchor FILE.`,
      )
    return faults > 0 ? 1 : 0
  },
})

/** The place that has the records of this database, if it isn't the one that was compared. A file from elsewhere may be a copy of it. */
async function findUncomparedPlace(
  { anchoring }: Pick<Store, 'anchoring'>,
  anchor: AnchorFile | undefined,
): Promise<string | undefined> {
  const { last } = await anchoring.readState()
  if (anchor !== undefined && (anchor.place === undefined || anchor.place === last?.place)) return undefined
  return last?.place
}

type Print = (line: string) => void

type Verdicts = Awaited<ReturnType<Store['audit']['verifyAll']>>
type AnchorFile = AnchorText & { path: string }

/** Verifies the logs and related rows, and prints the results. Returns the number of faults. */
export async function verifyAll(
  store: Pick<Store, 'audit' | 'forgedRows'>,
  anchor: AnchorFile | undefined,
  print: Print,
): Promise<number> {
  const verdicts = await store.audit.verifyAll(anchor)
  const { workspaces } = verdicts
  let faults = 0
  for (const [workspace, verdict] of workspaces) {
    const anchorFaults = verdicts.anchor?.faultsByWorkspace.get(workspace) ?? []
    faults += printWorkspace(workspace, { ...verdict, faults: [...verdict.faults, ...anchorFaults] }, print)
  }
  // Workspaces that are in the anchor but no longer in the database.
  const missingWorkspaces = [...(verdicts.anchor?.faultsByWorkspace ?? [])].filter(
    ([workspace]) => !workspaces.has(workspace),
  )
  const otherFaults = [
    ...missingWorkspaces.flatMap(([workspace, anchorFaults]) =>
      anchorFaults.map((fault) => `${workspace}: ${describeFault(fault)}`),
    ),
    ...verdicts.faults,
    ...(await Array.fromAsync(store.forgedRows())),
  ]
  for (const fault of otherFaults) print(fault)
  faults += otherFaults.length
  if (anchor && verdicts.anchor) faults += printAnchor(anchor, verdicts.anchor, print)
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

/** A place may be empty: if the database has written there, the comparison says what is missing. */
function printAnchor(
  { path, place }: AnchorFile,
  { records, count, faults, notes }: NonNullable<Verdicts['anchor']>,
  print: Print,
): number {
  if (count === 0) print(`${path} contains no records of an audit log.`)
  for (const { sequence, description } of faults) print(`${path}: record ${sequence} ${description}`)
  for (const note of notes) print(`${path}: ${note}`)
  if (count > 0)
    print(
      `${path}: ${pluralize(records.length, 'record')} compared, the latest from ${records.at(-1)?.at ?? 'none'}`,
    )
  return faults.length + (count === 0 && place === undefined ? 1 : 0)
}

/**
 * Reads the file of the `--anchor` flag, or the one in AUDIT_ANCHOR. Only the file in AUDIT_ANCHOR gets a `place`, because
 * it must be complete. Any other file may be a partial copy.
 */
function readAnchor(
  flagPath: string | undefined,
  { AUDIT_ANCHOR }: Readonly<Record<string, string | undefined>>,
): AnchorFile | undefined {
  const typed = AUDIT_ANCHOR?.trim() ?? ''
  const target = parseAnchorTarget(typed)
  if (typed !== '' && !target)
    throw new OperatorError(
      'AUDIT_ANCHOR must be slack:CHANNEL, slack:WORKSPACE/CHANNEL, or file:PATH, without quotes. Nothing was verified.',
      2,
    )
  const configured = target?.kind === 'file' ? target : undefined
  const path = flagPath ?? configured?.path
  if (path === undefined) return undefined
  const isConfigured = configured !== undefined && resolve(configured.path) === resolve(path)
  return { path, text: readAnchorFile(path), ...(isConfigured && { place: anchorName(configured) }) }
}

function readAnchorFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(
      `The anchor ${path} can’t be read: ${error instanceof Error ? error.message : ''}`,
    )
  }
}
