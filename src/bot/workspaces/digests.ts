import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { type Database, type Sealer, saveSealed, sealedRows, selectRows } from '@signalman/durable'
import { DIGEST_SALTS, type DigestSaltRow } from './tables.ts'

const SALT_BYTES = 32
const DIGEST_BYTES = 18

const sealedSalts = sealedRows(DIGEST_SALTS, {
  toPlain: (_: DigestSaltRow) => ({}),
  // Cast, because only `createSalt` writes it.
  parseContent: (text) => ({ salt: Buffer.from(JSON.parse(text) as string, 'base64url') }),
})

/** Returns the function that digests texts of a workspace. Undefined if it has no salt and `createIfMissing` is false. */
export type FindDigester = ReturnType<typeof createFindDigester>

/**
 * Creates salted digests, by which rows are found without storing their texts. Within a workspace, equal texts have equal digests, but
 * the texts can't be guessed from the database alone. Each workspace has one encrypted salt. Key rotation doesn't change the salt, so
 * old digests still match. Throws SealError if the salt can't be decrypted.
 */
export function createFindDigester(database: Database, keys: Sealer) {
  const { rows } = database

  async function findSalt(workspaceId: string): Promise<Buffer | undefined> {
    const row = await selectRows(rows, 'digest_salt', { workspace_id: workspaceId }).executeTakeFirst()
    return (await sealedSalts.readOne(keys, row))?.salt
  }

  async function createSalt(workspaceId: string): Promise<void> {
    const salt = randomBytes(SALT_BYTES).toString('base64url')
    await saveSealed(database, keys, workspaceId, (transaction, sealer) =>
      // If several processes create a salt, the first one wins.
      transaction
        .insertInto('digest_salt')
        .values({ workspace_id: workspaceId, sealed_salt: sealedSalts.seal(salt, [workspaceId], sealer) })
        .onConflict((conflict) => conflict.column('workspace_id').doNothing())
        .execute(),
    )
  }

  return async (
    workspaceId: string,
    { createIfMissing = false } = {},
  ): Promise<((text: string) => string) | undefined> => {
    let salt = await findSalt(workspaceId)
    if (!salt && createIfMissing) {
      await createSalt(workspaceId)
      salt = await findSalt(workspaceId)
    }
    if (!salt) return undefined
    // A key object is made once: with a buffer, each HMAC takes several times as long.
    const key = createSecretKey(salt)
    return (text) =>
      createHmac('sha256', key).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url')
  }
}
