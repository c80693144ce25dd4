import fc from 'fast-check'
import { it } from 'vitest'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { runs } from '../../long.ts'
import { seedOf } from '../../random.ts'
import { HISTORY, runHistory } from './model/history.ts'
import { createModel } from './model/model.ts'

const SEED = seedOf()
const HISTORIES = runs('MODEL_HISTORIES', { quick: 100, long: 2000 })
/**
 * Each history has its own database. These run on both kinds, while most tests use only one. Histories aren't shrunk here,
 * because the test above does that in memory, in seconds.
 */
const ON_EACH = runs('MODEL_HISTORIES_ON_EACH', { quick: 3, long: 100 })

it(`posts each outage once, nothing else, and ends with correct cards in ${HISTORIES} histories (SEED=${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const property = fc.asyncProperty(HISTORY, async (history) => {
    await using model = await createModel()
    await runHistory(model, history)
  })
  await fc.assert(property, { seed: SEED, numRuns: HISTORIES })
})

it.each(SHARED_DATABASES)(
  `posts each outage once, nothing else, in ${ON_EACH} histories on $name (SEED=${SEED})`,
  {
    timeout: 3_600_000,
  },
  async ({ start }) => {
    const property = fc.asyncProperty(HISTORY, async (history) => {
      await using database = await start()
      await using model = await createModel({ url: database.url, keys: database.keys })
      await runHistory(model, history)
    })
    await fc.assert(property, { seed: SEED, numRuns: ON_EACH, endOnFailure: true })
  },
)
