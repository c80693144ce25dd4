import {
  type AppendAudit,
  type AuditEvent,
  type Database,
  type Identity,
  ownSetting,
  type ReadCache,
  type RowProofs,
  rowsIn,
  type Schema,
  type Settings,
  StoreError,
  saveSealed,
  tryOpen,
  upsertIn,
  type WorkspaceKeys,
} from '@signalman/durable'
import type { Transaction } from 'kysely'
import { type InstallationRow, SHOWN_INSTALLATION, withHidden } from './tables.ts'

/** The part of an installation that may be shown. */
type InstallationSummary = Parameters<typeof SHOWN_INSTALLATION.row>[0]

/** The app in one workspace, or in every workspace of one organization. */
export type Installation = InstallationSummary & {
  /** Not enumerable: JSON, logs and copies by spreading leave it out. */
  readonly botToken: string
}

type NewInstallation = Omit<Installation, 'installedAt'> & { readonly now: Date }

export type Installations = ReturnType<typeof installationStore>

/** Who is the installer to whoever installs the app next, also after an uninstall. */
export const INSTALLER = ownSetting<string>('installer')

/** The rows of `installation`. */
export function installationStore(
  database: Database,
  keys: WorkspaceKeys,
  { invalidateAfter }: Pick<ReadCache, 'invalidateAfter'>,
  proofs: RowProofs,
  settings: Pick<Settings, 'getWithin' | 'setWithin'>,
  appendAudit: AppendAudit,
) {
  const { rows } = database
  const genuine = (found: readonly InstallationRow[]) =>
    found.filter((row) => proofs.isGenuine('installation', row)).map(SHOWN_INSTALLATION.of)
  return {
    /**
     * Stores the installation and replaces an earlier one of that id; on disk before this returns. Without the row of the audit log,
     * where one is given, nothing is stored. Throws RemovalUnderWay while what was there is being removed.
     */
    async save(installation: NewInstallation, auditEvent?: AuditEvent): Promise<void> {
      const { id, botToken } = installation
      if (botToken === '') throw new StoreError('bad-value', 'An empty bot token cannot be stored.')
      const row = unsealed(installation)
      await invalidateAfter(
        id,
        saveSealed(database, keys, id, async (transaction, sealer) => {
          if (await settings.getWithin(transaction, id, REMOVAL)) throw new RemovalUnderWay()
          if (auditEvent) await appendAudit(transaction, [auditEvent])
          await settings.setWithin(transaction, id, INSTALLER, installation.installedBy)
          const sealed_token = sealer.seal(botToken, installationIdentity(id))
          const sealed = proofs.with('installation', { ...row, sealed_token })
          return upsertIn(transaction, 'installation', ['id'], sealed)
        }),
      )
    },

    /**
     * The workspace's own installation, else its organization's, with its token opened; undefined when there is neither.
     * The row is read each time, so that what another process replaced or forgot counts at once. Throws SealError.
     */
    async find(place: { workspaceId: string; enterpriseId?: string | undefined }) {
      const { workspaceId, enterpriseId } = place
      const ids = enterpriseId === undefined ? [workspaceId] : [workspaceId, enterpriseId]
      const found = await rows.selectFrom('installation').selectAll().where('id', 'in', ids).execute()
      const row =
        found.find(({ id, kind }) => id === workspaceId && kind === 'workspace') ??
        found.find(({ id, kind }) => id === enterpriseId && kind === 'organization')
      if (row === undefined) return undefined
      proofs.check('installation', row)
      const opener = await keys.opener(rows, [row], 'sealed_token')
      const token = opener.open(row.sealed_token, installationIdentity(row.id))
      return withHidden(SHOWN_INSTALLATION.of(row), 'botToken', token)
    },

    /** The installation of exactly that id, of either kind; its token is not opened. */
    summary: async (id: string): Promise<InstallationSummary | undefined> =>
      genuine(await rowsIn(rows, 'installation', { id }).execute())[0],

    /** The installation of exactly that id, from the database; its token is undefined if it doesn't open. */
    async held(id: string) {
      const row = await rowsIn(rows, 'installation', { id }).executeTakeFirst()
      if (!row) return undefined
      const opener = await keys.opener(rows, [row], 'sealed_token')
      const opened = tryOpen(() => {
        proofs.check('installation', row)
        return opener.open(row.sealed_token, installationIdentity(id))
      })
      return {
        sealedToken: row.sealed_token,
        botToken: 'value' in opened ? opened.value : undefined,
        enterpriseId: row.enterprise_id ?? undefined,
      }
    },

    /** All of them without their tokens, by id. */
    async list(): Promise<InstallationSummary[]> {
      const all: InstallationSummary[] = []
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = rows
          .selectFrom('installation')
          .selectAll()
          .where('id', '>', after)
          .orderBy('id')
          .limit(PAGE)
        const found: InstallationRow[] = await page.execute()
        all.push(...genuine(found))
        after = found.length === PAGE ? found.at(-1)?.id : undefined
      }
      return all
    },
  }
}

/** Rows of one page: there may be 10,000. */
const PAGE = 500

function installationIdentity(id: string): Identity {
  return ['installation', id]
}

/** Its row, without the token. */
const unsealed = ({ now, ...installation }: NewInstallation) =>
  SHOWN_INSTALLATION.row({
    ...installation,
    ...(installation.kind === 'organization' && { enterpriseId: installation.id }),
    installedAt: now,
  })

/** A removal that has begun and isn't over. Until then the app can't be installed there again. */
export interface Removal {
  readonly id: string
  /** What the audit log says of it, if anything. */
  readonly event?: RemovalEvent
  /** True if the log has its beginning. */
  readonly isLogged: boolean
  /** For a workspace that only its organization's installation covered. */
  readonly organization?: string | undefined
}

export type RemovalEvent = Pick<AuditEvent, 'actor' | 'verb' | 'object' | 'reference'>

export const REMOVAL = ownSetting<Removal | null>('removal')

/** The app can't be installed before the removal of what was there is over. */
export class RemovalUnderWay extends Error {
  override readonly name = 'RemovalUnderWay'
  constructor() {
    super('What was installed here before is still being removed.')
  }
}

const ORGANIZATION = ownSetting<string | null>('organization')

export type Organizations = ReturnType<typeof organizationStore>

/**
 * Which workspaces use an organization's installation (Enterprise Grid): Slack names both only in a request. Stored as a setting of
 * each workspace.
 */
export const organizationStore = (settings: Settings) => ({
  join: (workspaceId: string, organizationId: string) =>
    settings.set(workspaceId, ORGANIZATION, organizationId),
  /** The organization's installation doesn't cover the workspace any more. */
  leaveWithin: (transaction: Transaction<Schema>, workspaceId: string): Promise<void> =>
    settings.setWithin(transaction, workspaceId, ORGANIZATION, null),
  joinWithin: (
    transaction: Transaction<Schema>,
    workspaceId: string,
    organizationId: string,
  ): Promise<void> => settings.setWithin(transaction, workspaceId, ORGANIZATION, organizationId),
  ofWithin: async (transaction: Transaction<Schema>, workspaceId: string) =>
    (await settings.getWithin(transaction, workspaceId, ORGANIZATION)) ?? undefined,
  of: async (workspaceId: string) => (await settings.get(workspaceId, ORGANIZATION)) ?? undefined,
  /** The workspaces of an organization, by id. */
  workspacesOf: (organizationId: string) => settings.workspacesWith(ORGANIZATION, organizationId),
})
