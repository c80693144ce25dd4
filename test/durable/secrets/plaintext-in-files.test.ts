import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { makeFolder } from '../../databases/databases.ts'
import { listEncodings } from '../../encodings.ts'

const TOKEN = 'canary/token+with=every kind&of"character'
const NOW = new Date('2026-03-01T12:00:00.000Z')

it('writes no plaintext token or draft to any database file', async () => {
  using folder = makeFolder()
  await using store = await openStore({ url: `sqlite:${join(folder.path, 'a.db')}` })
  const findPlaintext = () => {
    const files = readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name), 'latin1'))
    return listEncodings(TOKEN).filter((text) => files.some((content) => content.includes(text)))
  }
  for (const environment of ['production', 'ote'] as const) {
    await store.connections.save({ workspaceId: 'T1', environment, token: TOKEN, userId: 'U1', now: NOW })
    await store.connections.find('T1', environment)
  }
  await store.installations.save({
    id: 'T1',
    botToken: TOKEN,
    installedBy: 'U1',
  })
  const auditEvent = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  await store.audit
    .append({ ...auditEvent, workspaceId: 'T1', after: { token: TOKEN } })
    .catch(() => undefined)
  await store.audit.append({ ...auditEvent, workspaceId: 'T1', after: { token: true } })
  await store.ephemeralState.save({ workspaceId: 'T1', body: { csr: TOKEN }, expiresAt: NOW })
  await store.idempotencyKeys.claim(TOKEN, 'me')
  expect(readdirSync(folder.path)).toContain('a.db-wal')
  expect(findPlaintext()).toEqual([])
  await store.forgetWorkspace('T1')
  await store[Symbol.asyncDispose]()
  expect(findPlaintext()).toEqual([])
})
