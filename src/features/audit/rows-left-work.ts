import { AUDIT_RETENTION_DAYS, DONE, type WorkKind } from '@signalman/durable'
import { notifyAdmins, type OwnerNoticeDeps } from '../../bot/posts/notify-owner.ts'
import { ownWords } from '../../bot/posts/post-or-edit.ts'
import { ROWS_LEFT_WORK } from '../../bot/retention/audit-retention.ts'
import type { Stored } from '../../bot/stored.ts'
import { rowsLeftText, rowsLeftView } from './views/audit.ts'

type RowsLeftDeps = Pick<Stored, 'audit' | 'organizations' | 'settings'> & { posting: OwnerNoticeDeps }

/**
 * Notifies a workspace's admins of the audit entries that are past the retention period but aren't deleted yet. They are deleted
 * slowly, because the clock may be wrong; an admin can delete them at once.
 */
export const rowsLeftWork = ({ audit, organizations, settings, posting }: RowsLeftDeps): WorkKind => ({
  kind: ROWS_LEFT_WORK,
  lane: 'send',
  maxAttempts: Number.MAX_SAFE_INTEGER,
  async run(leased) {
    const { workspaceId } = leased.work
    const days = await settings.get(workspaceId, AUDIT_RETENTION_DAYS)
    if (days === 0) return DONE
    const older = await audit.findOlderThan(workspaceId, days)
    if (older.rows === 0) return DONE
    const enterpriseId = await organizations.find(workspaceId)
    return await notifyAdmins(posting, leased, {
      key: `audit entries up to ${older.last}`,
      target: { workspaceId, enterpriseId, channelId: '', environment: 'production' },
      content: rowsLeftView(older, days),
      ownWords: ownWords(rowsLeftText(older, days)),
    })
  },
})
