import { AccessDenied } from '@signalman/runtime'
import { expect, it, vi } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import type { OnlyEnd } from '../../../../src/features/health-checks/bulk/end-changes.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import { checkKey } from '../../../../src/features/health-checks/write/hold-check.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import { KEY_A } from '../../../databases/databases.ts'
import { type Answer, addJob, createJobKind, createService, createSettings, listEnds } from './changes-run.ts'

/** Edits of checks that have their names as UUIDs. */
const listEdits = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => {
    const name = `web-${index + 1}`
    const before = { settings: createSettings(name) }
    return { do: 'edit', line: index + 1, name, uuid: name, before, set: { frequency: 30 } }
  })

const revoked = new ApiError('unauthorized', 'The token was revoked.', { status: 401 })
const lost = new ApiError('timeout', 'Lost.', { mayHaveHappened: true, retryAfterSeconds: 0 })
const refused = new ApiError('rejected', 'No.', { status: 422, serviceMessages: ['Not today.'] })
const busy = new ApiError('rate-limited', 'Later.', { status: 429, retryAfterSeconds: 0 })
/** A failure in the body of a success. */
const answered = new ApiError('rejected', 'No.', {
  ...{ status: 200, mayHaveHappened: true, isAnswered: true, serviceMessages: ['Not today.'] },
})

function acceptOnly(accepted: number): Answer {
  let left = accepted
  return (call) => {
    if (call === 'update' && left === 0) throw revoked
    if (call === 'update') left -= 1
    return undefined
  }
}

async function createJob(rows: readonly Row[], answer?: Answer) {
  const store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const names = rows.map(({ name }) => name)
  const { api, checks } = createService(names, { ...(answer && { answer }) })
  const job = createJobKind(store)
  return { store, checks, job, ...(await addJob(store, rows, api)) }
}

const listLines = (files: readonly string[]): string[] | undefined =>
  files.length === 1 ? files[0]?.replace('\uFEFF', '').trim().split('\r\n') : undefined

it('opens at most a hundred rows at a time, and sends all of them in the file of what was before', async () => {
  const rows = listEdits(120)
  const { store, files, run, job } = await createJob(rows)
  await using _ = store
  const list = vi.spyOn(store.steps, 'list')
  const { message } = await job.run(run)
  expect(message.text).toContain('Changed 120 health checks.')
  expect(listLines(files)).toEqual([
    'uuid,health_check,environment,frequency',
    ...rows.map(({ name }) => `${name},${name},production,60`),
  ])
  const opened = await Promise.all(list.mock.results.map(({ value }) => value as Promise<unknown[]>))
  expect(Math.max(...opened.map(({ length }) => length))).toBe(100)
})

it('sends the file of what it changed if it ends early, and tries no row again', async () => {
  const answer = vi.fn(acceptOnly(7))
  const { store, files, run, job } = await createJob(listEdits(40), answer)
  await using _ = store
  const { message } = await job.run(run)
  expect(message.text).toContain('Changed 7 of 40 health checks.')
  expect(message.text).toContain('The service doesn’t accept the token.')
  expect(listLines(files)).toHaveLength(1 + 7)
  const sent = answer.mock.calls.flatMap(([call, uuid]) => (call === 'update' ? [uuid] : []))
  expect(sent).toEqual([...new Set(sent)])
})

it('sends the file also if an error ends it, and says how far it got even if Slack refuses the file', async () => {
  const { store, files, run, ending, job } = await createJob(listEdits(40), acceptOnly(7))
  await using _ = store
  const upload = vi.fn(() => Promise.reject(new Error('Slack is away.')))
  await expect(job.run({ ...run, upload })).rejects.toThrow('Slack is away.')
  const refused = await job.describeError?.({ ...ending, upload }, 'Slack couldn’t be reached.')
  expect(refused?.message.text).toContain('Changed 7 of 40 health checks.')
  expect(refused?.message.text).toContain('Slack couldn’t be reached.')
  expect(refused?.message.text).toContain(
    'The file of what was before wasn’t sent, or Slack didn’t confirm it.',
  )
  const sent = await job.describeError?.(ending, 'Slack couldn’t be reached.')
  expect(sent?.message.text).not.toContain('didn’t confirm')
  expect(listLines(files)).toHaveLength(1 + 7)
})

it('keeps the file back from whoever may not read it anymore, and says so', async () => {
  const { store, run, ending, job } = await createJob(listEdits(40), acceptOnly(7))
  await using _ = store
  const upload = () =>
    Promise.reject(
      new AccessDenied('Signalman isn’t open to guests.', { admins: undefined, suggestions: [] }),
    )
  const ended = await job.run({ ...run, upload })
  const failed = await job.describeError?.({ ...ending, upload }, 'It failed.')
  for (const text of [ended.message.text, failed?.message.text]) {
    expect(text).toContain('Changed 7 of 40 health checks.')
    expect(text).toContain('The file of what was before wasn’t sent, or')
  }
})

it('ends within a minute if the service hangs, and says meanwhile that it tries again', async () => {
  let clock = 0
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock)
  try {
    const { store, run, job } = await createJob(listEdits(5), (call, uuid) => {
      if (call === 'get' && uuid === 'web-1') clock += 20_000
      throw new ApiError('timeout', 'Hung.', { retryAfterSeconds: 0 })
    })
    await using _ = store
    const shown: string[] = []
    const showProgress: typeof run.showProgress = async (describe) => void shown.push((await describe()).text)
    const { message } = await job.run({ ...run, showProgress })
    expect(message.text).toContain('Changed 0 of 5 health checks.')
    expect(clock).toBeLessThanOrEqual(60_000)
    expect(shown[0]).toMatch(/0 of 5 so far\.\n.*Signalman tries again\./)
  } finally {
    now.mockRestore()
  }
})

it('ends a change that an earlier version began, with what that had done', async () => {
  const { store, files, run, job } = await createJob(listEdits(5))
  await using _ = store
  // As that version stored it.
  const ends = [
    {
      state: 'done',
      uuid: 'web-1',
      note: { wanted: '192.0.2.1', now: undefined, isKept: false },
    },
    { state: 'skipped', uuid: 'web-2', reason: 'It was deleted.' },
    { state: 'skipped', uuid: 'web-3', reason: 'Only a part was done.', hasWritten: true },
    { state: 'unclear', reason: 'No answer.' },
  ] as const
  for (const [index, end] of ends.entries()) {
    const body = { row: listEdits(5)[index], end }
    const { state } = end
    await store.steps.recordOutcome({ workId: run.id, line: index + 1, owner: 'one', state, body })
  }
  const { message } = await job.run(run)
  for (const text of [
    'Changed 2 of 5 health checks.',
    'now from DNS, was 192.0.2.1',
    'partly done: Only a part was done.',
    'not done: It was deleted.',
    'unclear: No answer.',
  ])
    expect(message.text).toContain(text)
  expect(JSON.stringify(message.blocks)).toContain('/hc edit web-1 --server-address 192.0.2.1')
  expect(
    listLines(files)
      ?.slice(1)
      .map((line) => line.split(',')[0]),
  ).toEqual(['web-1', 'web-3', 'web-4', 'web-5'])
})

it('records and audits as unclear what it had sent without an answer when it ended early', async () => {
  let isRevoked = false
  const { store, files, audited, run, job } = await createJob(listEdits(2), (call, uuid) => {
    if (isRevoked || (call === 'update' && uuid !== 'web-1')) throw revoked
    isRevoked = call === 'update'
    if (isRevoked) throw lost
    return undefined
  })
  await using _ = store
  const { message } = await job.run(run)
  expect(message.text).toContain('1 unclear. Look at them before you make the change again.')
  expect(await listEnds(store, run.id)).toEqual(['unclear', 'ready'])
  expect(audited).toEqual(['health-check web-1 unknown'])
  // It may have been changed, so the file can put it back.
  expect(listLines(files)).toEqual(['uuid,health_check,environment,frequency', 'web-1,web-1,production,60'])
})

it('finds out what it had sent without an answer when it ended early, if the service still answers', async () => {
  const { store, audited, run, job } = await createJob(listEdits(2), (call, uuid) => {
    if (call === 'update') throw uuid === 'web-1' ? lost : revoked
    return undefined
  })
  await using _ = store
  const { message } = await job.run(run)
  expect(message.text).not.toContain('unclear')
  expect(await listEnds(store, run.id)).toEqual(['refused', 'ready'])
  expect(audited).toEqual(['health-check web-1 failed'])
})

it.each([
  { error: busy, isDone: false, sent: 2, expected: /^Changed 2 health checks\./m },
  { error: lost, isDone: true, sent: 1, expected: /^Changed 2 health checks\./m },
  { error: answered, isDone: true, sent: 1, expected: /^Changed 2 health checks\./m },
  { error: answered, isDone: false, sent: 1, expected: /web-1 +· not done: Not today\./ },
])(
  'finds out what became of a request, and sends it again only if it wasn’t done ($error.message $isDone)',
  async ({ error, isDone, sent, expected }) => {
    const requests: string[] = []
    const { store, checks, run, job } = await createJob(listEdits(2), (call, uuid, body) => {
      if (call === 'get' || uuid !== 'web-1') return undefined
      requests.push(uuid)
      if (requests.length > 1) return undefined
      if (isDone) checks.set(uuid, { check: { uuid, ...body }, alerts: [] })
      throw error
    })
    await using _ = store
    expect((await job.run(run)).message.text).toMatch(expected)
    expect(requests).toHaveLength(sent)
    expect(checks.get('web-2')?.check.frequency).toBe(30)
  },
)

it('calls a row unclear that was begun before if the service refuses to show its check', async () => {
  const rows = listEdits(2)
  const { store, audited, run, job } = await createJob(rows, (call) => {
    if (call === 'get') throw refused
    return undefined
  })
  await using _ = store
  await store.steps.record('one', { workId: run.id, line: 1, body: { row: rows[0] } })
  const { message } = await job.run(run)
  expect(await listEnds(store, run.id)).toEqual(['unclear', 'refused'])
  expect(message.text).toMatch(/web-1 +· unclear: Not today\./)
  expect(message.text).toMatch(/web-2 +· not done: Not today\./)
  // Nothing was sent for the other one, so the audit log has nothing of it.
  const logged = await store.audit.search({ workspaceId: 'T1', limit: 9 })
  expect(logged.map(({ object }) => object)).toEqual(['health-check web-1'])
  expect(audited.filter((event) => event.includes('web-1'))).toEqual(['health-check web-1 unknown'])
})

it('has a check in the file of what was before if the service saved something else', async () => {
  const { store, files, audited, run, job } = await createJob(listEdits(3), (call, uuid, body) => {
    if (call === 'update' && uuid === 'web-2') throw refused
    return call === 'update' && uuid === 'web-1' ? { ...body, port: 8443 } : undefined
  })
  await using _ = store
  const { message } = await job.run(run)
  expect(message.text).toContain('The service saved another port: 8443.')
  // It was changed, although not as wanted.
  expect(audited).toContain('health-check web-1 done')
  expect(listLines(files)).toEqual([
    'uuid,health_check,environment,frequency',
    'web-1,web-1,production,60',
    'web-3,web-3,production,60',
  ])
})

it('gives up its wait for a check that somebody else writes to if it has lost its job meanwhile, and sends nothing', async () => {
  const called: string[] = []
  const { store, run, job } = await createJob(listEdits(1), (call) => {
    called.push(call)
    return undefined
  })
  await using _ = store
  const key = checkKey(await run.context.api(), 'web-1')
  const taken = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const options = { maxInFlightMs: 60_000, waitMs: 0, mayStillRun: () => false }
  const holding = store.checkLocks.hold(key, options, () => {
    taken.resolve()
    return mayEnd.promise
  })
  await taken.promise
  const hold = vi.spyOn(store.checkLocks, 'hold')
  const lost = new AbortController()
  const running = job.run({ ...run, signal: lost.signal, maxInFlightMs: 60_000 })
  await expect.poll(() => hold.mock.calls.length).toBe(1)
  lost.abort()
  await expect(running).rejects.toThrow('aborted')
  mayEnd.resolve()
  await holding
  expect(called).toEqual([])
})

it('sends nothing once another token is connected', async () => {
  const called: string[] = []
  const { store, files, run, job } = await createJob(listEdits(2), (call) => {
    called.push(call)
    return undefined
  })
  await using _ = store
  const { message } = await job.run({ ...run, details: { ...run.details, account: 'B' } })
  expect(message.text).toContain('Signalman is connected with another token now')
  expect(message.text).toContain('2 not started.')
  expect([called, files]).toEqual([[], []])
})

it('goes on at once if a process died while it only read a check, and waits if it may have sent something', async () => {
  const { store, checks, run, job } = await createJob(listEdits(3))
  await using _ = store
  const { api } = createService([])
  let reads = 0
  const hangs = () => {
    reads += 1
    return new Promise<never>(() => undefined)
  }
  const first = { ...(await run.context.api()), healthChecks: { ...api.healthChecks, get: hangs } }
  // Cast: all that this job uses.
  const context = { ...run.context, api: async () => first } as unknown as typeof run.context
  void job.run({ ...run, context, maxInFlightMs: 60_000 })
  await expect.poll(() => reads).toBe(3)
  await store.steps.record('one', { workId: run.id, line: 1, body: { row: listEdits(1)[0] } })
  const over = new AbortController()
  const next = job.run({ ...run, signal: over.signal, maxInFlightMs: 60_000 })
  const listChanged = () =>
    [...checks.values()].flatMap(({ check }) => (check.frequency === 30 ? [check.name] : []))
  await expect.poll(listChanged).toEqual(['web-2', 'web-3'])
  over.abort()
  await expect(next).rejects.toThrow('aborted')
  expect(listChanged()).toEqual(['web-2', 'web-3'])
})

it.each([true, false])(
  'says of a change that ended early what became of its last request, not why it ended (done: %s)',
  async (isDone) => {
    let reads = 0
    const { store, checks, run, job } = await createJob(listEdits(1), (call, uuid, body) => {
      if (call === 'get') reads += 1
      if (call === 'get' && reads === 2) throw revoked
      if (call === 'get') return undefined
      if (isDone) checks.set(uuid, { check: { uuid, ...body }, alerts: [] })
      throw lost
    })
    await using _ = store
    // Cast: it's a change of one.
    const { end } = (await job.run(run)).result as OnlyEnd
    expect(end?.is).toBe(isDone ? 'done' : 'refused')
    expect(end?.reason ?? '').toMatch(isDone ? /^$/ : /doesn’t accept the token/)
  },
)
