import { createHmac, randomBytes } from 'node:crypto'
import { type Database, type Identity, rowsIn, saveSealed, type WorkspaceKeys } from '@signalman/durable'

/** Digests that show which texts of a workspace are equal. With the database alone, they tell nothing of a text. */
export type Salts = ReturnType<typeof saltStore>

const SALT_BYTES = 32
const DIGEST_BYTES = 18
const saltIdentity = (workspaceId: string): Identity => ['threat_salt', workspaceId]

/** One sealed salt for each workspace. It outlives the keys that seal it, so digests of years ago are still found. */
export function saltStore(database: Database, keys: WorkspaceKeys) {
  const { rows } = database
  async function saltOf(workspaceId: string): Promise<Buffer | undefined> {
    const row = await rowsIn(rows, 'threat_salt', { workspace_id: workspaceId }).executeTakeFirst()
    if (row === undefined) return undefined
    const opener = await keys.opener(rows, [row.sealed_salt])
    return Buffer.from(opener.open(row.sealed_salt, saltIdentity(workspaceId)), 'base64url')
  }

  async function make(workspaceId: string): Promise<void> {
    const salt = randomBytes(SALT_BYTES).toString('base64url')
    await saveSealed(database, keys, workspaceId, (transaction, sealer) =>
      // When several save at once, the first one's salt stays.
      transaction
        .insertInto('threat_salt')
        .values({ workspace_id: workspaceId, sealed_salt: sealer.seal(salt, saltIdentity(workspaceId)) })
        .onConflict((conflict) => conflict.column('workspace_id').doNothing())
        .execute(),
    )
  }

  return {
    /** A function that digests texts of the workspace. Its salt is made when `isMade` is true and there is none yet. */
    async of(workspaceId: string, isMade: boolean): Promise<((text: string) => string) | undefined> {
      let salt = await saltOf(workspaceId)
      if (!salt && isMade) {
        await make(workspaceId)
        salt = await saltOf(workspaceId)
      }
      if (!salt) return undefined
      const key = salt
      return (text) =>
        createHmac('sha256', key).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url')
    },
  }
}
