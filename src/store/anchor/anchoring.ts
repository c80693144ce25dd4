import { yieldWhenDue } from '../../turns.ts'
import { type Chains, REGISTER } from '../audit/chain.ts'
import type { Database } from '../database/database.ts'
import type { AuditChainRow } from '../database/schema.ts'
import type { Keyring } from '../secrets/keys.ts'
import { SealError } from '../secrets/seal.ts'
import type { Setting, Settings } from '../workspaces/settings.ts'
import { type AnchorFault, faultsAgainst } from './against-anchor.ts'
import {
  type AnchoredHead,
  type FoundRecord,
  type HeadRecord,
  hashOfRecord,
  recordsIn,
  recordText,
} from './head-record.ts'

/** The last record that was anchored, that is put outside of the database. */
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
  /** The number of rows since the last records. */
  readonly rows: number
  readonly wentBack: readonly { head: AnchoredHead; anchored: AnchoredHead }[]
}

export interface Anchoring {
  state(): Promise<AnchorState | undefined>
  /** True when another key signed the last record: the next record must vouch for it. */
  isOfFormerKey(): Promise<boolean>
  /** Every chain whose end is not the anchored one. */
  unanchored(): Promise<Unanchored>
  /** Compares the chains with every record in the text; see `faultsAgainst`. */
  compare(text: string): Promise<{ records: readonly FoundRecord[]; faults: readonly AnchorFault[] }>
  /** Signs the heads in records and calls `put` with each, which counts as anchored once `put` returns. */
  anchor(
    heads: readonly AnchoredHead[],
    now: Date,
    put: (text: string, record: HeadRecord) => Promise<void>,
  ): Promise<void>
}

export const ANCHOR_STATE: Setting<AnchorState | undefined> = {
  key: 'audit.anchor',
  // Only written below.
  read: (stored) => stored as AnchorState | undefined,
}

const ANCHORED: Setting<Omit<AnchoredHead, 'workspaceId'> | undefined> = {
  key: 'audit.anchored',
  // Only written below.
  read: (stored) => stored as Omit<AnchoredHead, 'workspaceId'> | undefined,
}

/** As many as fit in one message of Slack. */
const HEADS_IN_RECORD = 15
const PAGE = 500
const OF_NONE = ''

export function auditAnchoring(
  { reading, rows }: Pick<Database, 'reading' | 'rows'>,
  chains: Chains,
  settings: Settings,
  keys: () => Keyring,
): Anchoring {
  async function anchoredHeads(): Promise<Map<string, AnchoredHead>> {
    const found = new Map<string, AnchoredHead>()
    for await (const some of settings.having(ANCHORED))
      for (const { workspaceId, value } of some) if (value) found.set(workspaceId, { workspaceId, ...value })
    return found
  }

  return {
    state: () => settings.get(OF_NONE, ANCHOR_STATE),

    async isOfFormerKey() {
      const last = await settings.get(OF_NONE, ANCHOR_STATE)
      return last !== undefined && last.key !== keys().primary.id
    },

    async unanchored() {
      const anchored = await anchoredHeads()
      const heads: AnchoredHead[] = []
      const wentBack: { head: AnchoredHead; anchored: AnchoredHead }[] = []
      let count = 0
      for await (const { workspace_id: workspaceId, sealed_head } of chainRows(reading)) {
        const head = headOf(chains, workspaceId, sealed_head)
        const before = anchored.get(workspaceId)
        if (head === undefined || head.sequence === 0 || head.hash === before?.hash) continue
        if (before !== undefined && head.sequence <= before.sequence)
          wentBack.push({ head, anchored: before })
        else {
          heads.push(head)
          count += head.sequence - (before?.sequence ?? 0)
        }
      }
      return { heads, rows: count, wentBack }
    },

    async compare(text) {
      const records = recordsIn(text, keys())
      return { records, faults: await faultsAgainst(rows, chains, records) }
    },

    async anchor(heads, now, put) {
      // Without heads there is still one record, which names the one before it.
      for (let from = 0; from < Math.max(1, heads.length); from += HEADS_IN_RECORD) {
        const some = heads.slice(from, from + HEADS_IN_RECORD)
        const last = await settings.get(OF_NONE, ANCHOR_STATE)
        const record = {
          n: (last?.n ?? 0) + 1,
          at: now.toISOString(),
          previous: last?.hash ?? '',
          heads: some,
        }
        const { primary } = keys()
        const text = recordText(primary, record)
        await put(text, record)
        await settings.set(OF_NONE, ANCHOR_STATE, {
          n: record.n,
          at: record.at,
          hash: hashOfRecord(text),
          key: primary.id,
        })
        for (const { workspaceId, sequence, hash } of some)
          await settings.set(workspaceId, ANCHORED, { sequence, hash })
      }
    },
  }
}

async function* chainRows(reading: Database['reading']): AsyncGenerator<AuditChainRow> {
  for (let last: string | undefined = REGISTER; last !== undefined; ) {
    const page: AuditChainRow[] = await reading
      .selectFrom('audit_chain')
      .selectAll()
      .where('workspace_id', '>', last)
      .orderBy('workspace_id')
      .limit(PAGE)
      .execute()
    for (const row of page) {
      await yieldWhenDue()
      yield row
    }
    last = page.length === PAGE ? page.at(-1)?.workspace_id : undefined
  }
}

/** Undefined where it does not open: `audit verify` reports that. */
function headOf(chains: Chains, workspaceId: string, sealed: string): AnchoredHead | undefined {
  try {
    const { sequence, hash } = chains.open(workspaceId, sealed)
    return { workspaceId, sequence, hash }
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
