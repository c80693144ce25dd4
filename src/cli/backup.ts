import { backUp, findSqliteFile } from '@signalman/durable'
import { pluralize } from '../domain/wording.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { readExistingStoreOptions } from './store-from-environment.ts'

const HELP = `
Writes the SQLite database as of now into FILE, which must not exist, while the app runs. FILE is a SQLite database. It contains
no encryption key: keep ENCRYPTION_KEYS, or the key file next to the database, somewhere else. With PostgreSQL, use pg_dump.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

export const backup = operatorVerb({
  help: HELP,
  flags: {},
  allowPositionals: true,
  async run({ positionals: [path, ...more] }, environment) {
    if (path === undefined || more.length > 0) throw new OperatorError('Use: signalman backup FILE.', 2)
    const { url } = readExistingStoreOptions(environment)
    const bytes = await backUp(requireSqliteFile(url, 'pg_dump'), path)
    printLine(`${path}: ${pluralize(bytes, 'byte')}.`)
    return 0
  },
})

/** The path of the SQLite database. Throws OperatorError for PostgreSQL, which has its own tools. */
export function requireSqliteFile(url: string, postgresTool: string): string {
  const file = findSqliteFile(url)
  if (file === undefined || file === ':memory:')
    throw new OperatorError(`This is only for a SQLite file. With PostgreSQL, use ${postgresTool}.`, 2)
  return file
}
