import fc from 'fast-check'
import { it } from 'vitest'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf, quickOrLong } from '../../long.ts'
import { readSeed } from '../../random.ts'
import { HISTORY, runHistory } from './model/history.ts'
import { createModel } from './model/model.ts'

const SEED = readSeed()
const HISTORIES = quickOrLong('MODEL_HISTORIES', { quick: 6, long: 2000 })
/**
 * How many histories run on each kind of database. Each gets a new database. A failing history isn't shrunk here, because that is
 * much faster with the in-memory model.
 */
const HISTORIES_PER_DATABASE = quickOrLong('MODEL_HISTORIES_ON_EACH', { quick: 1, long: 100 })

it(`posts each outage once and nothing else, and ends with correct cards in ${HISTORIES} random histories (SEED=${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const property = fc.asyncProperty(HISTORY, async (history) => {
    await using model = await createModel()
    await runHistory(model, history)
  })
  await fc.assert(property, { seed: SEED, numRuns: HISTORIES })
})

it.each(eitherOf(SHARED_DATABASES))(
  `posts each outage once and nothing else in ${HISTORIES_PER_DATABASE} random histories on $name (SEED=${SEED})`,
  {
    timeout: 3_600_000,
  },
  async ({ start }) => {
    const property = fc.asyncProperty(HISTORY, async (history) => {
      await using database = await start()
      await using model = await createModel({ url: database.url, keys: database.keys })
      await runHistory(model, history)
    })
    await fc.assert(property, { seed: SEED, numRuns: HISTORIES_PER_DATABASE, endOnFailure: true })
  },
)
