import type { Audit } from '@signalman/durable'
import type { DeletedCheck, WatchScope } from '../../bot/ports.ts'
import { findUuid } from '../../domain/find-check.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { readDeletion } from './write/audit-row.ts'

/** A check is rarely deleted, restored, and deleted again more often than this. */
const MAX_ROWS = 50

/** Finds the deletions of the checks with this name or UUID in the audit log, newest first. */
export async function findDeletedChecks(
  { search }: Pick<Audit, 'search'>,
  { workspaceId, environment }: Omit<WatchScope, 'now'>,
  nameOrUuid: string,
): Promise<DeletedCheck[]> {
  const uuid = findUuid(nameOrUuid)
  const entries = await search({
    workspaceId,
    text: uuid === undefined ? `(${nameOrUuid})` : `health-check ${uuid}`,
    limit: MAX_ROWS,
  })
  const wanted = foldName(nameOrUuid)
  return entries.flatMap((entry) => {
    const deleted = readDeletion(entry)
    const isMeant = uuid !== undefined || (deleted && foldName(deleted.name) === wanted)
    return deleted && isMeant && deleted.environment === environment
      ? [{ uuid: deleted.uuid, name: deleted.name, at: entry.at }]
      : []
  })
}
