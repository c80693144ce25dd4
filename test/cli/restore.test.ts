import { join } from 'node:path'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { openStore, type Store } from '../../src/app/store.ts'
import { ORDER_WORK } from '../../src/features/cert-orders/rows/order-writer.ts'
import { runVerb, signalman } from '../command-line.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { createSandboxControl } from '../sandbox-control.ts'

const request = { kind: 'request', at: new Date(), userId: 'U1', reference: 'r' }

const createOrder = (state: 'awaiting' | 'submitting') => ({
  workspaceId: 'T1',
  environment: 'production' as const,
  state,
  requesterId: 'U1',
  bodyHash: 'h',
  content: { request: {} },
  createdAt: new Date(),
})

async function fillStore(store: Store, token: string): Promise<void> {
  const connection = { workspaceId: 'T1', environment: 'production', userId: 'U1' } as const
  await store.connections.save({ ...connection, token, now: new Date() })
  await store.orders.add(createOrder('submitting'), request)
  await store.orders.add(createOrder('awaiting'), { ...request, reference: 's' })
  const done = { at: new Date(), actor: { userId: 'U1' }, verb: '/cert-order', outcome: 'done' } as const
  await store.audit.append({ ...done, workspaceId: 'T1', reference: 'r' })
}

it('restores a verified backup, lists newer data, and pauses orders until someone confirms', async () => {
  using folder = makeFolder()
  await using sandbox = await startSandbox({ seed: false, checking: false })
  const control = createSandboxControl(sandbox)
  const url = `sqlite:${join(folder.path, 'a.db')}`
  const env = { DATABASE_URL: url, ENCRYPTION_KEYS: KEY_A, API_BASE_URL: sandbox.productionUrl }
  const file = join(folder.path, 'a.backup')
  {
    await using store = await openStore({ url, keys: KEY_A })
    await fillStore(store, sandbox.token)
    const backup = await signalman(['backup', file], { env })
    expect(backup).toMatchObject({ code: 0, stderr: '' })
    expect(backup.stdout).toMatch(
      /rows as of .*\n.*the key "a" \(fingerprint [0-9a-f]{16}\), which the backup doesn’t contain/,
    )
    await store.orders.add(createOrder('awaiting'), { ...request, reference: 't' })
  }
  await control.addCheck({ name: 'made \n later' })
  const verified = await runVerb(['backup', '--verify', file], { env })
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('not damaged') })

  expect(await runVerb(['restore', file], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /a\.db is not empty, and nothing was changed\. To replace it, add --replace/,
    ),
  })
  const { code, stdout } = await signalman(['restore', file, '--replace'], { env })
  expect(code).toBe(0)
  for (const line of [
    /^The previous database is kept as .*a\.db\.before-restore-\d{8}T\d{6}Z-[0-9a-f]{8} until \d{4}-\d\d-\d\d\.$/m,
    /^1 order being sent when the backup was made\. The outcome is now unknown\.$/m,
    /^Newer in the previous database: order 3 of T1 \(awaiting, .*\)\.$/m,
    /^Signalman places no orders until .*\.$/m,
  ])
    expect(stdout).toMatch(line)

  {
    await using store = await openStore({ url, keys: KEY_A })
    const order = await store.orders.find('T1', 1)
    const work = await store.work.claim(
      { workspaceId: 'T1', kind: ORDER_WORK.submit, key: order?.id ?? '' },
      'p',
    )
    // The app must assume that its POST was sent, so that it isn't sent again.
    expect(await store.recordedSteps.list(work?.id ?? '')).toMatchObject([{ line: 1, state: 'begun' }])
  }
  expect(await runVerb(['restore', '--confirm'], { env })).toMatchObject({ code: 0 })
  expect(await runVerb(['restore', '--confirm'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing to confirm'),
  })
})

it('says that nothing was compared with another deployment’s database', async () => {
  using folder = makeFolder()
  const envOf = (name: string) => ({
    DATABASE_URL: `sqlite:${join(folder.path, name)}`,
    ENCRYPTION_KEYS: KEY_A,
    API_BASE_URL: 'http://127.0.0.1:9',
  })
  for (const name of ['a.db', 'b.db'])
    await (await openStore({ url: envOf(name).DATABASE_URL, keys: KEY_A }))[Symbol.asyncDispose]()
  const file = join(folder.path, 'a.backup')
  await runVerb(['backup', file], { env: envOf('a.db') })
  const { stdout } = await runVerb(['restore', file, '--replace'], { env: envOf('b.db') })
  expect(stdout).toContain(
    'It isn’t the database that the backup was made of, so what is newer in it wasn’t compared.',
  )
})

it.each([
  { args: ['backup'], message: 'Use one of' },
  { args: ['backup', 'x', '--keys-only', '--keys', 'y'], message: 'Use one of' },
  { args: ['backup', '--keys-only'], message: 'Use one of' },
  { args: ['backup', 'x', '--keys'], message: '--keys' },
  { args: ['restore'], message: 'Use one of' },
  { args: ['restore', 'x', '--confirm'], message: 'Use one of' },
  { args: ['restore', '--confirm', '--keys', 'y'], message: 'only work with FILE' },
])('explains what is wrong with: $args', async ({ args, message }) => {
  expect(await runVerb(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
