import { vi } from 'vitest'
import { createDatabaseTime } from '../../packages/durable/src/database/clock.ts'
import { createSteps } from '../../packages/durable/src/work/steps.ts'
import { sealerOf } from './databases.ts'
import { openDatabase } from './open.ts'

/** The steps of a database whose answer to a commit is lost while `breaks`. What was committed stays. */
export async function openBreakingSteps({ url, keys }: { url: string; keys: string }, breaks: () => boolean) {
  const database = await openDatabase(url)
  const rows = new Proxy(database.rows, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value
      type Change = Parameters<ReturnType<typeof target.transaction>['execute']>[0]
      async function execute(change: Change): Promise<unknown> {
        const result = await target.transaction().execute(change)
        if (breaks()) throw new Error('The connection broke.')
        return result
      }
      return () => ({ execute })
    },
  })
  const audit = {
    appendInTransaction: async () => undefined,
    appendMissing: vi.fn(async () => undefined),
    decide: () => Promise.reject(new Error('Unused.')),
  }
  const time = createDatabaseTime(database.kind)
  const steps = createSteps({ ...database, rows }, time, sealerOf(keys), audit)
  return { steps, audit, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}
