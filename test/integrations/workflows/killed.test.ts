import { expect, it } from 'vitest'
import { type Deployment, startDeployment, WORKSPACE } from '../../acts/deployment.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'
import { eitherOf } from '../../long.ts'

const PATIENT_RUN = { waitMs: 120_000 }
const COMPLETED = 'functions.completeSuccess'

async function startTwoProcesses(database: Parameters<typeof startDeployment>[0]): Promise<Deployment> {
  const deployment = await startDeployment(database, { env: { WATCH_INTERVAL_SECONDS: '1' } })
  await Promise.all([deployment.start(), deployment.start()])
  return deployment
}

const searchRows = ({ store }: Deployment, verb: string) =>
  store.audit.search({ workspaceId: WORKSPACE, verb, limit: 10 })

it.each(eitherOf(SHARED_DATABASES))(
  'ends a step once if its process is killed before reporting the result, and continues another after all are, on $name',
  { timeout: 180_000 },
  async ({ start }) => {
    await using database = await start()
    await using deployment = await startTwoProcesses(database)
    const { slack, service, store } = deployment
    const uuid = await service.addCheck({ name: 'web', status: 'UNHEALTHY' })
    const waiting = slack.member.runStep('wait_until_up', { check: 'web' }, PATIENT_RUN)
    const open = () => store.work.listOpen(WORKSPACE, ['workflow-wait'])
    await expect.poll(open, { timeout: 60_000 }).toHaveLength(1)
    const { pem: csr } = await makeCsr()
    // Slack rejects the result at first, so that the process is killed before it can report it.
    await slack.faults({ method: COMPLETED, kind: 'status', status: 503, times: 3 })
    const inputs = { csr, product: '101', duration: '1 year' }
    const ordering = slack.member.runStep('request_order', inputs, PATIENT_RUN)
    await expect.poll(() => searchRows(deployment, '/cert-order'), { timeout: 60_000 }).toHaveLength(1)
    await deployment.kill('first')
    expect(await ordering).toMatchObject({ status: 'completed', outputs: { order: 1, outcome: 'waiting' } })
    expect(await searchRows(deployment, '/cert-order')).toEqual([
      expect.objectContaining({ object: expect.stringContaining(', through a workflow'), outcome: 'done' }),
    ])
    await deployment.kill('all')
    await service.setStatus(uuid, 'HEALTHY')
    await deployment.start()
    expect((await waiting).outputs).toMatchObject({ name: 'web', is_up: true })
    await expect.poll(open, { timeout: 60_000 }).toEqual([])
    await deployment.waitUntilSettled()
    expect(await searchRows(deployment, '/cert-order')).toHaveLength(1)
  },
)
