import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { AuditEvent } from '../audit/row.ts'
import { StoreError } from '../database/errors.ts'
import type { Sealer } from '../secrets/seal.ts'
import type { RecordedSteps, SettledStep } from './act-steps.ts'
import { type KnownOutcome, outcomeFiles } from './outcome-files.ts'

/**
 * Keeps a step's known outcome while the database cannot be written: sealed, in a file of its own on this machine's disk,
 * until the database has it.
 */
export interface OutcomeJournal extends AsyncDisposable {
  /**
   * Like `RecordedSteps.settle`. When the database is away, it resolves once the outcome is in the database or, after a
   * while, in the journal.
   */
  settle(step: SettledStep, outcome?: AuditEvent): Promise<void>
  /** Resolves when the database has every known outcome of this work, or when this process ends. */
  settled(workId: string): Promise<void>
  /**
   * Writes the outcomes that an earlier process left behind into the database, and returns the ids of their work. A file that
   * cannot be read is set aside. Throws when the database is away.
   */
  reconcile(): Promise<string[]>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000
/** The longest that a caller is kept waiting. */
const WAITS_MS = 20_000

/** `folder` is undefined for a database in memory, which ends with its process anyway. */
export function outcomeJournal(
  steps: Pick<RecordedSteps, 'settle'>,
  sealer: Sealer,
  folder: string | undefined,
): OutcomeJournal {
  const files = folder === undefined ? undefined : outcomeFiles(sealer, folder)
  const stopping = new AbortController()
  const running = new Set<{ workId: string; done: Promise<void> }>()
  /** Sooner when this process ends. */
  const waited = (ms: number): Promise<void> =>
    setTimeout(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)

  /** Until the database has it, or this process ends: then the next one finds it in the journal. */
  async function insist({ step, outcome }: KnownOutcome, id: string): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await waited(pauseMs)
      if (stopping.signal.aborted) return
      try {
        await steps.settle(step, outcome)
        return await files?.remove(id)
      } catch (error) {
        // Else it is still away.
        if (isOurs(error)) return
      }
    }
  }

  return {
    async settle(step, outcome) {
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

    async settled(workId) {
      await Promise.all([...running].filter((one) => one.workId === workId).map(({ done }) => done))
    },

    async reconcile() {
      const settled: string[] = []
      for (const id of (await files?.ids()) ?? []) {
        const known = await files?.read(id)
        if (!known) continue
        try {
          await steps.settle(known.step, known.outcome)
        } catch (error) {
          if (!isOurs(error)) throw error
          // It would keep everything else from being settled, at every start.
          await files?.setAside(id, 'unsettled')
          continue
        }
        await files?.remove(id)
        settled.push(known.step.workId)
      }
      return settled
    },

    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.allSettled([...running].map(({ done }) => done))
    },
  }
}

/** An error that would come again at every attempt. */
const isOurs = (error: unknown): boolean =>
  error instanceof StoreError || (error instanceof Error && error.name === 'DataCloneError')
