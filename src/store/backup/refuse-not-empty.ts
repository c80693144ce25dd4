import { StoreError } from '../database/errors.ts'

/** A database that is not empty is restored into only where somebody has said --replace; `file` is SQLite's. Throws StoreError. */
export function refuseNotEmpty({ isReplacing, file }: { isReplacing: boolean; file?: string }): void {
  if (isReplacing) return
  const [database, another] = file === undefined ? ['The database', 'one'] : [`The database ${file}`, 'file']
  throw new StoreError(
    'bad-value',
    `${database} is not empty, and nothing was changed: name another ${another} in DATABASE_URL, or add --replace, which keeps what is there aside.`,
  )
}
