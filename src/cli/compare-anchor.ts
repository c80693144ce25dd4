import { readFileSync } from 'node:fs'
import { parseAnchorTarget } from '../domain/audit-anchor.ts'
import { counted } from '../domain/wording.ts'
import type { Store } from '../store/store.ts'
import { OperatorError, say } from './operator.ts'

/** Says what is wrong with the log by what was put outside of the database. */
export async function compare(store: Store, path: string): Promise<number> {
  const { records, faults } = await store.anchoring.compare(read(path))
  const last = records.at(-1)
  if (last === undefined) {
    say(`There is no record of the audit log in ${path}.`)
    return 1
  }
  for (const { workspaceId, sequence, what } of faults)
    say(`${workspaceId}: ${workspaceId === 'the anchor' ? 'record' : 'row'} ${sequence} ${what}`)
  say(`${path}: ${records.length} records, the last as of ${last.at}; ${faultWords(faults.length)}`)
  return faults.length
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

export function anchorFileOf({
  AUDIT_ANCHOR,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  const target = parseAnchorTarget(AUDIT_ANCHOR?.trim() ?? '')
  return target?.kind === 'file' ? target.path : undefined
}

export const faultWords = (faults: number): string => (faults === 0 ? 'whole' : counted(faults, 'fault'))
