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

/** How far the chains have been put outside of the database. */
export interface AnchorState {
  /** The last record's. */
  readonly n: number
  readonly hash: string
  readonly at: string
  /** The key that signed it. */
  readonly key: string
}

/** What is to be put outside, and what must not be, because it goes back behind what was. */
export interface Unanchored {
  readonly heads: readonly AnchoredHead[]
  /** Rows that no record knows of. */
  readonly rows: number
  readonly wentBack: readonly { head: AnchoredHead; anchored: AnchoredHead }[]
}

export interface Anchoring {
  state(): Promise<AnchorState | undefined>
  /** True when the last record was signed with another key than the next one will be, which has to vouch for it. */
  isOfFormerKey(): Promise<boolean>
  /** Every chain whose end is another than the one that was put outside last. */
  unanchored(): Promise<Unanchored>
  /** Compares the chains with every record in the text; see `faultsAgainst`. */
  compare(text: string): Promise<{ records: readonly FoundRecord[]; faults: readonly AnchorFault[] }>
  /** Signs the heads, and gives each record to `put`; what was put counts as anchored once it returns. */
  anchor(
    heads: readonly AnchoredHead[],
    now: Date,
    put: (text: string, record: HeadRecord) => Promise<void>,
  ): Promise<void>
}

export const ANCHOR_STATE: Setting<AnchorState | undefined> = {
  key: 'audit.anchor',
  // Written below alone.
  read: (stored) => stored as AnchorState | undefined,
}

const ANCHORED: Setting<Omit<AnchoredHead, 'workspaceId'> | undefined> = {
  key: 'audit.anchored',
  // Written below alone.
  read: (stored) => stored as Omit<AnchoredHead, 'workspaceId'> | undefined,
}

/** So many in one record, that a message of Slack holds it. */
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
      // Without any there is one record all the same, which names the one before it.
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

/** One that does not open is for `audit verify` to name. */
function headOf(chains: Chains, workspaceId: string, sealed: string): AnchoredHead | undefined {
  try {
    const { sequence, hash } = chains.open(workspaceId, sealed)
    return { workspaceId, sequence, hash }
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}
