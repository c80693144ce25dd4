import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/database.ts'
import type { ReadCache } from '../database/read-cache.ts'
import type { KeyPurpose, Schema } from '../database/schema.ts'
import type { Key } from './keys.ts'
import {
  createWorkspaceOpener,
  createWorkspaceSealer,
  type Identity,
  openedOrWhyNot,
  type SealError,
  type Sealer,
  type TextOpener,
  type TextSealer,
  workspaceKeyIdOf,
} from './seal.ts'
import { keyInUse, openWorkspaceKey, workspaceKeyRows } from './workspace-key-rows.ts'

/**
 * Seals what belongs to a workspace with its own key: destroying that key destroys all of it, in backups too. What belongs to no
 * workspace, and what was sealed before there were such keys, is sealed by the encryption keys themselves.
 */
export interface WorkspaceKeys {
  /** Seals for the workspace; makes its key when there is none, so do not call it in a transaction. */
  sealer(workspaceId: string): Promise<TextSealer>
  /** The same, but reads the key from the database: right after a forgetting, the key in memory is out of date. */
  freshSealer(workspaceId: string): Promise<TextSealer>
  /**
   * The same in the caller's transaction, which holds what a forgetting would wait for. Undefined when no key is in use:
   * `freshSealer` makes one, outside of the transaction.
   */
  freshSealerIn(rows: Kysely<Schema>, workspaceId: string): Promise<TextSealer | undefined>
  /** The same, and nobody retires the key before the transaction has ended. */
  heldSealerIn(rows: Kysely<Schema>, workspaceId: string): Promise<TextSealer | undefined>
  /** Seals in the caller's transaction, with the key in memory. Makes no key for a workspace without one. */
  sealerIn(rows: Kysely<Schema>, workspaceId: string): Promise<TextSealer>
  /** Opens these texts; reads each key once until it changes. `open` throws SealError, and this does not. */
  opener(rows: Kysely<Schema>, texts: Iterable<string | null>): Promise<TextOpener>
  /** The key itself, made when there is none. */
  keyFor(workspaceId: string, purpose: KeyPurpose): Promise<Key>
  /** Makes the next sealing use a new key. Texts sealed with the former one still open. */
  retire(rows: Kysely<Schema>, workspaceId: string, purpose: KeyPurpose): Promise<void>
  /** Adds a row that says that the workspace was forgotten, whether it had a key or not. */
  leaveTombstone(rows: Kysely<Schema>, workspaceId: string): Promise<void>
  /** Destroys retired keys that seal no lasting data: nothing opens what they have sealed. */
  destroyRetired(workspaceId: string, purpose: KeyPurpose): Promise<void>
}

const MOST_OWNERS = 20_000

/** Called for every text that does not open, also where the caller handles the error. */
export type OnUnopened = (identity: Identity, why: SealError) => void

export interface WorkspaceKeyOptions {
  isOn: () => boolean
  now: () => Date
  onUnopened?: OnUnopened | undefined
}

/** The keys in `workspace_key`. Until `isOn`, processes of an earlier version may have to open what is sealed. */
export function createWorkspaceKeys(
  database: Pick<Database, 'rows' | 'kind'>,
  root: Sealer,
  cache: ReadCache,
  { isOn, now, onUnopened = () => undefined }: WorkspaceKeyOptions,
): WorkspaceKeys {
  const { inUseOrMade, retire, leaveTombstone, destroyRetired } = workspaceKeyRows(database, root, cache, now)
  const known = (rows: Kysely<Schema>, workspaceId: string) =>
    cache.get(workspaceId, 'content key', () => keyInUse(rows, root, workspaceId, 'content'))

  /** A key never becomes another workspace's. */
  const owners = new LRUCache<string, string>({ max: MOST_OWNERS })
  async function byItsId(rows: Kysely<Schema>, id: string): Promise<Key | SealError | undefined> {
    const find = () => rows.selectFrom('workspace_key').selectAll().where('id', '=', id).executeTakeFirst()
    const owner = owners.get(id) ?? (await find())?.workspace_id
    if (owner === undefined) return undefined
    owners.set(id, owner)
    return await cache.get(owner, `key ${id}`, async () => {
      const row = await find()
      const opened = row && openedOrWhyNot(() => openWorkspaceKey(root, row))
      return opened && ('value' in opened ? opened.value : opened.unopened)
    })
  }

  const sealerIfAny = async (workspaceId: string, key: () => Promise<Key | undefined>) => {
    if (workspaceId === '' || !isOn()) return root
    const found = await key()
    return found && createWorkspaceSealer(found)
  }
  const sealerBy = async (workspaceId: string, key: () => Promise<Key | undefined>): Promise<TextSealer> =>
    (await sealerIfAny(workspaceId, key)) ?? root

  return {
    sealer: (workspaceId) =>
      sealerBy(
        workspaceId,
        async () => (await known(database.rows, workspaceId)) ?? (await inUseOrMade(workspaceId, 'content')),
      ),
    freshSealer: (workspaceId) => sealerBy(workspaceId, () => inUseOrMade(workspaceId, 'content')),
    freshSealerIn: (rows, workspaceId) =>
      sealerIfAny(workspaceId, () => keyInUse(rows, root, workspaceId, 'content')),
    heldSealerIn: (rows, workspaceId) =>
      sealerIfAny(workspaceId, () => keyInUse(rows, root, workspaceId, 'content', database.kind)),
    sealerIn: (rows, workspaceId) => sealerBy(workspaceId, () => known(rows, workspaceId)),

    async opener(rows, texts) {
      const byId = new Map<string, Key | SealError>()
      for (const id of new Set([...texts].map((text) => text && workspaceKeyIdOf(text)))) {
        const key = id ? await byItsId(rows, id) : undefined
        if (id && key) byId.set(id, key)
      }
      return telling(createWorkspaceOpener(byId, root), onUnopened)
    },

    keyFor: inUseOrMade,
    retire,
    leaveTombstone,
    destroyRetired,
  }
}

const telling = ({ open }: TextOpener, onUnopened: OnUnopened): TextOpener => ({
  open(sealed, identity) {
    const opened = openedOrWhyNot(() => open(sealed, identity))
    if ('value' in opened) return opened.value
    onUnopened(identity, opened.unopened)
    throw opened.unopened
  },
})
