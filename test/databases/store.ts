import { openStore, type Store } from '../../src/app/store.ts'
import type { TestDatabase } from './databases.ts'

/** Opens a store on a new database. Disposing of it also drops the database. */
export async function startStore(
  start: () => Promise<TestDatabase>,
  options: Partial<Parameters<typeof openStore>[0]> = {},
): Promise<Store & Pick<TestDatabase, 'url'>> {
  await using started = new AsyncDisposableStack()
  const database = started.use(await start())
  const store = started.use(await openStore({ ...database, ...options }))
  const resources = started.move()
  return { ...store, url: database.url, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
