import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import type { JobRun } from '../../../../src/bot/routes/routes.ts'
import { BULK, changesJob } from '../../../../src/features/health-checks/changes/changes-job.ts'
import type { ChangesAbout } from '../../../../src/features/health-checks/changes/views.ts'
import { makeFolder } from '../../../databases/databases.ts'
import { startAct, WORKSPACE } from '../act-in-lives.ts'

const SETTLE_MS = 300

it('gives a creation of a process that is gone its time, although the clock jumped ahead meanwhile', async () => {
  using folder = makeFolder()
  let aheadMs = 0
  const url = `sqlite:${join(folder.path, 'jobs.db')}`
  const clock = () => new Date(Date.now() + aheadMs)
  await using former = await openStore({ url, clock })
  await using store = await openStore({ url, clock })
  await using act = await startAct()
  const id = await former.work.add({ workspaceId: WORKSPACE, kind: BULK, body: {} }, 'prepared')
  const body = {
    name: 'web-1',
    protocol: 'TCP',
    target: 'a.example.com',
    port: 25,
    frequency: 60,
    customerId: 1,
  }
  const creation = { line: 1, body: { do: 'create', body, alerts: [], isTried: true } }
  await former.work.start(WORKSPACE, id)
  await Array.fromAsync(former.work.claimDue('former', [BULK], 1))
  await former.workSteps.add(id, [creation])
  expect(await former.workSteps.begin(id, 'former', [creation])).toHaveLength(1)
  const [lease] = await store.work.leases()
  if (!lease) throw new Error('The former one has the job.')
  aheadMs = 2 * 3_600_000
  await store.work.takeOver(lease, 'me')
  const takenAt = performance.now()
  let lookedAt: number | undefined
  const { ask } = await act.live()
  const run = {
    id,
    owner: 'me',
    about: { verb: '/hc import', title: 'x', planned: { create: 1, edit: 0, delete: 0 } },
    context: {
      ...ask,
      api: async () => {
        lookedAt ??= performance.now()
        return act.api
      },
    },
    signal: new AbortController().signal,
    auditEvent: (what: object) => ({ ...what, workspaceId: WORKSPACE, at: new Date(), actor: {} }),
    readmit: async () => undefined,
    isStopped: () => true,
    settleMs: SETTLE_MS,
    tell: async () => undefined,
    // It asks for nothing else.
  } as unknown as JobRun<ChangesAbout>
  const carryChecks = async () => ({ watches: 0, mutes: 0 })
  await changesJob(BULK, '/hc import', { ...store, steps: store.workSteps, carryChecks }).run(run)
  // A timer may be a millisecond early.
  expect((lookedAt ?? 0) - takenAt).toBeGreaterThan(SETTLE_MS - 5)
  expect(await store.workSteps.counts(id)).toMatchObject({ ready: 1, begun: 0 })
})
