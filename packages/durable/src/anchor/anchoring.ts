import { yieldWhenDue } from '@signalman/runtime'
import { type Chains, REGISTER } from '../audit/chain.ts'
import type { Database } from '../database/database.ts'
import { rowsIn } from '../database/schema.ts'
import { rowsOf } from '../database/stored-tables.ts'
import type { LivingKeys } from '../secrets/keys.ts'
import { openedOrWhyNot } from '../secrets/seal.ts'
import { ownSetting, type Setting, type Settings } from '../settings.ts'
import { type AnchorFault, faultsAgainst } from './against-anchor.ts'
import {
  type AnchoredHead,
  type FoundRecords,
  HEADS_IN_RECORD,
  type HeadRecord,
  hashOfRecord,
  recordsIn,
  recordText,
} from './head-record.ts'

/** The last record that was anchored: put outside of the database. */
export interface AnchorState {
  /** The number of the last record. */
  readonly n: number
  readonly hash: string
  readonly at: string
  /** The key that signed it. */
  readonly key: string
}

/** Heads to anchor, and heads that must not be, because they are older than an anchored one. */
export interface Unanchored {
  readonly heads: readonly AnchoredHead[]
  readonly wentBack: readonly { head: AnchoredHead; anchored: AnchoredHead }[]
}

type Put = (text: string, record: HeadRecord) => Promise<void>

export type Anchoring = ReturnType<typeof auditAnchoring>

const ANCHOR_STATE = ownSetting<AnchorState>('audit.anchor')

/** A record that is about to be put outside. */
interface BegunRecord {
  readonly text: string
  readonly record: HeadRecord
  readonly key: string
}

const BEGUN = ownSetting<BegunRecord>('audit.anchor-begun')

/** How many days a workspace keeps its audit log; 0: for ever. */
export const AUDIT_KEPT_DAYS: Setting<number> = {
  key: 'audit.kept-days',
  read: (stored) => (typeof stored === 'number' && stored > 0 ? stored : 0),
}

const ALL_SEEN = ownSetting<string>('audit.all-anchored-at')
const ANCHORED = ownSetting<Omit<AnchoredHead, 'workspaceId'>>('audit.anchored')

const OF_NONE = ''

export function auditAnchoring(
  { reading, rows }: Pick<Database, 'reading' | 'rows'>,
  chains: Chains,
  settings: Settings,
  keys: LivingKeys,
) {
  const keptDays = (workspaceId: string) => settings.get(workspaceId, AUDIT_KEPT_DAYS)

  /** Every chain whose end is not the anchored one. */
  async function unanchored(): Promise<Unanchored & { anchored: ReadonlyMap<string, AnchoredHead> }> {
    const anchored = await anchoredHeads(settings)
    const heads: AnchoredHead[] = []
    const wentBack: { head: AnchoredHead; anchored: AnchoredHead }[] = []
    for await (const head of currentHeads(reading, chains)) {
      const { workspaceId } = head
      const before = anchored.get(workspaceId)
      if (head.sequence === 0 || head.hash === before?.hash) continue
      if (before === undefined || head.sequence > before.sequence) heads.push(head)
      else wentBack.push({ head, anchored: before })
    }
    return { heads, wentBack, anchored }
  }

  return {
    state: () => settings.get(OF_NONE, ANCHOR_STATE),

    /** True when another key signed the last record: the next record must vouch for it. */
    async isOfFormerKey(): Promise<boolean> {
      const last = await settings.get(OF_NONE, ANCHOR_STATE)
      return last !== undefined && last.key !== keys.ring().primary.id
    },

    unanchored,

    /** When the oldest row that is not anchored was written; undefined when all are. */
    async waitingSince(): Promise<Date | undefined> {
      const { heads, anchored } = await unanchored()
      const firsts: string[] = []
      for (const { workspaceId } of heads) {
        const behind = anchored.get(workspaceId)?.sequence ?? 0
        const first = await rowsIn(reading, 'audit_entry', { workspace_id: workspaceId })
          .where('sequence', '>', behind)
          .orderBy('sequence')
          .limit(1)
          .executeTakeFirst()
        if (first) firsts.push(first.at)
      }
      const [since] = firsts.sort()
      return since === undefined ? undefined : new Date(since)
    },

    /** Remembers that all of the log was anchored at that time. */
    sawAll: (now: Date) => settings.set(OF_NONE, ALL_SEEN, now.toISOString()),

    /** When all of the log was last anchored, as far as anybody has looked. */
    async allSeenAt(): Promise<Date | undefined> {
      const at = await settings.get(OF_NONE, ALL_SEEN)
      return at === undefined ? undefined : new Date(at)
    },

    /** Compares the chains with every record in the text; see `faultsAgainst`. */
    async compare(
      text: string,
    ): Promise<{ records: FoundRecords['genuine']; faults: readonly AnchorFault[] }> {
      const found = recordsIn(text, keys.ring())
      return { records: found.genuine, faults: await faultsAgainst(rows, chains, found, keptDays) }
    },

    anchor: puttingRecords(settings, keys),
  }
}

/** Signs the heads in records and calls `put` with each, which counts as anchored once `put` returns. Marked before and after. */
function puttingRecords(settings: Settings, keys: LivingKeys) {
  async function carryOut({ text, record, key }: BegunRecord, put: Put): Promise<void> {
    await put(text, record)
    const { n, at, heads } = record
    await settings.set(OF_NONE, ANCHOR_STATE, { n, at, hash: hashOfRecord(text), key })
    for (const { workspaceId, sequence, hash } of heads)
      await settings.set(workspaceId, ANCHORED, { sequence, hash })
  }

  return async (heads: readonly AnchoredHead[], now: Date, put: Put): Promise<void> => {
    // When a process died over a record, puts that record once more, unchanged: no later record would vouch for another one of its
    // number.
    const begun = await settings.get(OF_NONE, BEGUN)
    const last = await settings.get(OF_NONE, ANCHOR_STATE)
    const isOpen = begun !== undefined && begun.record.n === (last?.n ?? 0) + 1
    if (isOpen) await carryOut(begun, put)
    const done = new Set(isOpen ? begun.record.heads.map(({ hash }) => hash) : [])
    const left = heads.filter(({ hash }) => !done.has(hash))
    // Without heads there is still one record, which names the one before it.
    const least = isOpen && begun.key === keys.primary().id ? 0 : 1
    for (let from = 0; from < Math.max(least, left.length); from += HEADS_IN_RECORD) {
      const some = left.slice(from, from + HEADS_IN_RECORD)
      const last = await settings.get(OF_NONE, ANCHOR_STATE)
      const record = {
        n: (last?.n ?? 0) + 1,
        at: now.toISOString(),
        previous: last?.hash ?? '',
        heads: some,
      }
      const primary = keys.primary()
      const next = { text: recordText(primary, record), record, key: primary.id }
      await settings.set(OF_NONE, BEGUN, next)
      await carryOut(next, put)
    }
  }
}

async function anchoredHeads(settings: Settings): Promise<Map<string, AnchoredHead>> {
  const found = new Map<string, AnchoredHead>()
  for await (const some of settings.having(ANCHORED))
    for (const { workspaceId, value } of some) if (value) found.set(workspaceId, { workspaceId, ...value })
  return found
}

/** The end of every chain, without those that do not open: `audit verify` reports these. */
async function* currentHeads(reading: Database['reading'], chains: Chains): AsyncGenerator<AnchoredHead> {
  const table = { name: 'audit_chain', key: ['workspace_id'], columns: ['workspace_id', 'sealed_head'] }
  for await (const page of rowsOf(reading, table))
    for (const { cells } of page) {
      await yieldWhenDue()
      const [workspaceId = '', sealed] = cells.map(String)
      const head = openedOrWhyNot(() => chains.open(workspaceId, String(sealed)))
      if (workspaceId !== REGISTER && 'value' in head)
        yield { workspaceId, sequence: head.value.sequence, hash: head.value.hash }
    }
}
