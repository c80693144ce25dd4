import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import type { AuditEvent } from '../audit/row.ts'
import { StoreError } from '../database/errors.ts'
import type { Identity, Sealer } from '../secrets/seal.ts'
import type { RecordedSteps, SettledStep } from './recorded-steps.ts'

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

interface Entry {
  step: SettledStep
  outcome: AuditEvent | undefined
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000
/** The longest that a caller is kept waiting. */
const WAITS_MS = 20_000
/** Longer than a living process takes to write one. */
const DRAFT_MS = 3_600_000
const FORM = /^[0-9a-f-]{36}\.outcome$/

/** `folder` is undefined for a database in memory, which ends with its process anyway. */
export function outcomeJournal(
  steps: Pick<RecordedSteps, 'settle'>,
  sealer: Sealer,
  folder: string | undefined,
): OutcomeJournal {
  const stopping = new AbortController()
  const running = new Set<{ workId: string; done: Promise<void> }>()

  async function write(id: string, entry: Entry): Promise<void> {
    if (folder === undefined) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const draft = `${pathOf(folder, id)}.draft`
    await using file = await open(draft, 'wx', 0o600)
    await file.writeFile(sealer.seal(serialize(entry).toString('base64'), identityOf(id)))
    await file.sync()
    // Whoever looks at it finds the whole of it, also after a kill right here.
    await rename(draft, pathOf(folder, id))
  }

  const remove = async (id: string): Promise<void> => {
    if (folder !== undefined) await unlink(pathOf(folder, id)).catch(() => undefined)
  }

  /** Until the database has it, or this process ends: then the next one finds it in the journal. */
  async function insist({ step, outcome }: Entry, id: string): Promise<void> {
    for (
      let pauseMs = FIRST_PAUSE_MS;
      !stopping.signal.aborted;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    ) {
      await setTimeout(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
      if (stopping.signal.aborted) return
      try {
        await steps.settle(step, outcome)
        return await remove(id)
      } catch (error) {
        // Else it is still away.
        if (isOurs(error)) return
      }
    }
  }

  async function entryOf(name: string, id: string): Promise<Entry | undefined> {
    const path = join(folder ?? '', name)
    const text = await readFile(path, 'utf8').catch(() => undefined)
    // Whoever knew it has put it into the database meanwhile.
    if (text === undefined) return undefined
    try {
      // Sealed by `write`, hence of this type.
      return deserialize(Buffer.from(sealer.open(text, identityOf(id)), 'base64')) as Entry
    } catch {
      await rename(path, `${path}.unreadable`).catch(() => undefined)
      return undefined
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
        await write(id, { step, outcome }).catch(() => undefined)
        const insisting = { workId: step.workId, done: insist({ step, outcome }, id) }
        running.add(insisting)
        void insisting.done.then(() => running.delete(insisting))
        await Promise.race([
          insisting.done,
          setTimeout(WAITS_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined),
        ])
      }
    },

    async settled(workId) {
      await Promise.all([...running].filter((one) => one.workId === workId).map(({ done }) => done))
    },

    async reconcile() {
      if (folder === undefined) return []
      const names = await withoutDrafts(folder)
      const settled: string[] = []
      for (const name of names.filter((name) => FORM.test(name)).sort()) {
        const id = name.slice(0, -'.outcome'.length)
        const entry = await entryOf(name, id)
        if (!entry) continue
        const { step, outcome } = entry
        try {
          await steps.settle(step, outcome)
        } catch (error) {
          if (!isOurs(error)) throw error
          // It would keep everything else from being settled, at every start.
          await rename(join(folder, name), join(folder, `${name}.unsettled`)).catch(() => undefined)
          continue
        }
        await remove(id)
        settled.push(step.workId)
      }
      return settled
    },

    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.allSettled([...running].map(({ done }) => done))
    },
  }
}

/** The files there, once the half-written ones of killed processes are gone: the outcome of such a step is looked up. */
async function withoutDrafts(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((name) => name.endsWith('.outcome.draft'))) {
    const path = join(folder, name)
    const written = await stat(path).catch(() => undefined)
    if (written && Date.now() - written.mtimeMs > DRAFT_MS) await unlink(path).catch(() => undefined)
  }
  return names
}

/** An error that would come again at every attempt. */
const isOurs = (error: unknown): boolean =>
  error instanceof StoreError || (error instanceof Error && error.name === 'DataCloneError')

const pathOf = (folder: string, id: string): string => join(folder, `${id}.outcome`)

const identityOf = (id: string): Identity => ['outcome_journal', id]
