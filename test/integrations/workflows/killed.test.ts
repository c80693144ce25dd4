import { expect, it } from 'vitest'
import { type Stage, startStage, WORKSPACE } from '../../acts/stage.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'

const PATIENT_RUN = { waitMs: 120_000 }
const COMPLETED = 'functions.completeSuccess'

async function startTwoProcesses(database: Parameters<typeof startStage>[0]): Promise<Stage> {
  const stage = await startStage(database, { env: { WATCH_INTERVAL_SECONDS: '1' } })
  await Promise.all([stage.start(), stage.start()])
  return stage
}

const searchRows = ({ store }: Stage, verb: string) =>
  store.audit.search({ workspaceId: WORKSPACE, verb, limit: 10 })

it.each(SHARED_DATABASES)(
  'runs and ends a step once if its process is killed before reporting the result, on $name',
  { timeout: 180_000 },
  async ({ start }) => {
    await using database = await start()
    await using stage = await startTwoProcesses(database)
    const { pem: csr } = await makeCsr()
    // The request is received and then held for longer than the process lives.
    await stage.slack.faults({ method: COMPLETED, kind: 'status', status: 503, times: 3 })
    const inputs = { csr, product: '101', duration: '1 year' }
    const running = stage.slack.member.runStep('request_order', inputs, PATIENT_RUN)
    await expect.poll(() => searchRows(stage, '/cert-order'), { timeout: 60_000 }).toHaveLength(1)
    await stage.kill('first')
    expect(await running).toMatchObject({ status: 'completed', outputs: { order: 1, outcome: 'waiting' } })
    await stage.settled()
    expect(await searchRows(stage, '/cert-order')).toEqual([
      expect.objectContaining({ object: expect.stringContaining(', through a workflow'), outcome: 'done' }),
    ])
  },
)

it.each(SHARED_DATABASES)(
  'continues a waiting step after all processes were killed, on $name',
  { timeout: 180_000 },
  async ({ start }) => {
    await using database = await start()
    await using stage = await startTwoProcesses(database)
    const uuid = await stage.service.addCheck({ name: 'web', status: 'UNHEALTHY' })
    const running = stage.slack.member.runStep('wait_until_up', { check: 'web' }, PATIENT_RUN)
    const open = () => stage.store.work.listOpen(WORKSPACE, ['workflow-wait'])
    await expect.poll(open, { timeout: 60_000 }).toHaveLength(1)
    await stage.kill('all')
    await stage.service.setStatus(uuid, 'HEALTHY')
    await stage.start()
    expect((await running).outputs).toMatchObject({ name: 'web', is_up: true })
    await expect.poll(open, { timeout: 60_000 }).toEqual([])
  },
)
