import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import type { AuditEvent } from '../audit/row.ts'
import { writeFileAtomically } from '../database/disk.ts'
import { errorCode, StoreError } from '../database/errors.ts'
import { outcomeIdentity } from '../secrets/outcome-files.ts'
import { SealError, type Sealer } from '../secrets/seal.ts'
import type { RecordedSteps, SettledStep } from './act-steps.ts'

/**
 * Stores step outcomes while the database can't be written. Each is sealed in its own file on this machine's disk until the
 * database has it.
 */
export type OutcomeJournal = ReturnType<typeof createOutcomeJournal>

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5000
/** How long `settle` waits for the database. After that, the outcome waits in the journal. */
const MAX_WAIT_MS = 20_000

/**
 * `folder` is undefined for a database in memory, which ends with its process anyway. `onLate` is called for each outcome that
 * reached the database late, because its work may have ended without it.
 */
export function createOutcomeJournal(
  steps: Pick<RecordedSteps, 'settle'>,
  sealer: Sealer,
  folder: string | undefined,
  onLate: (workId: string) => Promise<unknown> = async () => undefined,
) {
  const files = folder === undefined ? undefined : createOutcomeFiles(sealer, folder)
  const stopping = new AbortController()
  const running = new Set<{ workId: string; done: Promise<void> }>()
  /** Resolves early when this process ends. */
  const wait = (ms: number): Promise<void> =>
    setTimeout(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)

  async function storeLate(id: string, { step, outcome }: KnownOutcome): Promise<void> {
    await steps.settle(step, outcome)
    await onLate(step.workId)
    await files?.remove(id)
  }

  /** Quarantines an outcome that the database rejects. Otherwise, it would block all others at every start. */
  async function quarantineRejected(id: string, error: unknown): Promise<void> {
    // The outcome can still be stored once the workspace's key is repaired.
    if (error instanceof SealError) return
    if (!isPermanent(error)) throw error
    await files?.quarantine(id, 'unsettled')
  }

  /** Retries until the database has the outcome or this process ends. After that, the next process finds it in the journal. */
  async function retryUntilStored(knownOutcome: KnownOutcome, id: string): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      await wait(pauseMs)
      if (stopping.signal.aborted) return
      // Any other error means that the database is still unavailable.
      const isOver = await storeLate(id, knownOutcome).then(() => true, isPermanent)
      if (isOver) return
    }
  }

  return {
    /**
     * Like `RecordedSteps.settle`. If the database is unavailable, it resolves once the outcome is in the database or, after a
     * while, in the journal.
     */
    async settle(step: SettledStep, auditEvent?: AuditEvent): Promise<void> {
      try {
        return await steps.settle(step, auditEvent)
      } catch (error) {
        if (isPermanent(error)) throw error
        const id = randomUUID()
        const knownOutcome = { step, outcome: auditEvent }
        // If the disk fails as well, the outcome stays in memory, and this process keeps retrying.
        await files?.write(id, knownOutcome).catch(() => undefined)
        const retry = { workId: step.workId, done: retryUntilStored(knownOutcome, id) }
        running.add(retry)
        void retry.done.then(() => running.delete(retry))
        await Promise.race([retry.done, wait(MAX_WAIT_MS)])
      }
    },

    /** Resolves when the database has every known outcome of this work, or when this process ends. */
    async whenSettled(workId: string): Promise<void> {
      await Promise.all([...running].filter((retry) => retry.workId === workId).map(({ done }) => done))
    },

    /**
     * Writes the outcomes that an earlier process left behind to the database. An unreadable file is quarantined. A file whose key
     * isn't here stays, but doesn't block the others. Files older than 30 days are deleted. Throws if the database is unavailable.
     */
    async reconcile(): Promise<void> {
      for (const id of (await files?.listIds()) ?? []) {
        const knownOutcome = await files?.read(id)
        if (knownOutcome)
          await storeLate(id, knownOutcome).catch((error: unknown) => quarantineRejected(id, error))
      }
      await files?.sweep()
    },

    /** Deletes the outcomes of an erased workspace. Also deletes unreadable ones, because they might belong to it. */
    erase: async (workspaceId: string): Promise<void> => files?.erase(workspaceId),

    /** Writes a test file to the folder and removes it. Throws StoreError `unwritable-journal`, which says what to do. */
    checkWritable: async (): Promise<void> => files?.checkWritable(),

    async [Symbol.asyncDispose](): Promise<void> {
      stopping.abort()
      await Promise.allSettled([...running].map(({ done }) => done))
    },
  }
}

/** An error that would happen again on every attempt. */
const isPermanent = (error: unknown): boolean =>
  error instanceof StoreError || (error instanceof Error && error.name === 'DataCloneError')

interface KnownOutcome {
  step: SettledStep
  /** The audit row that records the outcome. */
  outcome: AuditEvent | undefined
}

/** Longer than it takes to write a file, so its process must be dead. */
const MAX_DRAFT_AGE_MS = HOUR_MS
/** By then, the work that an outcome belongs to has ended. */
const MAX_AGE_MS = 30 * DAY_MS
const ID = '[0-9a-f-]{36}'
const OUTCOME_FILE = new RegExp(`^${ID}\\.outcome$`)
const QUARANTINED_FILE = new RegExp(`^${ID}\\.outcome\\.(?:unreadable|unsettled)$`)
const DRAFT_FILE = /\.outcome\..*tmp$/
/** Each database's folder is named after its ID, which changes on restore. */
const DATABASE_FOLDER = new RegExp(`^${ID}$`)
const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** Outcomes on this machine's disk, each sealed in its own file. */
function createOutcomeFiles(sealer: Sealer, folder: string) {
  const filePath = (id: string): string => join(folder, `${id}.outcome`)

  /** This database's folder, and those of the databases that restores have replaced. */
  const listFolders = async (): Promise<string[]> => [
    folder,
    ...(await listNames(dirname(folder)))
      .filter((name) => DATABASE_FOLDER.test(name))
      .map((name) => join(dirname(folder), name))
      .filter((path) => path !== folder),
  ]

  /** `write` sealed it, so the type is right. */
  const open = async (path: string, id: string): Promise<KnownOutcome> =>
    deserialize(Buffer.from(sealer.open(await readFile(path, 'utf8'), outcomeIdentity(id)), 'base64'))

  async function mayBelongTo(workspaceId: string, dir: string, name: string): Promise<boolean> {
    const [id] = parseId(name)
    if (id === undefined) return dir === folder && QUARANTINED_FILE.test(name)
    const knownOutcome = await open(join(dir, name), id).catch(() => undefined)
    return knownOutcome ? knownOutcome.outcome?.workspaceId === workspaceId : dir === folder
  }

  /** Renames the file, so that it no longer blocks others but can still be inspected. */
  const quarantine = (id: string, reason: 'unreadable' | 'unsettled'): Promise<void> =>
    rename(filePath(id), `${filePath(id)}.${reason}`).catch(() => undefined)

  return {
    /** Complete and on disk when it resolves. */
    async write(id: string, knownOutcome: KnownOutcome): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFileAtomically(
        filePath(id),
        sealer.seal(serialize(knownOutcome).toString('base64'), outcomeIdentity(id)),
      )
    },

    async checkWritable(): Promise<void> {
      // In the parent folder, because this database's own folder is created only when it's needed.
      const probe = join(dirname(folder), `${randomUUID()}.probe`)
      try {
        await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
        await writeFileAtomically(probe, '')
        await unlink(probe)
      } catch (error) {
        throw new StoreError(
          'unwritable-journal',
          `Can’t write to the journal folder ${dirname(folder)} (${errorCode(error)}). Make it writable for the user that runs this process.`,
          { cause: error },
        )
      }
    },

    listIds: async (): Promise<string[]> => (await listNames(folder)).flatMap(parseId).toSorted(),

    /**
     * Deletes partial files left by a killed process, and files that nobody has used for 30 days, including those of former
     * databases.
     */
    async sweep(): Promise<void> {
      for (const dir of await listFolders())
        for (const name of await listNames(dir)) {
          if (DRAFT_FILE.test(name)) await deleteIfOlder(join(dir, name), MAX_DRAFT_AGE_MS)
          if (OUTCOME_FILE.test(name) || QUARANTINED_FILE.test(name))
            await deleteIfOlder(join(dir, name), MAX_AGE_MS)
        }
    },

    /** Undefined if the file is gone, needs a missing key, or can't be read. In the last case, it's quarantined. */
    async read(id: string): Promise<KnownOutcome | undefined> {
      try {
        return await open(filePath(id), id)
      } catch (error) {
        // Another process has written it to the database meanwhile.
        if (errorCode(error) === 'ENOENT') return undefined
        // The missing key may be added later.
        if (!(error instanceof SealError) || error.kind !== 'unknown-key') await quarantine(id, 'unreadable')
        return undefined
      }
    },

    quarantine,

    /** In other databases' folders, deletes only files that can be decrypted, because a folder may belong to another program. */
    async erase(workspaceId: string): Promise<void> {
      for (const dir of await listFolders())
        for (const name of await listNames(dir))
          if (await mayBelongTo(workspaceId, dir, name)) await unlink(join(dir, name)).catch(() => undefined)
    },

    async remove(id: string): Promise<void> {
      await unlink(filePath(id)).catch(() => undefined)
    },
  }
}

const parseId = (name: string): string[] =>
  OUTCOME_FILE.test(name) ? [name.slice(0, -'.outcome'.length)] : []

async function deleteIfOlder(path: string, afterMs: number): Promise<void> {
  const written = await stat(path).catch(() => undefined)
  if (written && Date.now() - written.mtimeMs > afterMs) await unlink(path).catch(() => undefined)
}
