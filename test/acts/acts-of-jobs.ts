import { newId } from '../../packages/runtime/src/new-id.ts'
import { runPeriodically } from '../../packages/runtime/src/pause.ts'
import type { JobBody } from '../../src/bot/jobs/job-queue.ts'
import { type ActKind, NO_WAIT } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'
import { TEST_OWNER } from './row-counts.ts'
import { LEASE_MS } from './times.ts'

const CHANGES = 'health-checks.changes'

/** Three checks that nothing else uses. */
async function addThreeChecks({ service }: Deployment, name: string): Promise<void> {
  for (const nth of [1, 2, 3]) await service.addCheck({ name: `${name}-${nth}` })
}

/** The effect of a change of frequency on the three checks. */
async function describeFrequencies(
  { service }: Deployment,
  name: string,
  done: number,
  before: number,
): Promise<string> {
  const checks = await service.checksNamed(`${name}-*`)
  const frequencies = await Promise.all(
    checks.map(async ({ uuid }) => Number((await service.check(uuid)).frequency)),
  )
  if (frequencies.every((frequency) => frequency === done)) return 'done'
  return frequencies.every((frequency) => frequency === before)
    ? 'absent'
    : `left at ${frequencies.join(', ')}`
}

const previewEdit = ({ slack }: Deployment, name: string) =>
  slack.member.command('/hc', `edit ${name}-* --frequency 30`, { until: 'Nothing has changed yet.' })

/**
 * A job of the member that another replica, played by the test, runs and never finishes. It renews the lease, because otherwise an
 * app process would take over the job and finish it.
 */
async function startHeldJob({ store: { work } }: Deployment, title: string) {
  const planned = { create: 0, edit: 1, delete: 0 }
  const caller = { workspaceId: WORKSPACE, userId: 'U0MEMBER01', reference: 'held' }
  const body: JobBody = {
    caller,
    environment: 'production',
    details: { verb: '/hc edit', title, planned, startedBy: caller.userId },
  }
  const job = { workspaceId: WORKSPACE, kind: CHANGES, key: title, personId: caller.userId, body }
  const { id } = (await work.begin({ id: newId(), ...job }, TEST_OWNER)).work
  /** Whether it should stop; undefined if another process has it. */
  const renewLease = async (): Promise<boolean | undefined> => (await work.renew(TEST_OWNER)).get(id)
  const heartbeat = runPeriodically(
    LEASE_MS / 8,
    async () => void (await renewLease()),
    () => LEASE_MS / 20,
  )
  return {
    id,
    async end() {
      heartbeat[Symbol.dispose]()
      const wantsStop = await renewLease()
      await work.release(id, TEST_OWNER, { state: 'done' })
      return wantsStop
    },
  }
}

/** Jobs that change many health checks. */
export const JOB_ACTS: readonly ActKind[] = [
  {
    name: 'bulk-apply',
    async prepare(deployment, name) {
      await addThreeChecks(deployment, name)
      const { message } = await previewEdit(deployment, name)
      return {
        verb: '/hc job-start',
        donePattern: /Started\./,
        send: () => deployment.slack.member.click(message, 'Change 3', NO_WAIT),
        readEffect: () => describeFrequencies(deployment, name, 30, 60),
      }
    },
  },
  {
    name: 'job-undo',
    async prepare(deployment, name) {
      await addThreeChecks(deployment, name)
      const { message } = await previewEdit(deployment, name)
      await deployment.slack.member.click(message, 'Change 3', { until: 'Started.' })
      await deployment.waitUntilSettled()
      const report = (await deployment.slack.member.messages('dm')).findLast(({ text }) =>
        text.includes('Requested:'),
      )
      return {
        verb: '/hc job-start',
        // After a kill, the job may finish before its start is shown, and then only its end is shown.
        donePattern: /Started\.|Undone/,
        send: () => deployment.slack.member.click(report, 'Undo', NO_WAIT),
        readEffect: () => describeFrequencies(deployment, name, 60, 30),
      }
    },
  },
  {
    name: 'job-stop',
    async prepare(deployment, name) {
      const job = await startHeldJob(deployment, name)
      return {
        verb: '/hc job-stop',
        donePattern: /Stopping after the current changes/,
        send: () => deployment.slack.member.command('/hc', `job-stop ${job.id}`, NO_WAIT),
        async readEffect() {
          const wantsStop = await job.end()
          return wantsStop === undefined ? 'gone' : wantsStop ? 'done' : 'absent'
        },
      }
    },
  },
]
