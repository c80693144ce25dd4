import { newId } from '../../packages/runtime/src/new-id.ts'
import { runPeriodically } from '../../packages/runtime/src/pause.ts'
import type { JobBody } from '../../src/bot/jobs/job-queue.ts'
import { type ActKind, NO_WAIT } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'
import { TEST_OWNER } from './row-counts.ts'
import { LEASE_MS } from './times.ts'

const CHANGES = 'health-checks.changes'

async function addThreeChecks({ service }: Deployment, name: string): Promise<void> {
  for (const number of [1, 2, 3]) await service.addCheck({ name: `${name}-${number}` })
}

async function describeFrequencies(
  { service }: Deployment,
  name: string,
  newFrequency: number,
  oldFrequency: number,
): Promise<string> {
  const checks = await service.checksNamed(`${name}-*`)
  const frequencies = await Promise.all(
    checks.map(async ({ uuid }) => Number((await service.check(uuid)).frequency)),
  )
  if (frequencies.every((frequency) => frequency === newFrequency)) return 'done'
  return frequencies.every((frequency) => frequency === oldFrequency)
    ? 'absent'
    : `left at ${frequencies.join(', ')}`
}

const previewEdit = ({ slack }: Deployment, name: string) =>
  slack.member.command('/hc', `edit ${name}-* --frequency 30`, { until: '? This would ' })

/**
 * Starts a job and leases it, as another replica would. The test never runs it, but renews the lease so that no app process takes
 * it over.
 */
async function startLeasedJob({ store: { work }, slack }: Deployment, title: string) {
  const planned = { create: 0, edit: 1, delete: 0 }
  const caller = { workspaceId: WORKSPACE, userId: slack.member.id, reference: 'held' }
  const body: JobBody = {
    caller,
    environment: 'production',
    details: { verb: '/hc edit', title, planned, startedBy: caller.userId },
  }
  const job = { workspaceId: WORKSPACE, kind: CHANGES, key: title, personId: caller.userId, body }
  const { id } = (await work.begin({ id: newId(), ...job }, TEST_OWNER)).work
  /** Resolves to whether the job should stop, or to undefined if the lease was lost. */
  const renewLease = async (): Promise<boolean | undefined> => (await work.renew(TEST_OWNER)).get(id)
  const heartbeat = runPeriodically(
    LEASE_MS / 8,
    async () => void (await renewLease()),
    () => LEASE_MS / 20,
  )
  return {
    id,
    /** Ends the job, and resolves to whether it was asked to stop. A longer outage may have let an app take it over and stop it. */
    async end(): Promise<boolean> {
      heartbeat[Symbol.dispose]()
      const wantsStop = await renewLease()
      await work.release(id, TEST_OWNER, { state: 'done' })
      return wantsStop ?? (await work.find(WORKSPACE, id))?.state === 'stopped'
    },
  }
}

export const JOB_ACTS: readonly ActKind[] = [
  {
    name: 'bulk-apply',
    async prepare(deployment, name) {
      await addThreeChecks(deployment, name)
      const { message } = await previewEdit(deployment, name)
      return {
        verb: '/hc edit',
        donePattern: /Started\./,
        send: () => deployment.slack.member.click(message, 'Change 3', NO_WAIT),
        readEffect: () => describeFrequencies(deployment, name, 30, 60),
      }
    },
  },
  {
    name: 'job-stop',
    async prepare(deployment, name) {
      const job = await startLeasedJob(deployment, name)
      return {
        verb: '/hc job-stop',
        donePattern: /Stopping after the current changes/,
        send: () => deployment.slack.member.command('/hc', `job-stop ${job.id}`, NO_WAIT),
        readEffect: async () => ((await job.end()) ? 'done' : 'absent'),
      }
    },
  },
]
