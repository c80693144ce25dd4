import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { examineDatabase } from '../../src/doctor/database.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'

it('checks a database even if its disk is nearly full', async () => {
  using folder = makeFolder()
  const databaseUrl = `sqlite:${join(folder.path, 'a.db')}`
  await (await openStore({ url: databaseUrl, keys: KEY_A }))[Symbol.asyncDispose]()
  const config = { databaseUrl, encryptionKeys: KEY_A, outcomeJournal: undefined }
  const { findings, store } = await examineDatabase(config, new Date(), Number.POSITIVE_INFINITY)
  await store?.[Symbol.asyncDispose]()
  expect(findings.map(({ part, state }) => `${part}: ${state}`)).toEqual([
    'disk: fault',
    'database: ok',
    'keys: ok',
    'outcome journal: ok',
  ])
})
