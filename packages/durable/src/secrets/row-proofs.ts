import { yieldWhenDue } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { PROOF, type SealedColumn, sealedColumns, type Table } from '../database/declared-table.ts'
import type { Schema } from '../database/schema.ts'
import { type NamedCells, readAllRows, toNamedCells } from '../database/stored-tables.ts'
import type { OnDecryptError } from './seal.ts'
import { type Identity, type Sealer, tryOpen } from './seal.ts'

/** Tables with protected rows, such as permissions and retention settings. */
type ProvenTable = {
  [T in keyof Schema]: typeof PROOF extends keyof Schema[T] ? T : never
}[keyof Schema]

type Unproven<T extends ProvenTable> = Omit<Schema[T], typeof PROOF>

/**
 * Proves that someone with the keys wrote a row as it is. The table's declaration names the columns that the proof covers. Rows
 * inserted or changed without the keys are ignored. An old row that was put back still has a valid proof; the audit log detects
 * that.
 */
export type RowProofs = ReturnType<typeof createRowProofs>

const listProofs = (tables: readonly Table[]): readonly SealedColumn[] =>
  sealedColumns(tables).filter(({ column }) => column === PROOF)

// All columns of these tables are text or null, so the cast is safe.
const toCells = (row: unknown) => row as Readonly<Record<string, string | null>>

/**
 * `onDecryptError` gets the table and key of each row with a wrong proof. Someone without the keys wrote that row, so don't trust the
 * key's text.
 */
export function createRowProofs(
  tables: readonly Table[],
  sealer: Pick<Sealer, 'seal' | 'open'>,
  onDecryptError: OnDecryptError = () => undefined,
) {
  const proofs = new Map(listProofs(tables).map((proof) => [proof.table, proof]))
  function findProof(table: ProvenTable): SealedColumn {
    const proof = proofs.get(table)
    if (proof === undefined)
      throw new Error(`The table ${table} doesn’t declare the columns that its proof covers.`)
    return proof
  }
  /** Throws SealError. */
  function verify<T extends ProvenTable>(table: T, row: Schema[T]): void {
    const proof = findProof(table)
    const cells = toCells(row)
    const checked = tryOpen(() => sealer.open(cells[PROOF] ?? '', sealIdentity(proof, cells)))
    if ('value' in checked) return
    onDecryptError([table, ...proof.key.map((name) => String(cells[name]))], checked.sealError)
    throw checked.sealError
  }
  return {
    // The row has all other columns, and `addProof` adds the proof.
    addProof: <T extends ProvenTable>(table: T, row: Unproven<T>): Schema[T] =>
      ({ ...row, [PROOF]: sealer.seal('', sealIdentity(findProof(table), toCells(row))) }) as never,
    verify,
    isGenuine: <T extends ProvenTable>(table: T, row: Schema[T]): boolean =>
      'value' in tryOpen(() => verify(table, row)),
  }
}

/** Yields a sentence for each row that was inserted or changed without the keys. */
export async function* describeForgedRows(
  rows: Kysely<Schema>,
  tables: readonly Table[],
  sealer: Pick<Sealer, 'open'>,
): AsyncGenerator<string> {
  for await (const { proof, row } of readProvenRows(rows, tables)) {
    await yieldWhenDue()
    if ('value' in tryOpen(() => sealer.open(String(row[PROOF] ?? ''), sealIdentity(proof, row)))) continue
    const key = proof.key.map((name) => `${name} "${row[name]}"`).join(', ')
    yield `The row of ${proof.table} with ${key} was not written by this program, or was changed later. It’s ignored.`
  }
}

async function* readProvenRows(
  rows: Kysely<Schema>,
  tables: readonly Table[],
): AsyncGenerator<{ proof: SealedColumn; row: NamedCells }> {
  for (const proof of listProofs(tables)) {
    const { table: name, key, identityColumns } = proof
    const columns = [...new Set([...key, ...identityColumns, PROOF])]
    for await (const page of readAllRows(rows, { name, columns, key }))
      for (const { cells } of page) yield { proof, row: toNamedCells({ columns }, cells) }
  }
}

/** The identity that a row's sealed column is bound to. In a proof, null and an empty text give different identities. */
export function sealIdentity(
  { column, label, identityColumns }: SealedColumn,
  row: Readonly<Record<string, string | number | null | undefined>>,
): Identity {
  const cells = identityColumns.map((name) =>
    column === PROOF ? JSON.stringify(row[name] ?? null) : String(row[name] ?? ''),
  )
  return [label, ...cells]
}
