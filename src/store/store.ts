import { type Audit, auditStore } from './audit.ts'
import { type Channels, channelStore } from './channels.ts'
import { type Claims, claimStore } from './claims.ts'
import { type Connections, connectionStore } from './connections.ts'
import { type Database, openDatabase } from './database.ts'
import { type Drafts, draftStore } from './drafts.ts'
import { type Forgotten, forgetWorkspace } from './forget-workspace.ts'
import { type Grants, grantStore } from './grants.ts'
import { type Installations, installationStore } from './installations.ts'
import { provenKeys } from './key-check.ts'
import { type Keyring, parseKeys } from './keys.ts'
import { migrate } from './migrate.ts'
import { createOpenedTokens } from './opened-tokens.ts'
import { createSealer, type Sealer } from './seal.ts'
import { type Settings, settingStore } from './settings.ts'

export type { Audit, AuditQuery } from './audit.ts'
export type { AuditDeed, AuditEntry } from './audit-row.ts'
export type { AuditVerdict } from './audit-verify.ts'
export type { AuditFault } from './audit-walk.ts'
export type { Connection, ConnectionSummary } from './connections.ts'
export { StoreError, type StoreErrorKind } from './errors.ts'
export type { Forgotten } from './forget-workspace.ts'
export { EVERYONE, type Grant, type Subject } from './grants.ts'
export type { Installation, InstallationSummary } from './installations.ts'
export type { AuditOutcome, Environment, InstallationKind, Role, SubjectKind } from './schema.ts'
export { SealError } from './seal.ts'
export type { Setting } from './settings.ts'

/** What is remembered. Disposing of it closes the database; nothing of it may be used after. */
export interface Store extends AsyncDisposable {
  readonly connections: Connections
  readonly claims: Claims
  readonly drafts: Drafts
  readonly channels: Channels
  readonly installations: Installations
  readonly grants: Grants
  readonly settings: Settings
  readonly audit: Audit
  /**
   * Wipes the installation, connections and drafts of a workspace (or the installation of an organization, by its id),
   * on disk before this returns. Its audit log, roles and settings stay: a later installation finds them.
   */
  forgetWorkspace(workspaceId: string): Promise<Forgotten>
  /** Throws when the database does not answer. */
  ping(): Promise<void>
}

export interface StoreOptions {
  /** `sqlite:./path`, `sqlite::memory:` or `postgres://…` */
  readonly url: string
  /** `id:base64key[,id:base64key…]`: the first seals, all open. Blank on SQLite: kept in `<path>.key`, made at the first start. */
  readonly keys?: string | undefined
  /** The clock, for what the store dates by itself. */
  readonly now?: () => Date
}

/**
 * Opens the database, brings its tables up to date and proves that the keys open what is sealed in it; two processes
 * may do so at once. Nothing has changed when it throws StoreError, whose message names the fault and the mend.
 */
export async function openStore({ url, keys, now = () => new Date() }: StoreOptions): Promise<Store> {
  const given = keys === undefined || keys.trim() === '' ? undefined : parseKeys(keys)
  const database = await openDatabase(url)
  try {
    const sealer = createSealer(await prepared(database, given, now()))
    return storeOver(database, sealer, now)
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

function prepared(database: Database, given: Keyring | undefined, now: Date): Promise<Keyring> {
  return database.exclusively(async (transaction) => {
    await migrate(transaction, now)
    return await provenKeys(database, transaction, given, now)
  })
}

function storeOver(database: Database, sealer: Sealer, now: () => Date): Store {
  const opened = createOpenedTokens(now)
  let closing: Promise<void> | undefined
  return {
    connections: connectionStore(database, sealer, opened),
    claims: claimStore(database),
    drafts: draftStore(database, sealer),
    channels: channelStore(database),
    installations: installationStore(database, sealer, opened),
    grants: grantStore(database),
    settings: settingStore(database),
    audit: auditStore(database, sealer),
    forgetWorkspace: (workspaceId) => forgetWorkspace(database, opened, workspaceId),
    async ping() {
      await database.rows.selectFrom('migration').select('name').limit(1).execute()
    },
    async [Symbol.asyncDispose]() {
      closing ??= Promise.resolve(database[Symbol.asyncDispose]())
      await closing
    },
  }
}
