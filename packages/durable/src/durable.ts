import { join } from 'node:path'
import { createAnchoring } from './anchor/anchoring.ts'
import { createAudit } from './audit/audit.ts'
import { readId, STORE_ID } from './backup/backup-settings.ts'
import { createRetiredDatabases } from './backup/retired-databases.ts'
import { hasWorkspaceRows } from './backup/row-owners.ts'
import { createDatabaseTime } from './database/clock.ts'
import { sweepRows } from './database/delete-rows.ts'
import { createProcesses } from './database/processes.ts'
import { createReadCache } from './database/read-cache.ts'
import { adoptCurrentKeys } from './secrets/key-check.ts'
import { type OpenedStore, openVerified, type StoreOptions } from './secrets/open-verified.ts'
import { journalFolder } from './secrets/outcome-files.ts'
import { createRowProofs, describeForgedRows } from './secrets/row-proofs.ts'
import { createSealedState, createSealer } from './secrets/seal.ts'
import { createWorkspaceKeys } from './secrets/workspace-keys.ts'
import { createSettings } from './settings.ts'
import { createRecordedSteps } from './work/act-steps.ts'
import { createCheckLocks } from './work/check-locks.ts'
import { createEphemeralState } from './work/ephemeral-state.ts'
import { createIdempotencyKeys } from './work/idempotency-keys.ts'
import { createWorkSteps } from './work/job-steps.ts'
import { createOutcomeJournal } from './work/outcome-journal.ts'
import { createPostAttempts } from './work/post-attempts.ts'
import { createWorkStore } from './work/work-store.ts'

export interface DurableOptions extends StoreOptions {
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

async function openStores({ database, keys }: OpenedStore, options: DurableOptions) {
  const { model, now = () => new Date(), clock, onDecryptError, onLateOutcome } = options
  const journal = options.journal ?? journalFolder(database)
  const time = createDatabaseTime(database.kind, clock)
  const sealer = createSealer(keys)
  const cache = createReadCache()
  const workspaceKeys = createWorkspaceKeys(database, sealer, { now, onDecryptError })
  const proofs = createRowProofs(model.tables, sealer, onDecryptError)
  const audit = createAudit(database, { sealer, keys, time, onDecided: cache.invalidate })
  const settings = createSettings(database, cache, proofs, audit)
  const processes = createProcesses(database, time, keys)
  const steps = createRecordedSteps(database, time, workspaceKeys, audit)
  const retired = createRetiredDatabases(database, journal)
  // Each database has its own folder, so that a restored database doesn't pick up another one's outcomes.
  const ownJournal = journal && join(journal, await readId(settings, STORE_ID))
  const outcomes = createOutcomeJournal(steps, sealer, ownJournal, onLateOutcome)
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await outcomes[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
  return {
    database,
    time,
    cache,
    workspaceKeys,
    proofs,
    audit,
    settings,
    processes,
    anchoring: createAnchoring(database, audit.chains, settings, keys),
    work: createWorkStore(database, time, workspaceKeys, processes),
    workSteps: createWorkSteps(database, time, workspaceKeys, audit),
    checkLocks: createCheckLocks(database, time),
    recordedSteps: steps,
    outcomeJournal: outcomes,
    postAttempts: createPostAttempts(database, time),
    idempotencyKeys: createIdempotencyKeys(database, time),
    ephemeralState: createEphemeralState(database, workspaceKeys),
    sealedState: createSealedState(sealer),
    retiredDatabases: retired,
    /** Yields a sentence for each row with a proof that was inserted or changed without the keys. */
    forgedRows: () => describeForgedRows(database.reading, model.tables, sealer),
    /**
     * Whether any row of the workspace exists here or in a database that a restore replaced, including the record of its erasure.
     */
    hasDataAbout: async (workspaceId: string): Promise<boolean> =>
      (await hasWorkspaceRows(database.rows, database, workspaceId)) ||
      (await retired.hasWorkspace(workspaceId)),
    /** Deletes expired rows. Returns how many by table. */
    sweepRows: () => sweepRows(database, time),
    /** Adopts the current keys. Throws if the database is unavailable, and StoreError `wrong-key` if this process lacks the keys. */
    ping: () => adoptCurrentKeys(database, keys),
    async [Symbol.asyncDispose](): Promise<void> {
      closing ??= close()
      await closing
    },
  }
}
