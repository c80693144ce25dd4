import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import { openBreakingSteps } from '../../../databases/breaking-steps.ts'
import { startSqliteFile } from '../../../databases/databases.ts'
import {
  addJob,
  createJobKind,
  createService,
  createSettings,
  type FakeService,
  listEnds,
} from './changes-run.ts'

/** How many requests a change sends at once. */
const AT_ONCE = 5
const NAMES = Array.from({ length: 20 }, (_, index) => `web-${index + 1}`)
const seen = (name: string) => ({ settings: createSettings(name), alerts: [] })
const listRows = (change: (name: string) => object): Row[] =>
  // Cast, because the changes are those of `Row`.
  NAMES.map((name, index) => ({ line: index + 1, name, ...change(name) }) as Row)
const CREATIONS = listRows((name) => ({ do: 'create', to: createSettings(name), alerts: [] }))
const DELETIONS = listRows((name) => ({ do: 'delete', uuid: name, before: seen(name) }))
const edits = (set: object) => listRows((name) => ({ do: 'edit', uuid: name, before: seen(name), set }))

const applies = createJobKind

/** The same service, of which some calls are different. */
const change = (
  { api }: FakeService,
  calls: Partial<FakeService['api']['healthChecks']>,
): FakeService['api'] => ({ ...api, healthChecks: { ...api.healthChecks, ...calls } })

describe('a change of many', () => {
  it('leaves no more rows to be looked up after a crash than it had sent requests for', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const service = createService([])
    const isDead = Promise.withResolvers<void>()
    let sent = 0
    const dying = change(service, {
      create() {
        sent += 1
        if (sent === AT_ONCE) isDead.resolve()
        return new Promise<never>(() => undefined)
      },
    })
    const { run } = await addJob(store, CREATIONS, dying)
    void applies(store).run(run)
    await isDead.promise
    // Cast: all that this job uses.
    const context = { ...run.context, api: async () => service.api } as unknown as typeof run.context
    await applies(store).run({ ...run, context })
    const ends = (await listEnds(store, run.id)).toSorted()
    expect(ends).toEqual([...Array(NAMES.length - AT_ONCE).fill('done'), ...Array(AT_ONCE).fill('unclear')])
    expect(service.posted).toHaveLength(NAMES.length - AT_ONCE)
  })

  it('sends nothing more once it was stopped than was under way', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const service = createService(NAMES)
    let sent = 0
    let sentBeforeStop: number | undefined
    const counting = change(service, {
      async delete(uuid) {
        sent += 1
        await wait(1)
        sentBeforeStop ??= sent
        await service.api.healthChecks.delete(uuid)
      },
    })
    const { run } = await addJob(store, DELETIONS, counting)
    const isStopped = () => sentBeforeStop !== undefined
    const { message } = await applies(store).run({ ...run, maxInFlightMs: 60_000, isStopped })
    expect(sent).toBe(sentBeforeStop)
    expect(message.text).toContain(`Stopped. Deleted ${sent} of ${NAMES.length} health checks.`)
    expect(await store.steps.countByState(run.id)).toMatchObject({ ready: NAMES.length - sent, begun: 0 })
  })

  it('sends nothing if it is stopped while its rows are recorded', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const service = createService(NAMES)
    let isStopped = false
    const steps: typeof store.steps = {
      ...store.steps,
      async together(work) {
        const written = await store.steps.together(work)
        isStopped = true
        return written
      },
    }
    const { run } = await addJob(store, DELETIONS, service.api)
    await createJobKind({ ...store, steps }).run({ ...run, isStopped: () => isStopped })
    expect(service.checks.size).toBe(NAMES.length)
    expect(await store.steps.countByState(run.id)).toMatchObject({ ready: NAMES.length, begun: 0 })
  })

  it.each([
    { isStopped: true, left: NAMES.length },
    { isStopped: false, left: 0 },
  ])('ends although the answer to a commit was lost (stopped: $isStopped)', async ({ isStopped, left }) => {
    await using address = await startSqliteFile()
    await using store = await openStore(address)
    let breaks = true
    await using broken = await openBreakingSteps(address, () => breaks)
    const service = createService(NAMES)
    const running = new AbortController()
    let reads = 0
    const counting = change(service, {
      async get(uuid) {
        reads += 1
        if (reads > 10 * NAMES.length) running.abort(new Error('It reads without an end.'))
        return service.api.healthChecks.get(uuid)
      },
    })
    const { run } = await addJob(store, edits({ frequency: 30 }), counting)
    const job = createJobKind({ ...store, steps: broken.steps })
    await expect(job.run(run)).rejects.toThrow('The connection broke.')
    breaks = false
    await job.run({ ...run, signal: running.signal, isStopped: () => isStopped })
    const ends = await listEnds(store, run.id)
    expect(ends.toSorted()).toEqual([
      ...Array(NAMES.length - left).fill('done'),
      ...Array(left).fill('ready'),
    ])
  })

  it('doesn’t wait for another change of the same checks until its locks lapse', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const service = createService(NAMES)
    const slow = change(service, {
      async update(uuid, body) {
        await wait(1)
        return service.api.healthChecks.update(uuid, body)
      },
    })
    const one = await addJob(store, edits({ frequency: 30 }), slow)
    const reversed = edits({ port: 8443 }).map((row, index, { length }) => ({ ...row, line: length - index }))
    const two = await addJob(store, reversed.toReversed(), slow)
    await Promise.all([one, two].map(({ run }) => applies(store).run({ ...run, maxInFlightMs: 60_000 })))
    for (const { run } of [one, two]) expect(await listEnds(store, run.id)).toEqual(NAMES.map(() => 'done'))
  })
})
