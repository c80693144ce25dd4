import { describe, expect, it } from 'vitest'
import type { ProbedCheck } from '../../src/checking/probe.ts'
import { createSchedule, type ScheduleOptions } from '../../src/checking/schedule.ts'
import type { HealthCheckRow } from '../../src/health-check-store.ts'
import { waitUntil } from '../client.ts'

const row = (uuid: string, changes: Partial<HealthCheckRow> = {}): HealthCheckRow => ({
  uuid,
  name: uuid,
  status: 'INSTALLING',
  customer_id: 1,
  protocol: 'TCP',
  target: uuid,
  port: 1,
  frequency: 0.005,
  http_server_address: null,
  verify_ssl: null,
  created_at: '',
  created_by: '',
  modified_at: '',
  modified_by: '',
  scheduled: 1,
  lab: null,
  ...changes,
})

/** Starts a schedule. The test ends each probe with the result it wants. */
function startSchedule(options: Partial<ScheduleOptions> = {}) {
  const probes: { target: string; signal: AbortSignal; end: (isHealthy: boolean) => void }[] = []
  const records: string[] = []
  const schedule = createSchedule({
    firstDelayMs: 0,
    record: (uuid, status) => void records.push(`${uuid} ${status}`),
    probe: ({ target }: ProbedCheck, signal) =>
      new Promise((end) => {
        signal.addEventListener('abort', () => end(false))
        probes.push({ target, signal, end })
      }),
    ...options,
  })
  return { schedule, probes, records, [Symbol.asyncDispose]: () => schedule[Symbol.asyncDispose]() }
}

describe('the schedule', () => {
  it('checks a target repeatedly and records the results', async () => {
    await using world = startSchedule()
    world.schedule.track(row('a'))
    await waitUntil(() => world.probes.length === 1)
    world.probes[0]?.end(true)
    await waitUntil(() => world.probes.length === 2)
    world.probes[1]?.end(false)
    await waitUntil(() => world.records.length === 2)
    expect(world.records).toEqual(['a HEALTHY', 'a UNHEALTHY'])
  })

  it('never runs more checks at the same time than allowed', async () => {
    await using world = startSchedule({ concurrency: 2 })
    for (const uuid of ['a', 'b', 'c', 'd']) world.schedule.track(row(uuid, { frequency: 3600 }))
    await waitUntil(() => world.probes.length === 2)
    world.probes[0]?.end(true)
    await waitUntil(() => world.probes.length === 3)
    expect(world.probes.map(({ target }) => target)).toEqual(['a', 'b', 'c'])
    world.probes[1]?.end(true)
    world.probes[2]?.end(true)
    await waitUntil(() => world.probes.length === 4)
  })

  it('discards a result if the check was changed or removed while it ran', async () => {
    await using world = startSchedule()
    world.schedule.track(row('a'))
    world.schedule.track(row('b'))
    await waitUntil(() => world.probes.length === 2)
    world.schedule.track(row('a', { target: 'changed', frequency: 3600 }))
    world.schedule.forget('b')
    world.probes[0]?.end(false)
    world.probes[1]?.end(false)
    await waitUntil(() => world.probes.length === 3)
    world.probes[2]?.end(true)
    await waitUntil(() => world.records.length > 0)
    expect(world.probes[2]?.target).toBe('changed')
    expect(world.records).toEqual(['a HEALTHY'])
  })

  it('cancels all running checks on disposal, without recording results', async () => {
    const world = startSchedule()
    world.schedule.track(row('a'))
    await waitUntil(() => world.probes.length === 1)
    await world.schedule[Symbol.asyncDispose]()
    world.schedule.track(row('b'))
    expect(world.probes[0]?.signal.aborted).toBe(true)
    expect(world.records).toEqual([])
  })
})
