import { describe, expect, it } from 'vitest'
import type { ProbedCheck } from '../../src/checking/probe.ts'
import { createSchedule, type ScheduleOptions } from '../../src/checking/schedule.ts'
import type { HealthCheckRow } from '../../src/health-check-rows.ts'
import { until } from '../client.ts'

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
  hold_until: null,
  ...changes,
})

/** A schedule of checks that the test ends itself. */
function world(options: Partial<ScheduleOptions> = {}) {
  const looks: { target: string; signal: AbortSignal; end: (isHealthy: boolean) => void }[] = []
  const records: string[] = []
  const schedule = createSchedule({
    firstDelayMs: 0,
    record: (uuid, status) => void records.push(`${uuid} ${status}`),
    probe: ({ target }: ProbedCheck, signal) =>
      new Promise((end) => {
        signal.addEventListener('abort', () => end(false))
        looks.push({ target, signal, end })
      }),
    ...options,
  })
  return { schedule, looks, records, [Symbol.asyncDispose]: () => schedule[Symbol.asyncDispose]() }
}

describe('the schedule', () => {
  it('checks a target repeatedly and records the results', async () => {
    await using its = world()
    its.schedule.track(row('a'))
    await until(() => its.looks.length === 1)
    its.looks[0]?.end(true)
    await until(() => its.looks.length === 2)
    its.looks[1]?.end(false)
    await until(() => its.records.length === 2)
    expect(its.records).toEqual(['a HEALTHY', 'a UNHEALTHY'])
  })

  it('never checks more targets at the same time than allowed', async () => {
    await using its = world({ concurrency: 2 })
    for (const uuid of ['a', 'b', 'c', 'd']) its.schedule.track(row(uuid, { frequency: 3600 }))
    await until(() => its.looks.length === 2)
    its.looks[0]?.end(true)
    await until(() => its.looks.length === 3)
    expect(its.looks.map(({ target }) => target)).toEqual(['a', 'b', 'c'])
    its.looks[1]?.end(true)
    its.looks[2]?.end(true)
    await until(() => its.looks.length === 4)
  })

  it('doesn’t record a result after a change or a deletion', async () => {
    await using its = world()
    its.schedule.track(row('a'))
    its.schedule.track(row('b'))
    await until(() => its.looks.length === 2)
    its.schedule.track(row('a', { target: 'changed', frequency: 3600 }))
    its.schedule.forget('b')
    its.looks[0]?.end(false)
    its.looks[1]?.end(false)
    await until(() => its.looks.length === 3)
    its.looks[2]?.end(true)
    await until(() => its.records.length > 0)
    expect(its.looks[2]?.target).toBe('changed')
    expect(its.records).toEqual(['a HEALTHY'])
  })

  it('delays a check until its time, and can cancel it', async () => {
    await using its = world()
    its.schedule.track(row('held', { hold_until: Date.now() + 3_600_000 }))
    its.schedule.track(row('gone'))
    its.schedule.forget('gone')
    its.schedule.track(row('now'))
    await until(() => its.looks.length === 1)
    expect(its.looks[0]?.target).toBe('now')
  })

  it('marks a target unhealthy if its check takes too long', async () => {
    await using its = world({ timeoutMs: 5 })
    its.schedule.track(row('a', { frequency: 3600 }))
    await until(() => its.records.length === 1)
    expect(its.records).toEqual(['a UNHEALTHY'])
  })

  it('cancels every check when it is disposed, and records no result', async () => {
    const its = world()
    its.schedule.track(row('a'))
    await until(() => its.looks.length === 1)
    await its.schedule[Symbol.asyncDispose]()
    its.schedule.track(row('b'))
    expect(its.looks[0]?.signal.aborted).toBe(true)
    expect(its.records).toEqual([])
  })
})
