import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnchorPlace } from '@signalman/durable'
import { readText } from '@signalman/playground/driver'
import { expect, it, vi } from 'vitest'
import type { LeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import type { Log } from '../../../packages/runtime/src/log.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createAnchoring, createAnchorPlace, scheduleAnchoring } from '../../../src/bot/audit/anchor.ts'
import { auditVerify } from '../../../src/cli/audit-verify.ts'
import { createLog } from '../../../src/log.ts'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { startWorld } from '../../world.ts'

const AUDIT_EVENT = {
  at: new Date(),
  actor: { userId: 'U1' },
  verb: 'v',
  outcome: 'done',
  reference: 'r',
} as const
const createFileAnchor = (path: string) => ({
  place: createAnchorPlace(
    { kind: 'file', path },
    { forWorkspace: () => Promise.reject(new Error('A file anchor never calls Slack.')) },
  ),
  log: createLog('silent'),
})
const createPlace = (append: (text: string) => Promise<void>): AnchorPlace => ({
  name: 'file:/nowhere',
  readEnd: async () => '',
  append,
})

/** Runs `audit verify` in this process. */
async function verify(args: readonly string[], environment: Record<string, string>) {
  const written: unknown[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(text) > 0)
  try {
    const code = await auditVerify.run(args, environment)
    return { code, stdout: written.join('') }
  } finally {
    write.mockRestore()
  }
}

/** Compares the audit logs with the anchor, and returns the faults found in either. */
async function findAnchorFaults(store: Store, text: string) {
  const { anchor } = await store.audit.verifyAll({ text })
  return [...(anchor?.faults ?? []), ...[...(anchor?.faultsByWorkspace.values() ?? [])].flat()]
}

it('posts the signed head of the audit log to the configured channel, and verifies the log against it', async () => {
  await using world = await startWorld({ environment: { AUDIT_ANCHOR: 'slack:C0GENERAL1' } })
  const { member } = world.slack
  await member.command('/hc', 'env ote', { until: 'OTE' })
  const { store } = world.app
  await store.work.schedule({ workspaceId: '', kind: 'audit.anchor', key: 'all' })
  await member.until('a record', ({ messages }) =>
    (messages.C0GENERAL1 ?? []).some((message) => readText(message).includes('audit-anchor.v1.')),
  )
  const channel = (await member.messages('C0GENERAL1')).map(readText).join('\n')
  const { anchor } = await store.audit.verifyAll({ text: channel, place: 'slack:C0GENERAL1' })
  expect(anchor?.records.at(-1)?.heads).toMatchObject([
    [expect.any(String), expect.any(Number), expect.any(String)],
  ])
  expect(anchor?.faults).toEqual([])
})

it('appends one record per minute to a file that `audit verify` can read', async () => {
  using folder = makeFolder()
  const url = `sqlite:${join(folder.path, 'a.db')}`
  const path = join(folder.path, 'anchor.txt')
  let now = new Date('2026-03-01T12:00:00.000Z')
  {
    await using store = await openStore({ url, keys: KEY_A })
    const { kind } = createAnchoring({ ...createFileAnchor(path), store, now: () => now })
    // Anchoring doesn't use the lease.
    const run = () => kind.run({} as LeasedWork)
    const append = () => store.audit.append({ ...AUDIT_EVENT, at: now, workspaceId: 'T1' })
    const count = async () => (await store.anchoring.readState()).last?.n
    await append()
    expect(await run()).toEqual({ state: 'waiting', dueInMs: 60_000, isSuccess: true })
    expect(await count()).toBe(1)
    await append()
    // Works even if the clock is set back by two hours.
    now = new Date(now.getTime() - 7_200_000)
    await run()
    expect(await count()).toBe(2)
    expect(await store.anchoring.findOldestUnanchoredAt()).toBeUndefined()
    await run()
    expect(await count()).toBe(2)
    await append()
    expect(await store.anchoring.findOldestUnanchoredAt()).toEqual(now)
    await run()
    expect(await count()).toBe(3)
    expect(await store.anchoring.findOldestUnanchoredAt()).toBeUndefined()
  }
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS: KEY_A, AUDIT_ANCHOR: `file:${path}` }
  expect(await verify([], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('3 records compared, the latest from'),
  })
  const otherEnv = { ...env, DATABASE_URL: `sqlite:${join(folder.path, 'b.db')}` }
  await (await openStore({ url: otherEnv.DATABASE_URL, keys: KEY_A }))[Symbol.asyncDispose]()
  const wiped = await verify(['--anchor', path], otherEnv)
  expect(wiped.code).toBe(1)
  expect(wiped.stdout).toMatch(
    /record 1 exists, but the database has no register of chains: the log was wiped$/m,
  )
})

it('anchors the last rows, including counted refusals, when a process stops', async () => {
  using folder = makeFolder()
  const environment = {
    DATABASE_URL: `sqlite:${join(folder.path, 'a.db')}`,
    ENCRYPTION_KEYS: KEY_A,
    AUDIT_ANCHOR: `file:${join(folder.path, 'anchor.txt')}`,
  }
  {
    await using world = await startWorld({ environment, access: 'closed' })
    // After the first anchoring, the next one is due in a minute, so only the shutdown can anchor these rows.
    for (let n = 0; n < 22; n++) await world.slack.member.command('/hc', 'audit')
  }
  await using store = await openStore({ url: environment.DATABASE_URL, keys: KEY_A })
  const [last] = await store.audit.search({ workspaceId: 'T0PLAYGRND', limit: 1 })
  expect(last?.after).toEqual({ refusedAgainWithoutRow: 1 })
  expect(await store.anchoring.listUnanchored()).toEqual([])
  const text = readFileSync(join(folder.path, 'anchor.txt'), 'utf8')
  const { anchor } = await store.audit.verifyAll({ text })
  expect(anchor?.records.at(-1)?.heads).toMatchObject([[last?.workspaceId, last?.sequence, last?.hash]])
  expect(anchor?.faults).toEqual([])
})

it.each([
  {
    problem: 'doesn’t answer in time',
    writeRecord: () => new Promise<void>(() => undefined),
    withinMs: 10,
    warning: /took longer than 1 s. The app tries again every minute while it runs/,
  },
  {
    problem: 'rejects the record',
    writeRecord: () => Promise.reject(new Error('Full.')),
    withinMs: 60_000,
    warning: /Full/,
  },
])(
  'logs a warning but still stops if the target $problem during shutdown',
  async ({ writeRecord, withinMs, warning }) => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    await store.audit.append({ ...AUDIT_EVENT, workspaceId: 'T1' })
    await scheduleAnchoring(store)
    const warnings: unknown[] = []
    const log = { ...createLog('silent'), warn: (...args: unknown[]) => void warnings.push(...args) }
    // The spread doesn't copy the log's inherited methods. Safe cast: anchoring calls only `warn`.
    const anchoring = createAnchoring({
      store,
      place: createPlace(writeRecord),
      now: () => new Date(),
      log: log as Log,
    })
    await anchoring.finish(withinMs)
    expect(warnings[0]).toMatchObject({
      err: expect.objectContaining({ message: expect.stringMatching(warning) }),
    })
    expect(await store.anchoring.listUnanchored()).toHaveLength(1)
  },
)

it('doesn’t anchor on shutdown if another process is already anchoring, and leaves the last rows to it', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await store.audit.append({ ...AUDIT_EVENT, workspaceId: 'T1' })
  await scheduleAnchoring(store)
  const claimed = await store.work.claim({ workspaceId: '', kind: 'audit.anchor', key: 'all' }, 'other')
  const writeRecord = () => Promise.reject(new Error('Only the other process may write.'))
  await createAnchoring({
    store,
    place: createPlace(writeRecord),
    now: () => new Date(),
    log: createLog('silent'),
  }).finish()
  await store.work.release(claimed?.id ?? '', 'other', { state: 'waiting', dueInMs: 60_000 })
  // The shutdown made the work due now.
  expect(await store.work.claim({ workspaceId: '', kind: 'audit.anchor', key: 'all' }, 'other')).toBeDefined()
})

it('doesn’t count rows as anchored if the target rejects them', async () => {
  const records: string[] = []
  let isFull = true
  const writeRecord = async (text: string) => {
    if (isFull) throw new Error('The disk is full.')
    records.push(text)
  }
  await using store = await openStore({ url: 'sqlite::memory:' })
  const { kind: work } = createAnchoring({
    store,
    place: createPlace(writeRecord),
    now: () => new Date(),
    log: createLog('silent'),
  })
  await store.audit.append({ ...AUDIT_EVENT, workspaceId: 'T1' })
  await expect(work.run({} as LeasedWork)).rejects.toThrow('full')
  expect((await store.anchoring.readState()).last).toBeUndefined()
  isFull = false
  await work.run({} as LeasedWork)
  expect((await store.anchoring.readState()).last?.n).toBe(1)
  expect(await findAnchorFaults(store, records.join('\n'))).toEqual([])
})
