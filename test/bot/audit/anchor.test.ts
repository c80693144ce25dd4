import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { anchorWork } from '../../../src/bot/audit/anchor.ts'
import { createPutRecord } from '../../../src/bot/audit/anchor-targets.ts'
import { createLog } from '../../../src/log.ts'
import { openStore } from '../../../src/store/store.ts'
import type { HeldWork } from '../../../src/work/held-work.ts'
import { signalman } from '../../command-line.ts'
import { KEY_A, makeFolder } from '../../store/databases.ts'
import { startWorld } from '../../world.ts'

const nobody = { of: () => Promise.reject(new Error('Nobody is asked.')) }

it('puts the signed end of the log into the channel that is named, from which it can be compared', async () => {
  await using world = await startWorld({ environment: { AUDIT_ANCHOR: 'slack:C0GENERAL1' } })
  const { member } = world.slack
  await member.command('/hc', 'env ote', { until: 'OTE' })
  const { store } = world.app
  await store.work.schedule({ workspaceId: '', kind: 'audit.anchor', key: 'all' })
  await member.until('a record', ({ messages }) =>
    (messages.C0GENERAL1 ?? []).some((message) => readText(message).includes('signalman-audit.v1.')),
  )
  const channel = (await member.messages('C0GENERAL1')).map(readText).join('\n')
  const { records, faults } = await store.anchoring.compare(channel)
  expect(records.at(-1)?.heads).toMatchObject([{ sequence: expect.any(Number) }])
  expect(faults).toEqual([])
})

it('waits for enough rows or long enough, adds to a file, and audit verify reads it', async () => {
  using folder = makeFolder()
  const url = `sqlite:${join(folder.path, 'a.db')}`
  const path = join(folder.path, 'anchor.txt')
  let now = new Date('2026-03-01T12:00:00.000Z')
  {
    await using store = await openStore({ url, keys: KEY_A })
    const put = createPutRecord({ kind: 'file', path }, nobody)
    const times = { rows: 3, afterMs: 60_000 }
    const work = anchorWork({ store, put, now: () => now, log: createLog('silent'), times })
    // What the engine would hold is not looked at.
    const run = () => work.run({} as HeldWork)
    const auditEvent = {
      at: now,
      actor: { userId: 'U1' },
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    } as const
    const append = () => store.audit.append({ ...auditEvent, workspaceId: 'T1' })
    const count = async () => (await store.anchoring.state())?.n
    await append()
    await run()
    expect(await count()).toBe(1)
    await append()
    await run()
    expect(await count()).toBe(1)
    await append()
    await append()
    await run()
    expect(await count()).toBe(2)
    await append()
    now = new Date(now.getTime() + 60_000)
    await run()
    expect(await count()).toBe(3)
    await run()
    expect(await count()).toBe(3)
  }
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS: KEY_A, AUDIT_ANCHOR: `file:${path}` }
  const whole = await signalman(['audit', 'verify'], { env })
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('3 records, the last as of') })
  const other = { ...env, DATABASE_URL: `sqlite:${join(folder.path, 'b.db')}` }
  await (await openStore({ url: other.DATABASE_URL, keys: KEY_A }))[Symbol.asyncDispose]()
  const wiped = await signalman(['audit', 'verify', '--anchor', path], { env: other })
  expect(wiped.code).toBe(1)
  expect(wiped.stdout).toMatch(
    /^T1: row 1 and all up to 5, anchored .*, are gone with their chain: the log was wiped$/m,
  )
})

it('counts nothing as anchored that the address did not take', async () => {
  let status = 500
  const heard: string[] = []
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => heard.push(text))
    request.on('end', () => response.writeHead(status).end())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await using store = await openStore({ url: 'sqlite::memory:' })
  const put = createPutRecord({ kind: 'https', url: `http://127.0.0.1:${port}/` }, nobody)
  const work = anchorWork({ store, put, now: () => new Date(), log: createLog('silent') })
  const done = {
    at: new Date(),
    actor: { userId: 'U1' },
    verb: 'v',
    outcome: 'done',
    reference: 'r',
  } as const
  await store.audit.append({ ...done, workspaceId: 'T1' })
  await expect(work.run({} as HeldWork)).rejects.toThrow('answered 500')
  expect(await store.anchoring.state()).toBeUndefined()
  status = 204
  await work.run({} as HeldWork)
  expect((await store.anchoring.state())?.n).toBe(1)
  expect((await store.anchoring.compare(heard.join(''))).faults).toEqual([])
  server.close()
})
