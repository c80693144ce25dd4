import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { HOUR_MS } from '../../domain/durations.ts'
import type { AuditEvent } from '../audit/row.ts'
import type { Identity, Sealer } from '../secrets/seal.ts'
import type { SettledStep } from './act-steps.ts'

export interface KnownOutcome {
  step: SettledStep
  outcome: AuditEvent | undefined
}

/** Known outcomes on this machine's disk, each sealed in a file of its own. */
export interface OutcomeFiles {
  /** On disk, whole, when it resolves. */
  write(id: string, known: KnownOutcome): Promise<void>
  /** The ids of all of them. What a killed process has left half-written is dropped: such a step is looked up. */
  ids(): Promise<string[]>
  /** Undefined when it is gone meanwhile, or cannot be read: then it is set aside. */
  read(id: string): Promise<KnownOutcome | undefined>
  /** Out of the way of the others, for whoever looks into the folder. */
  setAside(id: string, why: 'unreadable' | 'unsettled'): Promise<void>
  remove(id: string): Promise<void>
}

/** Longer than a living process takes to write one. */
const DRAFT_MS = HOUR_MS
const FORM = /^[0-9a-f-]{36}\.outcome$/

export function outcomeFiles(sealer: Sealer, folder: string): OutcomeFiles {
  const pathOf = (id: string): string => join(folder, `${id}.outcome`)

  const setAside: OutcomeFiles['setAside'] = (id, why) =>
    rename(pathOf(id), `${pathOf(id)}.${why}`).catch(() => undefined)

  return {
    async write(id, known) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const draft = `${pathOf(id)}.draft`
      await using file = await open(draft, 'wx', 0o600)
      await file.writeFile(sealer.seal(serialize(known).toString('base64'), identityOf(id)))
      await file.sync()
      // Whoever looks at it finds the whole of it, also after a kill right here.
      await rename(draft, pathOf(id))
    },

    async ids() {
      const names = await readdir(folder).catch(() => [])
      for (const name of names.filter((name) => name.endsWith('.outcome.draft')))
        await dropOld(join(folder, name))
      return names
        .filter((name) => FORM.test(name))
        .sort()
        .map((name) => name.slice(0, -'.outcome'.length))
    },

    async read(id) {
      const text = await readFile(pathOf(id), 'utf8').catch(() => undefined)
      // Whoever knew it has put it into the database meanwhile.
      if (text === undefined) return undefined
      try {
        // Sealed by `write`, hence of this type.
        return deserialize(Buffer.from(sealer.open(text, identityOf(id)), 'base64')) as KnownOutcome
      } catch {
        await setAside(id, 'unreadable')
        return undefined
      }
    },

    setAside,

    async remove(id) {
      await unlink(pathOf(id)).catch(() => undefined)
    },
  }
}

async function dropOld(path: string): Promise<void> {
  const written = await stat(path).catch(() => undefined)
  if (written && Date.now() - written.mtimeMs > DRAFT_MS) await unlink(path).catch(() => undefined)
}

const identityOf = (id: string): Identity => ['outcome_journal', id]
