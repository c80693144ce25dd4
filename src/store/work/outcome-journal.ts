import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import type { AuditDeed } from '../audit/row.ts'
import type { Identity, Sealer } from '../secrets/seal.ts'
import type { RecordedSteps, SettledStep } from './recorded-steps.ts'

/**
 * Keeps what is known of a step's outcome although the database cannot be written: sealed in a file of its own on this
 * machine's disk, until the database has it.
 */
export interface OutcomeJournal extends AsyncDisposable {
  /** As `RecordedSteps.settle`; when the database is away, resolves once the outcome is in it or, after a while, in the journal. */
  settle(step: SettledStep, outcome?: AuditDeed): Promise<void>
  /** Puts what an earlier process left behind into the database, and says for which works. Throws when that cannot be read. */
  reconcile(): Promise<string[]>
}

interface Entry {
  step: SettledStep
  outcome: AuditDeed | undefined
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000
/** Whoever waits for the outcome is not kept waiting for longer than this. */
const WAITS_MS = 20_000
const FORM = /^[0-9a-f-]{36}\.outcome$/

/** `folder` is undefined for a database in memory: what it forgets, nobody needs. */
export function outcomeJournal(
  steps: Pick<RecordedSteps, 'settle'>,
  sealer: Sealer,
  folder: string | undefined,
): OutcomeJournal {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  async function write(id: string, entry: Entry): Promise<void> {
    if (folder === undefined) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await using file = await open(pathOf(folder, id), 'wx', 0o600)
    await file.writeFile(sealer.seal(serialize(entry).toString('base64'), identityOf(id)))
    await file.sync()
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
      } catch {
        // Still away.
      }
    }
  }

  return {
    async settle(step, outcome) {
      try {
        return await steps.settle(step, outcome)
      } catch {
        const id = randomUUID()
        // A disk that takes nothing either leaves this process's memory, which goes on trying.
        await write(id, { step, outcome }).catch(() => undefined)
        const insisting = insist({ step, outcome }, id).finally(() => running.delete(insisting))
        running.add(insisting)
        await Promise.race([
          insisting,
          setTimeout(WAITS_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined),
        ])
      }
    },

    async reconcile() {
      if (folder === undefined) return []
      const names = await readdir(folder).catch(() => [])
      const settled: string[] = []
      for (const name of names.filter((name) => FORM.test(name)).sort()) {
        const id = name.slice(0, -'.outcome'.length)
        const text = sealer.open(await readFile(join(folder, name), 'utf8'), identityOf(id))
        // Sealed by `write`, hence of this type.
        const { step, outcome } = deserialize(Buffer.from(text, 'base64')) as Entry
        await steps.settle(step, outcome)
        await remove(id)
        settled.push(step.workId)
      }
      return settled
    },

    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}

const pathOf = (folder: string, id: string): string => join(folder, `${id}.outcome`)

const identityOf = (id: string): Identity => ['outcome_journal', id]
