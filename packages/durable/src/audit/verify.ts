import { yieldWhenDue } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AuditChainRow, type Schema, selectRows } from '../database/schema.ts'
import { tryOpen } from '../secrets/seal.ts'
import { type Chains, REGISTER } from './chain.ts'
import { compareDecisions, hasGenuine, parseRowNumber, type StoredDecision } from './decisions.ts'
import { type Head, lastRestore, type Register } from './head.ts'
import { type AuditFault, readChain } from './read-chain.ts'
import { searchRows } from './search.ts'

/** The result for one workspace's log, with at most 1,000 faults. */
export interface AuditVerdict {
  readonly rows: number
  readonly faults: readonly AuditFault[]
  /** Unusual findings that aren't faults. */
  readonly notes: readonly string[]
  /** Undefined if the head is missing or doesn't open. */
  readonly head: Head | undefined
}

/** The result for all logs. */
export interface AuditVerdicts {
  readonly workspaces: ReadonlyMap<string, AuditVerdict>
  /** Undefined if the register is missing or doesn't open. */
  readonly register: Register | undefined
  /** Faults in the register of chains. */
  readonly faults: readonly string[]
}

const MAX_FAULTS = 1000
const HEAD_MISSING = 'the sealed head of the chain was deleted'
const HEAD_UNREADABLE =
  'the sealed head of the chain can’t be decrypted: it was changed, or belongs to another workspace'

/** How to read what the audit rows are compared with: the heads, and the stored settings and roles. */
interface VerifyDeps {
  readonly chains: Chains
  readonly readDecisions: (
    rows: Kysely<Schema>,
  ) => Promise<ReadonlyMap<string, ReadonlyMap<string, StoredDecision>>>
}

/**
 * Compares every row with its hash and the previous row, the rows with their sealed head, settings and roles with the last
 * decisions, and the chains with their register. It never interprets a row's content. `rows` is a snapshot, so others may write
 * meanwhile.
 */
export async function verifyAll(
  rows: Kysely<Schema>,
  kind: Database['kind'],
  { chains, readDecisions }: VerifyDeps,
  onlyWorkspaceId?: string,
): Promise<AuditVerdicts> {
  const found = await selectRows(rows, 'audit_chain', {}).orderBy('workspace_id').execute()
  const sealed = new Map(found.map((row) => [row.workspace_id, row]))
  const stored = await readDecisions(rows)
  const hasDecisions = [...stored.values()].some(hasGenuine)
  const { register, fault } = readRegister(chains, sealed, hasDecisions || (await hasRows(rows)))
  const workspaceIds = new Set([
    ...(register?.chains ?? []),
    ...sealed.keys(),
    ...(await listWorkspacesWithRows(rows)),
    ...[...stored].flatMap(([workspaceId, decisions]) => (hasGenuine(decisions) ? [workspaceId] : [])),
  ])
  workspaceIds.delete(REGISTER)
  const workspaces = new Map<string, AuditVerdict>()
  for (const workspaceId of [...workspaceIds].toSorted()) {
    if (onlyWorkspaceId !== undefined && onlyWorkspaceId !== workspaceId) continue
    const deps = { rows, kind, chains, register, decided: stored.get(workspaceId) ?? new Map() }
    workspaces.set(workspaceId, await verifyWorkspace(deps, workspaceId, sealed.get(workspaceId)))
  }
  return { workspaces, register, faults: fault === undefined ? [] : [fault] }
}

function readRegister(
  chains: Chains,
  sealed: ReadonlyMap<string, AuditChainRow>,
  hasBegun: boolean,
): { register?: Register; fault?: string } {
  const row = sealed.get(REGISTER)
  if (!row)
    return hasBegun || sealed.size > 0
      ? { fault: 'The encrypted list of audit logs was deleted from the database.' }
      : {}
  const opened = tryOpen(() => chains.openRegister(row))
  return 'value' in opened
    ? { register: opened.value }
    : { fault: 'The encrypted list of audit logs was changed by another program.' }
}

async function verifyWorkspace(
  deps: {
    rows: Kysely<Schema>
    kind: Database['kind']
    chains: Chains
    register: Register | undefined
    decided: ReadonlyMap<string, StoredDecision>
  },
  workspaceId: string,
  sealed: AuditChainRow | undefined,
): Promise<AuditVerdict> {
  const { rows, kind, chains, register, decided } = deps
  const faults: AuditFault[] = []
  const addFault = (description: string, sequence = 0) => faults.push({ sequence, description })
  if (register && !register.chains.includes(workspaceId))
    addFault('the chain isn’t in the register: the chain was inserted, or the register was rolled back')
  if (!sealed)
    return {
      rows: 0,
      faults: [...faults, { sequence: 0, description: HEAD_MISSING }],
      notes: [],
      head: undefined,
    }
  const opened = tryOpen(() => chains.openHead(sealed))
  if ('sealError' in opened)
    return {
      rows: 0,
      faults: [...faults, { sequence: 0, description: HEAD_UNREADABLE }],
      notes: [],
      head: undefined,
    }
  const head = opened.value
  if (register && head.restore !== lastRestore(register))
    addFault('the sealed head is from before the last restore: it was rolled back')
  const anchored = register?.heads[workspaceId]
  if (anchored && anchored[0] > head.sequence)
    addFault(
      `and all rows up to ${anchored[0]}, which the register lists, are missing: the log was rolled back`,
      head.sequence + 1,
    )
  const chain = readChain(head, chains.isErased)
  let count = 0
  for await (const page of searchRows({ kind, reading: rows }, { workspaceId }, 'asc'))
    for (const row of page) {
      await yieldWhenDue()
      count += 1
      if (faults.length < MAX_FAULTS) faults.push(...chain.step(row))
    }
  faults.push(...chain.end(), ...findDecisionFaults(chains, sealed, head, decided))
  const leftoverCount = chain.leftovers()
  const notes =
    leftoverCount > 0
      ? [`${leftoverCount} rows should already have been deleted. The next cleanup deletes them.`]
      : []
  return { rows: count - leftoverCount, faults: faults.slice(0, MAX_FAULTS), notes, head }
}

/** Finds settings and roles that differ from the last decisions. */
export function findDecisionFaults(
  chains: Chains,
  sealed: AuditChainRow,
  head: Head,
  stored: ReadonlyMap<string, StoredDecision>,
): AuditFault[] {
  const decided = tryOpen(() => chains.openDecided(sealed))
  if ('sealError' in decided)
    return [
      {
        sequence: 0,
        description:
          'the sealed list of decisions can’t be decrypted: it was changed, or belongs to another workspace',
      },
    ]
  const { by, rows } = decided.value
  if (by !== head.decided)
    return [
      {
        sequence: head.decided === '' ? 0 : parseRowNumber(head.decided),
        description:
          'made the last decision, but the sealed list of decisions is from another row: it was rolled back',
      },
    ]
  return compareDecisions(rows, stored)
}

async function hasRows(rows: Kysely<Schema>): Promise<boolean> {
  return (await rows.selectFrom('audit_entry').select('sequence').limit(1).executeTakeFirst()) !== undefined
}

/** Every workspace with rows, by ID. Jumps along the index instead of reading all rows. */
async function listWorkspacesWithRows(rows: Kysely<Schema>): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`
    with recursive found (id) as (
      select min(workspace_id) from audit_entry
      union all
      select (select min(workspace_id) from audit_entry where workspace_id > found.id) from found where id is not null
    )
    select id from found where id is not null`.execute(rows)
  return found.map(({ id }) => id)
}

/** Every workspace with rows or a chain, by ID. */
export async function listWorkspacesWithLogs(rows: Kysely<Schema>): Promise<string[]> {
  const chains = await rows.selectFrom('audit_chain').select('workspace_id').execute()
  const all = new Set([
    ...chains.map(({ workspace_id }) => workspace_id),
    ...(await listWorkspacesWithRows(rows)),
  ])
  all.delete(REGISTER)
  return [...all].toSorted()
}
