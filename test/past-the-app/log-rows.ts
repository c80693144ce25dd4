import { hashOf } from '../../packages/durable/src/audit/row.ts'
import type { AuditEntryRow } from '../../packages/durable/src/database/schema.ts'
import type { Way } from './decisions.ts'
import { ROWS, type Scene } from './scene.ts'

const ofT1 = ({ raw }: Scene): Promise<AuditEntryRow[]> =>
  raw.rows
    .selectFrom('audit_entry')
    .selectAll()
    .where('workspace_id', '=', 'T1')
    .orderBy('sequence')
    .execute()

async function set({ raw }: Scene, sequence: number, change: Partial<AuditEntryRow>): Promise<void> {
  const row = raw.rows.updateTable('audit_entry').where('workspace_id', '=', 'T1')
  await row.where('sequence', '=', sequence).set(change).execute()
}

async function drop({ raw }: Scene, ...sequences: number[]): Promise<void> {
  const rows = raw.rows.deleteFrom('audit_entry').where('workspace_id', '=', 'T1')
  await rows.where('sequence', 'in', sequences).execute()
}

const put = ({ raw }: Scene, row: AuditEntryRow) => raw.rows.insertInto('audit_entry').values(row).execute()

async function rowAt(scene: Scene, index: number): Promise<AuditEntryRow> {
  const row = (await ofT1(scene)).at(index)
  if (row === undefined) throw new Error(`No row ${index}`)
  return row
}

/** Chains the rows anew from the given one on, as one without the key can. */
async function rechain(scene: Scene, from: number): Promise<void> {
  let previous = ''
  for (const row of await ofT1(scene)) {
    const linked = row.sequence < from ? row : { ...row, previous_hash: previous }
    const hash = row.sequence < from ? row.hash : hashOf(linked)
    await set(scene, row.sequence, { previous_hash: linked.previous_hash, hash })
    previous = hash
  }
}

const from = (first: number): number[] => Array.from({ length: ROWS - first + 1 }, (_, n) => first + n)

const headOf = async ({ raw }: Scene, workspaceId: string): Promise<string> =>
  (
    await raw.rows
      .selectFrom('audit_chain')
      .select('sealed_head')
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
  ).sealed_head

const setHead = ({ raw }: Scene, workspaceId: string, sealed_head: string) =>
  raw.rows.updateTable('audit_chain').set({ sealed_head }).where('workspace_id', '=', workspaceId).execute()

async function dropChain({ raw: { rows } }: Scene): Promise<void> {
  await rows.deleteFrom('audit_entry').where('workspace_id', '=', 'T1').execute()
  await rows.deleteFrom('audit_chain').where('workspace_id', '=', 'T1').execute()
}

const COLUMNS: Partial<AuditEntryRow>[] = [
  { at: '2020-01-01T00:00:00.000Z' },
  { user_id: 'U9' },
  { team_id: 'T9' },
  { channel_id: 'C9' },
  { verb: 'other' },
  { object: 'other' },
  { before: '{}' },
  { after: null },
  { outcome: 'refused' },
  { reference: 'other' },
  { hash: 'A'.repeat(43) },
  { previous_hash: 'A'.repeat(43) },
  { sealed_erasure: 'v1.a.AAAA' },
]

const LAST = ROWS
const CUT = new RegExp(`^ {2}row ${LAST - 1} was deleted, and so were all up to ${LAST}$`)
const REWRITTEN = new RegExp(`^ {2}row ${LAST} is not the last row that was sealed: the chain was rewritten$`)
const WIPED = /^T1: row 1 and all up to \d+, anchored .*, are gone with their chain: the log was wiped$/

export const OF_THE_LOG: readonly Way[] = [
  ...COLUMNS.map((change) => ({
    does: `edits ${Object.keys(change).join()} of a row`,
    how: (scene: Scene) => set(scene, 3, change),
    says: [/^ {2}row 3 was changed/],
  })),
  {
    does: 'edits a row and fits its hash',
    async how(scene) {
      const row = { ...(await rowAt(scene, 2)), user_id: 'U9' }
      await set(scene, 3, { ...row, hash: hashOf(row) })
    },
    says: [/^ {2}row 4 does not follow/],
  },
  {
    does: 'edits a row and makes all hashes after it anew',
    async how(scene) {
      await set(scene, 3, { user_id: 'U9' })
      await rechain(scene, 3)
    },
    says: [REWRITTEN, /^T1: row 6 is another than the one that was anchored/],
  },
  { does: 'deletes a row', how: (scene) => drop(scene, 3), says: [/^ {2}row 3 was deleted$/] },
  {
    does: 'deletes several rows',
    how: (scene) => drop(scene, 2, 3, 5),
    says: [/^ {2}row 2 was deleted, and so were all up to 3$/, /^ {2}row 5 was deleted$/],
  },
  { does: 'deletes the first row', how: (scene) => drop(scene, 1), says: [/^ {2}row 1 was deleted$/] },
  { does: 'cuts the end', how: (scene) => drop(scene, LAST - 1, LAST), says: [CUT] },
  {
    does: 'deletes all rows',
    how: (scene) => drop(scene, ...from(1)),
    says: [
      new RegExp(`^ {2}row 1 was deleted, and so were all up to ${LAST}$`),
      /^T1: the audit log is empty, although a connection token was stored .*: it was wiped$/,
    ],
  },
  {
    does: 'deletes a row and closes the gap',
    async how(scene) {
      await drop(scene, 3)
      for (const sequence of from(4)) await set(scene, sequence, { sequence: sequence - 1 })
      await rechain(scene, 3)
    },
    says: [new RegExp(`^ {2}row ${LAST} was deleted$`)],
  },
  {
    does: 'puts a row in at the end',
    async how(scene) {
      const last = await rowAt(scene, -1)
      const row = { ...last, sequence: LAST + 1, previous_hash: last.hash }
      await put(scene, { ...row, hash: hashOf(row) })
    },
    says: [new RegExp(`^ {2}row ${LAST + 1} was put in after the last`)],
  },
  {
    does: 'puts a row in between',
    async how(scene) {
      for (const sequence of from(4).reverse()) await set(scene, sequence, { sequence: sequence + 1 })
      await put(scene, { ...(await rowAt(scene, 2)), sequence: 4 })
      await rechain(scene, 4)
    },
    says: [REWRITTEN, new RegExp(`^ {2}row ${LAST + 1} was put in after the last`)],
  },
  {
    does: 'puts a row in before the start',
    how: async (scene) => put(scene, { ...(await rowAt(scene, 0)), sequence: 0 }),
    // Row 0 is no row: what is said of it stands alone.
    says: [/^ {2}was put in before the first kept row$/],
  },
  {
    does: 'puts two rows in each other’s place',
    async how(scene) {
      await set(scene, 3, { sequence: 99 })
      await set(scene, 4, { sequence: 3 })
      await set(scene, 99, { sequence: 4 })
    },
    says: [
      /^ {2}row 3 .*another row’s place/,
      /^ {2}row 4 .*another row’s place/,
      /^ {2}row 5 does not follow/,
    ],
  },
  {
    does: 'brings a row from another workspace',
    async how(scene) {
      await drop(scene, 6)
      const rows = scene.raw.rows.updateTable('audit_entry').set({ workspace_id: 'T1' })
      await rows.where('workspace_id', '=', 'T2').where('sequence', '=', 6).execute()
    },
    says: [/^ {2}row 6 does not follow/, /^ {2}row 6 was changed/, /^ {2}row 6 was deleted$/],
  },
  {
    does: 'deletes the head of a chain',
    how: ({ raw }) => raw.rows.deleteFrom('audit_chain').where('workspace_id', '=', 'T1').execute(),
    says: [/^ {2}the sealed head of the chain was deleted$/],
  },
  {
    does: 'puts another workspace’s head in place of one',
    how: async (scene) => setHead(scene, 'T1', await headOf(scene, 'T2')),
    says: [/^ {2}the sealed head of the chain does not open: it was changed, or is another one’s$/],
  },
  {
    does: 'cuts the end and puts back the head that was sealed there',
    async how(scene) {
      await drop(scene, ...from(5))
      await setHead(scene, 'T1', scene.heads[3] ?? '')
    },
    says: [/^T1: row 5 and all up to \d+, anchored .*, are gone: the chain was cut or rolled back$/],
  },
  { does: 'deletes a whole chain', how: dropChain, says: [/^Whole chains are missing: 1\.$/, WIPED] },
  {
    does: 'deletes a whole chain and the count of chains',
    async how(scene) {
      await dropChain(scene)
      await scene.raw.rows.deleteFrom('audit_chain').where('workspace_id', '=', '').execute()
    },
    says: [/^The sealed count of the workspaces’ chains was deleted\.$/, WIPED],
  },
  {
    does: 'puts a head in place of the count of chains',
    how: async (scene) => setHead(scene, '', await headOf(scene, 'T1')),
    says: [/^The sealed count of the workspaces’ chains was changed\.$/],
  },
  {
    does: 'deletes all logs, their heads and the count',
    async how({ raw: { rows } }) {
      await rows.deleteFrom('audit_entry').execute()
      await rows.deleteFrom('audit_chain').execute()
    },
    says: [WIPED, /^T2: row 1 and all up to \d+, anchored .*: the log was wiped$/],
  },
]
