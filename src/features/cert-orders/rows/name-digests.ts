import { type Database, type Rows, type Sealer, splitChunks } from '@signalman/durable'
import { mapInSlices } from '@signalman/runtime'
import { createFindDigester } from '../../../bot/workspaces/digests.ts'
import type { Environment } from '../../../domain/environment.ts'

/** The digests of one name. `parent`: of what a wildcard over the name would be for. */
interface NameDigest {
  name: string
  parent: string | null
}

/** The databases limit the parameters of a query. */
export const MAX_NAMES = 500

export type NameDigests = ReturnType<typeof createNameDigests>

/**
 * Salted digests of the names of orders and certificates. Comparing opens only what has a name in common, and the index doesn't show
 * the names.
 */
export function createNameDigests(database: Database, keys: Sealer) {
  const { rows } = database
  const findDigester = createFindDigester(database, keys)

  async function findNameDigester(
    workspaceId: string,
    environment: Environment,
    options?: { createIfMissing: boolean },
  ) {
    const digest = await findDigester(workspaceId, options)
    return (
      digest && ((kind: 'name' | 'parent', text: string) => digest(`order ${environment} ${kind} ${text}`))
    )
  }

  return {
    /** The digests of these names. Creates the workspace's salt if there is none. */
    async createDigests(
      workspaceId: string,
      environment: Environment,
      names: readonly string[],
    ): Promise<NameDigest[]> {
      if (names.length === 0) return []
      const digest = await findNameDigester(workspaceId, environment, { createIfMissing: true })
      if (!digest) throw new Error('The salt of the names is missing.')
      return mapInSlices([...new Set(names)], (name) => {
        const parent = findParent(name)
        return { name: digest('name', name), parent: parent === undefined ? null : digest('parent', parent) }
      })
    },

    /** The IDs of the orders with a name that is equal, under a wildcard of these names, or a wildcard over one of them. */
    async findTouched(
      workspaceId: string,
      environment: Environment,
      names: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const digest = await findNameDigester(workspaceId, environment)
      if (!digest) return new Set()
      const wildcardsOver = names.flatMap((name) => {
        const parent = findParent(name)
        return parent === undefined ? [] : [`*.${parent}`]
      })
      const wildcards = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(2))
      const equal = await mapInSlices([...new Set([...names, ...wildcardsOver])], (name) =>
        digest('name', name),
      )
      const under = await mapInSlices([...new Set(wildcards)], (name) => digest('parent', name))
      const found = [
        ...(await findOrderIds(rows, workspaceId, 'name', equal)),
        ...(await findOrderIds(rows, workspaceId, 'parent', under)),
      ]
      return new Set(found)
    },
  }
}

/** The name without its first label; undefined for a wildcard or a single label. */
function findParent(name: string): string | undefined {
  const dot = name.indexOf('.')
  return name.startsWith('*.') || dot === -1 ? undefined : name.slice(dot + 1)
}

async function findOrderIds(
  rows: Rows,
  workspaceId: string,
  column: 'name' | 'parent',
  digests: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const chunk of splitChunks(digests, MAX_NAMES)) {
    const found = await rows
      .selectFrom('order_name')
      .select('order_id')
      .distinct()
      .where('workspace_id', '=', workspaceId)
      .where(column, 'in', chunk)
      .execute()
    ids.push(...found.map(({ order_id }) => order_id))
  }
  return ids
}
