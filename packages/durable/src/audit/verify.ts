import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { AuditEntryRow, Schema } from '../database/schema.ts'
import { SealError } from '../secrets/seal.ts'
import type { ChainHead, Chains } from './chain.ts'
import { findRows } from './search.ts'
import { type AuditFault, type IsErased, readChain } from './walk.ts'

/** How much of a chain was read, and its faults: at most 1,000. */
export interface AuditVerdict {
  readonly rows: number
  readonly faults: readonly AuditFault[]
}

const MOST_FAULTS = 1000
export const DELETED = 'the sealed head of the chain was deleted'

type Read = Pick<Database, 'kind' | 'rows' | 'reading'>

/** Reads the whole chain, in constant memory, while others may append to it and shorten it. */
export async function verifyChain(
  database: Read & Pick<Database, 'snapshot'>,
  chains: Chains,
  workspaceId: string,
): Promise<AuditVerdict> {
  const { kind, snapshot } = database
  const { verdict, hasMoved } = await verifyOnce(database, chains, workspaceId)
  if (!hasMoved) return verdict
  // A snapshot keeps what is deleted meanwhile, so it is taken only where that was in the way.
  const still = await snapshot((rows) => verifyOnce({ kind, rows, reading: rows }, chains, workspaceId))
  return still.verdict
}

async function verifyOnce(
  { kind, rows, reading }: Read,
  chains: Chains,
  workspaceId: string,
): Promise<{ verdict: AuditVerdict; hasMoved: boolean }> {
  const head = await headOrFault(rows, chains, workspaceId)
  const pages = findRows({ kind, reading }, { workspaceId }, 'asc')
  const verdict = await verdictOf(pages, head, chains.isErased)
  const beyond = 'fault' in head ? [] : await beyondTheEnd(rows, chains, workspaceId, head)
  const faults = [...verdict.faults, ...beyond].slice(0, MOST_FAULTS)
  const hasMoved = faults.length > 0 && (await movedSince(rows, chains, workspaceId, head))
  return { verdict: { rows: verdict.rows, faults }, hasMoved }
}

async function headOrFault(
  rows: Kysely<Schema>,
  chains: Chains,
  workspaceId: string,
): Promise<ChainHead | { fault: string }> {
  try {
    const head = await chains.read(rows, workspaceId)
    return head ?? { fault: DELETED }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return { fault: 'the sealed head of the chain does not open: it was changed, or is another one’s' }
  }
}

async function verdictOf(
  pages: AsyncIterable<AuditEntryRow[]>,
  found: ChainHead | { fault: string },
  isErased: IsErased,
): Promise<AuditVerdict> {
  const head = 'fault' in found ? undefined : found
  const chain = readChain(head, isErased)
  const faults: AuditFault[] = 'fault' in found ? [{ sequence: 0, what: found.fault }] : []
  let count = 0
  for await (const page of pages) {
    const known = head ? page.filter(({ sequence }) => sequence <= head.sequence) : page
    count += known.length
    for (const row of known) if (faults.length < MOST_FAULTS) faults.push(...chain.step(row))
    if (known.length < page.length) break
  }
  const isOfNoLog = count === 0 && 'fault' in found && found.fault === DELETED
  return { rows: count, faults: isOfNoLog ? [] : [...faults, ...chain.end()] }
}

/** One transaction adds a row and moves the head, so a head that is read after the row includes it. */
async function beyondTheEnd(
  rows: Kysely<Schema>,
  chains: Chains,
  workspaceId: string,
  head: ChainHead,
): Promise<AuditFault[]> {
  const found = await rows
    .selectFrom('audit_entry')
    .select('sequence')
    .where('workspace_id', '=', workspaceId)
    .where('sequence', '>', head.sequence)
    .orderBy('sequence', 'desc')
    .limit(MOST_FAULTS)
    .execute()
  const now = found.length === 0 ? head : await headOrFault(rows, chains, workspaceId)
  const end = 'fault' in now ? head.sequence : now.sequence
  return found
    .filter(({ sequence }) => sequence > end)
    .map(({ sequence }) => ({ sequence, what: 'was put in after the last row' }))
    .reverse()
}

/** Whether retention has deleted rows meanwhile, or a first row has made the head: neither is a fault. */
async function movedSince(
  rows: Kysely<Schema>,
  chains: Chains,
  workspaceId: string,
  before: ChainHead | { fault: string },
): Promise<boolean> {
  const after = await headOrFault(rows, chains, workspaceId)
  if ('fault' in after) return false
  return 'fault' in before || before.keptFrom !== after.keptFrom
}

/** Two clocks may date an order and its row of the audit log. */
const SKEW_MS = 60_000

/**
 * Workspaces whose audit log lacks an act that it must have: the log is empty, or its very first row is later. Returns one line for
 * each.
 */
export async function unloggedWorkspaces({
  reading,
  model,
}: Pick<Database, 'reading' | 'model'>): Promise<string[]> {
  const logged = model.tables.flatMap(({ name, logged }) => (logged ? [{ name, ...logged }] : []))
  const acts = logged.map(
    ({ name, what, at }) => sql`
      select workspace_id, ${sql.lit(what)} as what, min(${sql.ref(at)}) as at from ${sql.table(name)} group by workspace_id`,
  )
  const firstActs = new Set(logged.flatMap(({ what, isFirst }) => (isFirst ? [what] : [])))
  const { rows } = await sql<{
    workspaceId: string
    what: string
    at: string
    first: string | null
    start: number | null
  }>`
    select done.workspace_id as "workspaceId", done.what as "what", done.at as "at", e.at as "first", e.sequence as "start"
    from (${sql.join(acts, sql` union all `)}) done
    left join audit_entry e on e.workspace_id = done.workspace_id
      and e.sequence = (select min(sequence) from audit_entry where workspace_id = done.workspace_id)
    order by done.workspace_id, done.what`.execute(reading)
  return rows.flatMap(({ workspaceId, what, at, first, start }) => {
    if (first === null)
      return [`${workspaceId}: the audit log is empty, although a ${what} ${at}: it was wiped`]
    const isLate = Date.parse(first) - Date.parse(at) > SKEW_MS
    return start === 1 && isLate && firstActs.has(what)
      ? [
          `${workspaceId}: row 1 of the audit log is of ${first}, although a ${what} ${at}: what came before was wiped`,
        ]
      : []
  })
}
