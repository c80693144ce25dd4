import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import type { AuditEvent } from '../audit/row.ts'
import { writeWhole } from '../database/disk.ts'
import { codeOf, StoreError } from '../database/errors.ts'
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
     * Writes the outcomes that an earlier process left behind into the database. A file that cannot be read is set aside; one whose
     * workspace's key does not open stays, and keeps nothing else from being settled. Throws when the database is away.
     */
    async reconcile(): Promise<void> {
      for (const id of (await files?.ids()) ?? []) {
        const known = await files?.read(id)
        if (known) await settleLate(id, known).catch((error: unknown) => passOver(id, error))
      }
    },

    /** Deletes what is known of a workspace that is erased, and what was set aside: nobody can tell whose that is. */
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
/** For whoever looks into the folder. */
const SET_ASIDE_MS = 30 * DAY_MS
const isSetAside = (name: string): boolean => /\.outcome\.(?:unreadable|unsettled)$/.test(name)
const FORM = /^[0-9a-f-]{36}\.outcome$/

/** Known outcomes on this machine's disk, each sealed in a file of its own. */
function outcomeFiles(sealer: Sealer, folder: string) {
  const pathOf = (id: string): string => join(folder, `${id}.outcome`)

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
          'unusable',
          `The folder for known outcomes, ${dirname(folder)}, cannot be written (${codeOf(error)}): name another one in OUTCOME_JOURNAL, or give it to the user that runs the app.`,
          { cause: error },
        )
      }
    },

    /** The ids of all of them. What a killed process has left half-written is dropped: such a step is looked up. */
    async ids(): Promise<string[]> {
      const names = await readdir(folder).catch(() => [])
      for (const name of names.filter((name) => name.endsWith('.tmp')))
        await dropOld(join(folder, name), DRAFT_MS)
      for (const name of names.filter(isSetAside)) await dropOld(join(folder, name), SET_ASIDE_MS)
      return names
        .filter((name) => FORM.test(name))
        .sort()
        .map((name) => name.slice(0, -'.outcome'.length))
    },

    /** Undefined when it is gone meanwhile, needs a key that is not here, or cannot be read: then it is set aside. */
    async read(id: string): Promise<KnownOutcome | undefined> {
      const text = await readFile(pathOf(id), 'utf8').catch(() => undefined)
      // Whoever knew it has put it into the database meanwhile.
      if (text === undefined) return undefined
      try {
        // Sealed by `write`, hence of this type.
        return deserialize(Buffer.from(sealer.open(text, outcomeIdentity(id)), 'base64')) as KnownOutcome
      } catch (error) {
        // A key that is missing may be added.
        if (!(error instanceof SealError) || error.kind !== 'unknown-key') await setAside(id, 'unreadable')
        return undefined
      }
    },

    setAside,

    async erase(workspaceId: string): Promise<void> {
      const names = await readdir(folder).catch(() => [])
      for (const name of names.filter(isSetAside)) await unlink(join(folder, name)).catch(() => undefined)
      for (const id of names.flatMap((name) =>
        FORM.test(name) ? [name.slice(0, -'.outcome'.length)] : [],
      )) {
        const known = await this.read(id)
        if (known?.outcome?.workspaceId === workspaceId) await this.remove(id)
      }
    },

    async remove(id: string): Promise<void> {
      await unlink(pathOf(id)).catch(() => undefined)
    },
  }
}

async function dropOld(path: string, afterMs: number): Promise<void> {
  const written = await stat(path).catch(() => undefined)
  if (written && Date.now() - written.mtimeMs > afterMs) await unlink(path).catch(() => undefined)
}
