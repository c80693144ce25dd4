import { createAudit } from './audit/audit.ts'
import type { AuditCopy } from './audit/copy.ts'
import { recognizeRestore } from './backup.ts'
import { createDatabaseTime } from './database/clock.ts'
import { hasWorkspaceRows, listWorkspaces, sweepRows } from './database/delete-rows.ts'
import { createProcesses } from './database/processes.ts'
import { createReadCache } from './database/read-cache.ts'
import { openVerified, type StoreOptions } from './open-store.ts'
import { recordKey } from './secrets/keys-of-database.ts'
import { createSealedState, createSealer, type Sealer } from './secrets/seal.ts'
import { createSettings } from './settings.ts'
import { createClaims } from './work/claims.ts'
import { createEphemeralState } from './work/ephemeral-state.ts'
import { createLateOutcomes } from './work/late-outcomes.ts'
import { createSteps } from './work/steps.ts'
import { createWorkStore } from './work/work-store.ts'

export interface DurableOptions extends StoreOptions {
  /** Called with a part of each audit row, soon after its transaction is committed. */
  readonly onAuditWritten?: ((row: AuditCopy) => void) | undefined
  /** Called for each step outcome that reached the database late, because the work may already have ended without it. */
  readonly onLateOutcome?: ((workId: string) => Promise<unknown>) | undefined
}

/** An open database with all the stores of this package. Disposing of it closes the database; don't use it after that. */
export type Durable = Awaited<ReturnType<typeof openDurable>>

/**
 * Opens the database, migrates its tables, and verifies that the keys open its sealed data. Several processes may call it
 * at the same time. If it throws StoreError, nothing has changed, and the message says what to do.
 */
export async function openDurable(options: DurableOptions) {
  const opened = await openVerified(options)
  return await openStores(opened, options).catch(async (error: unknown) => {
    await opened.database[Symbol.asyncDispose]()
    throw error
  })
}

async function openStores(
  { database, keys }: Awaited<ReturnType<typeof openVerified>>,
  options: DurableOptions,
) {
  const { now = () => new Date(), clock, onDecryptError, onLateOutcome } = options
  const time = createDatabaseTime(database.kind, clock)
  const sealer: Sealer = createSealer(keys, onDecryptError)
  const cache = createReadCache()
  const audit = createAudit(database, {
    time,
    onDecided: cache.invalidate,
    onWritten: options.onAuditWritten,
  })
  const settings = createSettings(database, cache)
  const processes = createProcesses(database, time)
  const steps = createSteps(database, time, sealer, audit)
  const outcomes = createLateOutcomes(steps, onLateOutcome)
  await database.withExclusiveLock(async (transaction) => {
    await recognizeRestore(database, transaction, settings, now())
    await recordKey(transaction, keys, now())
  })
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await outcomes[Symbol.asyncDispose]()
    await audit.flushCopies()
    await database[Symbol.asyncDispose]()
  }
  return {
    database,
    time,
    cache,
    sealer,
    audit,
    settings,
    processes,
    work: createWorkStore(database, time, sealer, processes),
    ...createClaims(database, time),
    steps,
    lateOutcomes: outcomes,
    ephemeralState: createEphemeralState(database, sealer),
    sealedState: createSealedState(sealer),
    /** Whether any row of the workspace exists, including the record of its erasure. */
    hasDataAbout: (workspaceId: string) => hasWorkspaceRows(database, workspaceId),
    /** The workspaces that have rows in a table. */
    listWorkspaces: (table: string) => listWorkspaces(database, table),
    /** Deletes expired rows. Returns how many by table. */
    sweepRows: () => sweepRows(database, time),
    async [Symbol.asyncDispose](): Promise<void> {
      closing ??= close()
      await closing
    },
  }
}
