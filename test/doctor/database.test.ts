import { join } from 'node:path'
import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { ROWS_LEFT } from '../../src/bot/retention/audit-retention.ts'
import { examineDatabase, examineRetention } from '../../src/doctor/database.ts'
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

it('counts the rows that are past their retention period now, not those of the last removal', async () => {
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const examineMessages = async () => (await examineRetention(store)).map(({ message }) => message)
  await store.settings.set('T1', ROWS_LEFT, 7)
  await store.audit.append({
    ...{ workspaceId: 'T1', at: new Date('2020-01-01T00:00:00.000Z'), actor: { userId: 'U1' } },
    ...{ verb: 'test', object: 'a row', reference: 'r', outcome: 'done' },
  })
  await store.settings.set('T1', AUDIT_RETENTION_DAYS, 30)
  expect(await examineMessages()).toEqual([
    expect.stringMatching(/^1 row of the audit log of T1 is past the retention period\./),
  ])
  // The period was removed since.
  await store.settings.set('T1', AUDIT_RETENTION_DAYS, 0)
  expect(await examineMessages()).toEqual([])
})
