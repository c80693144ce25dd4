import type { Database } from '../../../packages/durable/src/database/database.ts'
import type { AuditChainRow, AuditEntryRow } from '../../../packages/durable/src/database/schema.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import type { TestDatabase } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

export const ROWS = 12

export interface Tables {
  entries: AuditEntryRow[]
  chains: AuditChainRow[]
}

/** One audit log of two workspaces, anchored, with every earlier sealed head, as a write-ahead log hands them out. */
export interface Scene {
  readonly store: Store
  readonly raw: Database
  readonly anchor: string
  readonly whole: Tables
  /** Of T1, by the row that they were sealed behind. */
  readonly heads: readonly string[]
  put(tables: Tables): Promise<void>
  /** Everything that `audit verify --anchor` finds, a line for each. */
  found(): Promise<string[]>
}

export async function append(store: Store, workspaceId: string, n: number): Promise<void> {
  await store.audit.append({
    workspaceId,
    at: new Date(n * 60_000),
    actor: { userId: `U${n}` },
    verb: 'health-check.edit',
    object: `check ${n}`,
    before: { n },
    outcome: 'done',
    reference: `r${n}`,
  })
}

export async function sceneOf(database: TestDatabase): Promise<Scene & AsyncDisposable> {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore(database))
  const raw = started.use(await openDatabase(database.url))
  const { rows } = raw
  const tables = async (): Promise<Tables> => ({
    entries: await rows.selectFrom('audit_entry').selectAll().execute(),
    chains: await rows.selectFrom('audit_chain').selectAll().execute(),
  })
  const heads: string[] = []
  const records: string[] = []
  for (let n = 1; n <= ROWS; n++) {
    for (const workspaceId of ['T1', 'T2']) await append(store, workspaceId, n)
    heads.push((await tables()).chains.find((row) => row.workspace_id === 'T1')?.sealed_head ?? '')
    if (n % 5 !== 0 && n !== ROWS) continue
    const { heads: open } = await store.anchoring.unanchored()
    await store.anchoring.anchor(open, new Date(n * 60_000), async (text) => void records.push(text))
  }
  const everything = started.move()
  const scene: Scene = {
    store,
    raw,
    heads,
    anchor: `Copied from a channel:\n${records.map((text) => `\`\`\`${text}\`\`\``).join('\n')}`,
    whole: await tables(),
    async put({ entries, chains }) {
      await rows.deleteFrom('audit_entry').execute()
      await rows.deleteFrom('audit_chain').execute()
      if (entries.length > 0) await rows.insertInto('audit_entry').values(entries).execute()
      if (chains.length > 0) await rows.insertInto('audit_chain').values(chains).execute()
    },
    async found() {
      const lines: string[] = []
      for (const workspaceId of await store.audit.workspaces())
        for (const { sequence, what } of (await store.audit.verify(workspaceId)).faults)
          lines.push(`${workspaceId} ${sequence} ${what}`)
      const missing = await store.audit.missingChains()
      if (missing !== undefined) lines.push(missing)
      for (const { workspaceId, sequence, what } of (await store.anchoring.compare(scene.anchor)).faults)
        lines.push(`${workspaceId} ${sequence} ${what}`)
      return lines
    },
  }
  return { ...scene, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}
