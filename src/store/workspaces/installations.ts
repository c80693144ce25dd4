import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import { jsonText } from '../database/json.ts'
import type { ReadCache } from '../database/read-cache.ts'
import type { InstallationKind, InstallationRow } from '../database/schema.ts'
import { saveSealed } from '../secrets/save-sealed.ts'
import type { Identity } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'

/** The app in one workspace, or in every workspace of one organization. */
export interface Installation {
  /** The workspace's id, or the organization's when `kind` says so. */
  readonly id: string
  readonly kind: InstallationKind
  /** The organization: `id` itself, or the one that the workspace is part of. */
  readonly enterpriseId?: string
  readonly name: string
  /** Not enumerable: JSON, logs and copies by spreading leave it out. */
  readonly botToken: string
  readonly botUserId: string
  readonly appId?: string
  readonly scopes: readonly string[]
  /** The person who installed it. */
  readonly installedBy: string
  readonly installedAt: Date
}

/** The part of an installation that may be shown. */
export type InstallationSummary = Omit<Installation, 'botToken'>

export interface Installations {
  /** Stores the installation and replaces an earlier one of that id; on disk before this returns. */
  save(installation: Omit<Installation, 'installedAt'> & { readonly now: Date }): Promise<void>
  /**
   * The workspace's own installation, else its organization's, with its token opened; undefined when there is neither.
   * The row is read each time, so that what another process replaced or forgot counts at once. Throws SealError.
   */
  find(place: { workspaceId: string; enterpriseId?: string | undefined }): Promise<Installation | undefined>
  /** True when there was one to forget. */
  forget(id: string): Promise<boolean>
  /** The installation of exactly that id, of either kind; its token is not opened. */
  summary(id: string): Promise<InstallationSummary | undefined>
  /** All of them without their tokens, by id. */
  list(): Promise<InstallationSummary[]>
}

/** The rows of `installation`. */
export function installationStore(
  database: Database,
  keys: WorkspaceKeys,
  { changing }: Pick<ReadCache, 'changing'>,
): Installations {
  const { rows } = database
  return {
    async save(installation) {
      const { id, kind, botToken } = installation
      if (botToken === '') throw new StoreError('bad-value', 'An empty bot token cannot be stored.')
      const fresh = {
        kind,
        enterprise_id: kind === 'organization' ? id : (installation.enterpriseId ?? null),
        name: installation.name,
        bot_user_id: installation.botUserId,
        app_id: installation.appId ?? null,
        scopes: jsonText(installation.scopes, 'The list of scopes'),
        installed_by: installation.installedBy,
        installed_at: installation.now.toISOString(),
      }
      await changing(
        id,
        saveSealed(database, keys, id, (transaction, sealer) => {
          const sealed = { ...fresh, sealed_token: sealer.seal(botToken, identityOf(id)) }
          return transaction
            .insertInto('installation')
            .values({ id, ...sealed })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(sealed))
            .execute()
        }),
      )
    },

    async find({ workspaceId, enterpriseId }) {
      const found = await rows
        .selectFrom('installation')
        .selectAll()
        .where('id', 'in', enterpriseId === undefined ? [workspaceId] : [workspaceId, enterpriseId])
        .execute()
      const row =
        found.find(({ id, kind }) => id === workspaceId && kind === 'workspace') ??
        found.find(({ id, kind }) => id === enterpriseId && kind === 'organization')
      if (row === undefined) return undefined
      const opener = await keys.opener(rows, [row.sealed_token])
      return withHiddenToken(row, opener.open(row.sealed_token, identityOf(row.id)))
    },

    async forget(id) {
      const { numDeletedRows } = await changing(
        id,
        rows.deleteFrom('installation').where('id', '=', id).executeTakeFirstOrThrow(),
      )
      return numDeletedRows > 0n
    },

    async summary(id) {
      const row = await rows.selectFrom('installation').selectAll().where('id', '=', id).executeTakeFirst()
      return row && shown(row)
    },

    async list() {
      const all: InstallationSummary[] = []
      for (let page = PAGE; page === PAGE; ) {
        const found = await rows
          .selectFrom('installation')
          .selectAll()
          .where('id', '>', all.at(-1)?.id ?? '')
          .orderBy('id')
          .limit(PAGE)
          .execute()
        all.push(...found.map(shown))
        page = found.length
      }
      return all
    },
  }
}

/** Rows of one page: there may be 10,000. */
const PAGE = 500

function identityOf(id: string): Identity {
  return ['installation', id]
}

function shown(row: InstallationRow): InstallationSummary {
  return {
    id: row.id,
    kind: row.kind,
    ...(row.enterprise_id !== null && { enterpriseId: row.enterprise_id }),
    name: row.name,
    botUserId: row.bot_user_id,
    ...(row.app_id !== null && { appId: row.app_id }),
    scopes: JSON.parse(row.scopes),
    installedBy: row.installed_by,
    installedAt: new Date(row.installed_at),
  }
}

function withHiddenToken(row: InstallationRow, botToken: string): Installation {
  // defineProperty returns its argument; the type cannot say that it has gained `botToken`.
  return Object.defineProperty(shown(row), 'botToken', { value: botToken, enumerable: false }) as Installation
}
