import { startedAtMs } from '@signalman/runtime'
import type { InsertQueryNode, KyselyPlugin, OperationNode } from 'kysely'
import type { Model } from './declared-table.ts'
import { WorkspaceDeleted } from './errors.ts'

/** A deletion of a workspace's rows that has begun. */
export interface ErasureMark {
  readonly workspaceId: string
  /** Identifies this deletion. */
  readonly id: string
  /** True if the audit log, roles, and settings are deleted too, not only the workspace's content. */
  readonly isWhole: boolean
}

/**
 * Refuses new rows of a workspace that come from a request or a job that began before the workspace's rows were deleted, whatever table
 * they're for. It may have waited for another system meanwhile, and its row would stay. Later requests aren't affected.
 */
export function createErasureGuard(model: Pick<Model, 'tables'>) {
  /** By workspace: which requests are too old for its content, and for its audit log, roles, and settings. */
  const marked = new Map<
    string,
    { readonly id: string; readonly contentSince: number; readonly restSince: number }
  >()

  /** Throws WorkspaceDeleted if an insert must be refused. */
  function check({ into, columns = [], values }: InsertQueryNode): void {
    const table = model.tables.find(({ name }) => name === into?.table.identifier.name)
    const index = columns.findIndex(({ column }) => column.name === table?.owner)
    if (!table || index < 0 || values?.kind !== 'ValuesNode') return
    const startedAt = startedAtMs()
    for (const workspaceId of listCells(values, index)) {
      const mark = marked.get(workspaceId)
      const since = table.forgotten === 'kept' ? mark?.restSince : mark?.contentSince
      if (since !== undefined && startedAt < since) throw new WorkspaceDeleted()
    }
  }

  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (marked.size > 0 && node.kind === 'InsertQueryNode') check(node)
      return node
    },
    transformResult: async ({ result }) => result,
  }

  return {
    plugin,
    /** Refuses what began before now, once for each mark. */
    refuse({ workspaceId, id, isWhole }: ErasureMark): void {
      const before = marked.get(workspaceId)
      if (before?.id === id) return
      const contentSince = performance.now()
      marked.set(workspaceId, {
        id,
        contentSince,
        restSince: isWhole ? contentSince : (before?.restSince ?? 0),
      })
    },
  }
}

/** The values of one column, which Kysely keeps as they are or in nodes. Their nodes have no common type. */
function* listCells(values: OperationNode, index: number): Generator<string> {
  for (const { values: row } of (values as unknown as { values: { values: unknown[] }[] }).values) {
    const cell = row[index]
    yield String(typeof cell === 'object' && cell !== null && 'value' in cell ? cell.value : cell)
  }
}

export type ErasureGuard = ReturnType<typeof createErasureGuard>
