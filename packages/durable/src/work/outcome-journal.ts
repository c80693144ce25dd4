import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import type { AuditEvent } from '../audit/row.ts'
import { writeWhole } from '../database/disk.ts'
import { errorCode, StoreError } from '../database/errors.ts'
import { outcomeIdentity } from '../secrets/outcome-files.ts'
import { SealError, type Sealer } from '../secrets/seal.ts'
import type { RecordedSteps, SettledStep } from './act-steps.ts'

/**
 * Keeps a step's known outcome while the database cannot be written: sealed, in a file of its own on this machine's disk,
 * until the database has it.
 */
export type OutcomeJournal = ReturnType<typeof outcomeJournal>

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000
/** The longest that a caller is kept waiting. */
const WAITS_MS = 20_000

/**
 * `folder` is undefined for a database in memory, which ends with its process anyway. `onLate` is called for each outcome that the
 * database was given later than its step ended, before it is forgotten here: its work may be over without it.
 */
export function outcomeJournal(
  steps: Pick<RecordedSteps, 'settle'>,
  sealer: Sealer,
  folder: string | undefined,
  onLate: (workId: string) => Promise<unknown> = async () => undefined,
) {
  const files = folder === undefined ? undefined : outcomeFiles(sealer, folder)
  const stopping = new AbortController()
  const running = new Set<{ workId: string; done: Promise<void> }>()
  /** Sooner when this process ends. */
  const waited = (ms: number): Promise<void> =>
    setTimeout(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)

  async function settleLate(id: string, { step, outcome }: KnownOutcome): Promise<void> {
    await steps.settle(step, outcome)
    await onLate(step.workId)
    await files?.remove(id)
  }

  /** What does not pass would keep everything else from being settled, at every start. */
  async function passOver(id: string, error: unknown): Promise<void> {
    // Its workspace's key may be mended.
    if (error instanceof SealError) return
    if (!isOurs(error)) throw error
    await files?.setAside(id, 'unsettled')
  }

  /** Until the database has it, or this process ends: then the next one finds it in the journal. */
  async function insist(known: KnownOutcome, id: string): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await waited(pauseMs)
      if (stopping.signal.aborted) return
      // Else it is still away.
      const isOver = await settleLate(id, known).then(() => true, isOurs)
      if (isOver) return
    }
  }

  return {
    /** Like `RecordedSteps.settle`. When the database is away, it resolves once it has the outcome or, after a while, the journal has. */
    async settle(step: SettledStep, outcome?: AuditEvent): Promise<void> {
      try {
        return await steps.settle(step, outcome)
      } catch (error) {
        if (isOurs(error)) throw error
        const id = randomUUID()
        // A disk that takes nothing either leaves this process's memory, which goes on trying.
        await files?.write(id, { step, outcome }).catch(() => undefined)
        const insisting = { workId: step.workId, done: insist({ step, outcome }, id) }
        running.add(insisting)
        void insisting.done.then(() => running.delete(insisting))
        await Promise.race([insisting.done, waited(WAITS_MS)])
      }
    },

    /** Resolves when the database has every known outcome of this work, or when this process ends. */
    async settled(workId: string): Promise<void> {
      await Promise.all([...running].filter((one) => one.workId === workId).map(({ done }) => done))
    },

    /**
     * Writes the outcomes that an earlier process left behind into the database. A file that can't be read is set aside; one whose key
     * isn't here stays, and keeps nothing else from being settled. What is left after 30 days is deleted. Throws when the database is
     * away.
     */
    async reconcile(): Promise<void> {
      for (const id of (await files?.ids()) ?? []) {
        const known = await files?.read(id)
        if (known) await settleLate(id, known).catch((error: unknown) => passOver(id, error))
      }
      await files?.sweep()
    },

    /** Deletes what is known of a workspace that is erased, and what can't be read: nobody can tell whose that is. */
    erase: async (workspaceId: string): Promise<void> => files?.erase(workspaceId),

    /** Writes into the folder and takes it away again. Throws StoreError `unusable`, which says what to do. */
    prove: async (): Promise<void> => files?.prove(),

    async [Symbol.asyncDispose](): Promise<void> {
      stopping.abort()
      await Promise.allSettled([...running].map(({ done }) => done))
    },
  }
}

/** An error that would come again at every attempt. */
const isOurs = (error: unknown): boolean =>
  error instanceof StoreError || (error instanceof Error && error.name === 'DataCloneError')

interface KnownOutcome {
  step: SettledStep
  outcome: AuditEvent | undefined
}

/** Longer than a living process takes to write one. */
const DRAFT_MS = HOUR_MS
/** The work that they are about is over by then. */
const LEFT_OVER_MS = 30 * DAY_MS
const ID = '[0-9a-f-]{36}'
const FORM = new RegExp(`^${ID}\\.outcome$`)
const SET_ASIDE = new RegExp(`^${ID}\\.outcome\\.(?:unreadable|unsettled)$`)
const DRAFT = /\.outcome\..*tmp$/
/** A database's folder is called like its id, which a restore changes. */
const FOLDER = new RegExp(`^${ID}$`)
const names = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** Known outcomes on this machine's disk, each sealed in a file of its own. */
function outcomeFiles(sealer: Sealer, folder: string) {
  const pathOf = (id: string): string => join(folder, `${id}.outcome`)

  /** That of this database, and those of the databases that restores have replaced. */
  const everyFolder = async (): Promise<string[]> => [
    folder,
    ...(await names(dirname(folder)))
      .filter((name) => FOLDER.test(name))
      .map((name) => join(dirname(folder), name))
      .filter((place) => place !== folder),
  ]

  /** Sealed by `write`, hence of this type. */
  const open = async (path: string, id: string): Promise<KnownOutcome> =>
    deserialize(Buffer.from(sealer.open(await readFile(path, 'utf8'), outcomeIdentity(id)), 'base64'))

  async function isAbout(workspaceId: string, place: string, name: string): Promise<boolean> {
    const [id] = idIn(name)
    if (id === undefined) return place === folder && SET_ASIDE.test(name)
    const known = await open(join(place, name), id).catch(() => undefined)
    return known ? known.outcome?.workspaceId === workspaceId : place === folder
  }

  /** Out of the way of the others, for whoever looks into the folder. */
  const setAside = (id: string, why: 'unreadable' | 'unsettled'): Promise<void> =>
    rename(pathOf(id), `${pathOf(id)}.${why}`).catch(() => undefined)

  return {
    /** On disk, whole, when it resolves. */
    async write(id: string, known: KnownOutcome): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeWhole(pathOf(id), sealer.seal(serialize(known).toString('base64'), outcomeIdentity(id)))
    },

    async prove(): Promise<void> {
      // Where its own folder is made by the first outcome.
      const probe = join(dirname(folder), `${randomUUID()}.probe`)
      try {
        await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
        await writeWhole(probe, '')
        await unlink(probe)
      } catch (error) {
        throw new StoreError(
          'unwritable-journal',
          `The folder for known outcomes, ${dirname(folder)}, cannot be written (${errorCode(error)}): make it writable for the user that runs this process, or use another one.`,
          { cause: error },
        )
      }
    },

    ids: async (): Promise<string[]> => (await names(folder)).flatMap(idIn).toSorted(),

    /** Deletes what a killed process has left half-written, and what nothing has taken for 30 days, also of databases from before. */
    async sweep(): Promise<void> {
      for (const place of await everyFolder())
        for (const name of await names(place)) {
          if (DRAFT.test(name)) await dropOld(join(place, name), DRAFT_MS)
          if (FORM.test(name) || SET_ASIDE.test(name)) await dropOld(join(place, name), LEFT_OVER_MS)
        }
    },

    /** Undefined when it is gone meanwhile, needs a key that is not here, or cannot be read: then it is set aside. */
    async read(id: string): Promise<KnownOutcome | undefined> {
      try {
        return await open(pathOf(id), id)
      } catch (error) {
        // Whoever knew it has put it into the database meanwhile.
        if (errorCode(error) === 'ENOENT') return undefined
        // A key that is missing may be added.
        if (!(error instanceof SealError) || error.kind !== 'unknown-key') await setAside(id, 'unreadable')
        return undefined
      }
    },

    setAside,

    /** In the folders of other databases only what opens: one may belong to another program. */
    async erase(workspaceId: string): Promise<void> {
      for (const place of await everyFolder())
        for (const name of await names(place))
          if (await isAbout(workspaceId, place, name)) await unlink(join(place, name)).catch(() => undefined)
    },

    async remove(id: string): Promise<void> {
      await unlink(pathOf(id)).catch(() => undefined)
    },
  }
}

const idIn = (name: string): string[] => (FORM.test(name) ? [name.slice(0, -'.outcome'.length)] : [])

async function dropOld(path: string, afterMs: number): Promise<void> {
  const written = await stat(path).catch(() => undefined)
  if (written && Date.now() - written.mtimeMs > afterMs) await unlink(path).catch(() => undefined)
}
