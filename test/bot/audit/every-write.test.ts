import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../packages/durable/src/audit/row.ts'
import { shareWorld } from '../../shared-world.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { CHECK, openForm, WRITES, type Write } from './writes.ts'

const CHECKS = '/healthcheck/v1/healthchecks'
/** All audit rows, newest first. */
const searchRows = (world: World): Promise<AuditEntry[]> =>
  world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 200 })

const NO_RETRY = { attempts: 1 }
const LIMITS = { serviceLimits: { retry: NO_RETRY } }
const startWorldWithCheck = () => startWorld({ checks: [CHECK], ...LIMITS })

/** Shares one world. Returns a function that adds the check, and returns the world and functions that read only rows from then on. */
function shareWorldWithCheck() {
  const share = shareWorld(LIMITS)
  return async () => {
    const world = await share(CHECK)
    const searchIntents = () =>
      world.app.store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 200 })
    const earlier = { rows: (await searchRows(world)).length, intents: (await searchIntents()).length }
    const readNew = (rows: AuditEntry[], count: number) => rows.slice(0, rows.length - count)
    const readRows = async () => readNew(await searchRows(world), earlier.rows)
    const readIntents = async () => readNew(await searchIntents(), earlier.intents)
    return { world, readIntents, readRows }
  }
}

/** Makes the change, and waits for its outcome. */
async function act(world: World, write: Write, until: string | RegExp): Promise<void> {
  await openForm(world, write)
  await world.slack.member.submit(write.answers, { until })
}

function expectRow(row: AuditEntry | undefined, write: Write, outcome: string): void {
  expect(row).toMatchObject({
    verb: write.verb,
    outcome,
    channelId: 'C0GENERAL1',
    actor: { userId: 'U0MEMBER01' },
    reference: expect.stringMatching(/^[0-9a-f]{10}$/),
    ...(write.before !== undefined && { before: write.before }),
  })
  expect(row?.object).toMatch(write.object)
  const after = outcome === 'done' ? write.after : (write.requested ?? write.after)
  if (after === undefined) expect(row?.after).toBeUndefined()
  else expect(row?.after).toMatchObject(after as object)
}

const DONE_TEXT = /Created|Saved|Changed 1/

describe('the audit log of every change', () => {
  const useWorld = shareWorldWithCheck()

  it.each(WRITES)(
    'has a row for $verb when it failed and when done, and one for each intent, which only searches with `withIntents` return',
    async (write) => {
      const { world, readRows, readIntents } = await useWorld()
      const { method } = write
      const refusal = { errors: [{ code: 'BAD_REQUEST', message: 'No.' }] }
      await world.service.faults({ method, path: CHECKS, kind: 'status', status: 400, body: refusal })
      await act(world, write, 'Nothing was changed')
      await world.service.faults()
      await world.slack.member.close({ all: true })
      await act(world, write, DONE_TEXT)
      const [done, refused, ...others] = await readRows()
      expect(others).toEqual([])
      expectRow(refused, write, 'failed')
      expectRow(done, write, 'done')
      const all = await readIntents()
      expect(all.map(({ outcome }) => outcome)).toEqual(['done', 'begun', 'failed', 'begun'])
      const { verb, object, reference } = done ?? {}
      expect(all[1]).toMatchObject({ verb, object, reference })
    },
  )

  // service-faults.test.ts has the outcome of each other write after a lost response.
  it('has a row for a change whose outcome is unknown', async () => {
    const write = WRITES.find(({ verb }) => verb === '/hc edit') as Write
    await using world = await startWorldWithCheck()
    const { method } = write
    // Waits, so that the first lookup fails, too.
    await world.service.faults({ method, path: CHECKS, kind: 'drop-reply', ms: 2000 })
    const outcome = act(world, write, /may still have gone through/)
    await expect.poll(() => world.service.requests(method)).not.toEqual([])
    await world.service.faults({ method: 'GET', path: CHECKS, kind: 'status', status: 500 })
    await outcome
    const found = await searchRows(world)
    expect(found).toHaveLength(1)
    expectRow(found[0], write, 'unknown')
  })
})

describe('a job that deletes one check', () => {
  const WRITE: Write = {
    verb: '/hc delete',
    method: 'DELETE',
    line: 'delete web',
    answers: { 'Type the name of the health check': 'web' },
    object: /^health-check [0-9a-f-]{36} \(web\)$/,
    before: expect.objectContaining({
      name: 'web',
      target: 'www.example.com',
      port: expect.any(Number),
      alerts: [expect.objectContaining({ recipients: ['ann@example.com', 'bo@example.com'] })],
    }),
  }
  const FAULT = { method: WRITE.method, path: CHECKS }
  const listDeletions = async (world: World) =>
    (await searchRows(world)).filter(({ verb }) => verb === '/hc delete')

  it('writes a row for each attempt: refused, broken off before the service does anything, and done', async () => {
    await using world = await startWorldWithCheck()
    await world.service.faults({ ...FAULT, kind: 'status', status: 400, times: 1 })
    await act(world, WRITE, 'Nothing was changed')
    await world.service.faults({ ...FAULT, kind: 'reset' })
    await world.slack.member.close({ all: true })
    await act(world, WRITE, 'Nothing was changed')
    expect(await world.service.countChecks()).toBe(1)
    await world.service.faults()
    await world.slack.member.close({ all: true })
    await act(world, WRITE, 'Deleted 1 health check')
    const [done, ...failed] = await listDeletions(world)
    expectRow(done, WRITE, 'done')
    const row = { verb: '/hc delete', outcome: 'failed', object: expect.stringMatching(WRITE.object) }
    expect(failed).toMatchObject([row, row])
  })

  it('writes one row if it was done and the response was lost', async () => {
    await using world = await startWorldWithCheck()
    await world.service.faults({ ...FAULT, times: 1, kind: 'drop-reply' })
    await act(world, WRITE, 'Deleted 1 health check')
    const [row, ...others] = await listDeletions(world)
    expect(others).toEqual([])
    expectRow(row, WRITE, 'done')
  })
})
