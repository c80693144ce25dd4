import {
  type AppendAudit,
  type AuditEvent,
  type Database,
  type Identity,
  ownSetting,
  type ReadCache,
  type Sealer,
  type Settings,
  StoreError,
  selectRows,
  tryOpen,
  upsertRow,
} from '@signalman/durable'
import { INSTALLATION_SUMMARY, type InstallationRow, withHidden } from './tables.ts'

/** An installation without its token. */
type InstallationSummary = Parameters<typeof INSTALLATION_SUMMARY.toRow>[0]

/** The app in one workspace. */
export type Installation = InstallationSummary & {
  /** Not enumerable, so that JSON, logs, and spreads leave it out. */
  readonly botToken: string
}

export type Installations = ReturnType<typeof installationStore>

/** The person who last installed the app. Kept after an uninstall, for the next installation. */
export const INSTALLER = ownSetting<string>('installer')

/** The store of the `installation` table. */
export function installationStore(
  database: Database,
  keys: Sealer,
  { invalidateAfter }: Pick<ReadCache, 'invalidateAfter'>,
  settings: Pick<Settings, 'get' | 'setInTransaction'>,
  appendAudit: AppendAudit,
) {
  const { rows } = database
  return {
    /**
     * Stores the installation and its audit row in one transaction, replacing an earlier installation with the same ID. Returns when it
     * is on disk. Throws RemovalInProgress while an earlier installation is being removed.
     */
    async save(installation: Installation, auditEvent?: AuditEvent): Promise<void> {
      const { id, botToken } = installation
      if (botToken === '') throw new StoreError('bad-value', 'An empty bot token cannot be stored.')
      const row = INSTALLATION_SUMMARY.toRow(installation)
      await invalidateAfter(
        id,
        database.withLock(id, async (transaction) => {
          if (await settings.get(id, REMOVAL, transaction)) throw new RemovalInProgress()
          if (auditEvent) await appendAudit(transaction, auditEvent)
          await settings.setInTransaction(transaction, id, INSTALLER, installation.installedBy)
          const sealed_token = keys.seal(botToken, installationIdentity(id))
          return upsertRow(transaction, 'installation', ['id'], { ...row, sealed_token })
        }),
      )
    },

    /**
     * Finds the workspace's installation, with its token decrypted; undefined if there is none. Always read from the database, so that
     * changes by other processes apply immediately. Throws SealError.
     */
    async find(id: string) {
      const row = await selectRows(rows, 'installation', { id }).executeTakeFirst()
      if (row === undefined) return undefined
      const token = keys.open(row.sealed_token, installationIdentity(id))
      return withHidden(INSTALLATION_SUMMARY.parse(row), 'botToken', token)
    },

    /** The workspace's installation, without its token. */
    summary: async (id: string): Promise<InstallationSummary | undefined> =>
      (await selectRows(rows, 'installation', { id }).execute()).map(INSTALLATION_SUMMARY.parse)[0],

    /** The workspace's installation; its token is undefined if it can't be decrypted. */
    async findSealed(id: string) {
      const row = await selectRows(rows, 'installation', { id }).executeTakeFirst()
      if (!row) return undefined
      const decryption = tryOpen(() => {
        return keys.open(row.sealed_token, installationIdentity(id))
      })
      return {
        sealedToken: row.sealed_token,
        botToken: 'value' in decryption ? decryption.value : undefined,
      }
    },

    /** All installations without their tokens, by ID. */
    async list(): Promise<InstallationSummary[]> {
      const all: InstallationSummary[] = []
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = rows
          .selectFrom('installation')
          .selectAll()
          .where('id', '>', after)
          .orderBy('id')
          .limit(PAGE_SIZE)
        const found: InstallationRow[] = await page.execute()
        all.push(...found.map(INSTALLATION_SUMMARY.parse))
        after = found.length === PAGE_SIZE ? found.at(-1)?.id : undefined
      }
      return all
    },
  }
}

/** Installations per statement. There may be 10,000 in total. */
const PAGE_SIZE = 500

function installationIdentity(id: string): Identity {
  return ['installation', id]
}

/** A removal in progress. Until it has finished, the app can't be installed there again. */
export interface Removal {
  readonly id: string
  /** Its audit row, if any. */
  readonly event?: RemovalEvent
  /** True if the audit log records its start. */
  readonly isLogged: boolean
}

export type RemovalEvent = Pick<AuditEvent, 'actor' | 'verb' | 'object' | 'reference'>

export const REMOVAL = ownSetting<Removal | null>('removal')

export class RemovalInProgress extends Error {
  override readonly name = 'RemovalInProgress'
  constructor() {
    super('The previous installation is still being removed.')
  }
}
