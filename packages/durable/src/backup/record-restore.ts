import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { type Chains, REGISTER } from '../audit/chain.ts'
import type { Head } from '../audit/head.ts'
import { toUnchainedRow } from '../audit/row.ts'
import { type AuditChainRow, deleteRows, type Schema, selectRows } from '../database/schema.ts'
import { tryOpen } from '../secrets/seal.ts'
import type { BackupHeader } from './format.ts'

/**
 * Records the restore in the database before any process uses it: seals it into the register and every chain head, and adds a row to
 * every audit log. The anchor gets a record of it when the app starts, because it may be out of reach now. Workspaces erased since
 * the backup start a new chain. Leaves heads that can't be decrypted as they are; verification reports them.
 */
export async function recordRestore(
  transaction: Transaction<Schema>,
  chains: Chains,
  erasedWorkspaces: readonly string[],
  { header, now }: { header: Pick<BackupHeader, 'id' | 'madeAt'>; now: Date },
): Promise<void> {
  const sealed = await selectRows(transaction, 'audit_chain', {}).orderBy('workspace_id').execute()
  const registerRow = sealed.find(({ workspace_id }) => workspace_id === REGISTER)
  const opened = registerRow && tryOpen(() => chains.openRegister(registerRow))
  if (!opened || 'sealError' in opened) return
  const { begun: _, ...register } = opened.value
  const restore = { id: randomUUID(), after: register.n }
  await chains.save(transaction, REGISTER, {
    ...register,
    restores: [...register.restores, restore],
    owed: header.madeAt,
    chains: register.chains.filter((id) => !erasedWorkspaces.includes(id)),
    heads: Object.fromEntries(
      Object.entries(register.heads).filter(([id]) => !erasedWorkspaces.includes(id)),
    ),
  })
  const createAuditRow = (workspaceId: string, after: object) =>
    toUnchainedRow({
      workspaceId,
      at: now,
      actor: { userId: 'operator' },
      verb: 'store.restore',
      object: 'database',
      after: { asOf: header.madeAt, backup: header.id, ...after },
      outcome: 'done',
      reference: restore.id.slice(0, 8),
    })
  for (const [row, head] of listOpenedHeads(chains, sealed)) {
    await chains.save(transaction, row.workspace_id, { ...head, restore: restore.id })
    await chains.append(transaction, row.workspace_id, [createAuditRow(row.workspace_id, {})])
  }
  for (const workspaceId of erasedWorkspaces) {
    // The backup may contain rows that aren't sealed with a workspace key.
    await deleteRows(transaction, 'audit_entry', { workspace_id: workspaceId })
    await deleteRows(transaction, 'audit_chain', { workspace_id: workspaceId })
    await chains.append(transaction, workspaceId, [
      createAuditRow(workspaceId, { leftOut: 'it was erased after the backup' }),
    ])
  }
}

const listOpenedHeads = (chains: Chains, sealed: readonly AuditChainRow[]): [AuditChainRow, Head][] =>
  sealed.flatMap((row): [AuditChainRow, Head][] => {
    if (row.workspace_id === REGISTER) return []
    const head = tryOpen(() => chains.openHead(row))
    return 'value' in head ? [[row, head.value]] : []
  })
