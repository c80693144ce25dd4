import { newId } from '../../packages/runtime/src/new-id.ts'
import { runPeriodically } from '../../packages/runtime/src/pause.ts'
import { type ActKind, NO_WAIT } from './act-kind.ts'
import { HELD_BY_TEST } from './rows.ts'
import { type Stage, WORKSPACE } from './stage.ts'
import { LEASE_MS } from './times.ts'

const CHANGES = 'health-checks.changes'

/** Three checks that nothing else uses. */
async function addThreeChecks({ service }: Stage, name: string): Promise<void> {
  for (const nth of [1, 2, 3]) await service.addCheck({ name: `${name}-${nth}` })
}

/** The effect of a change of frequency on the three checks. */
async function describeFrequencies(
  { service }: Stage,
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

const previewEdit = ({ slack }: Stage, name: string) =>
  slack.member.command('/hc', `edit ${name}-* --frequency 30`, { until: 'Nothing has changed yet.' })

/**
 * A job of the member that another replica, played by the test, runs and never finishes. It renews the lease, because otherwise an
 * app process would take over the job and finish it.
 */
async function startHeldJob({ store: { work } }: Stage, title: string) {
  const planned = { create: 0, edit: 1, delete: 0 }
  const place = { workspaceId: WORKSPACE, userId: 'U0MEMBER01', reference: 'held', teamId: WORKSPACE }
  const body = {
    place,
    environment: 'production',
    about: { verb: '/hc edit', title, planned, startedBy: place.userId },
  }
  const job = { workspaceId: WORKSPACE, kind: CHANGES, key: title, personId: place.userId, body }
  const { id } = (await work.begin({ id: newId(), ...job }, HELD_BY_TEST)).work
  /** Whether it should stop; undefined if another process has it. */
  const renewLease = async (): Promise<boolean | undefined> => (await work.renew(HELD_BY_TEST)).get(id)
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
      await work.release(id, HELD_BY_TEST, { state: 'done' })
      return wantsStop
    },
  }
}

/** Jobs that change many health checks. */
export const JOB_ACTS: readonly ActKind[] = [
  {
    name: 'bulk-apply',
    async prepare(stage, name) {
      await addThreeChecks(stage, name)
      const { message } = await previewEdit(stage, name)
      return {
        verb: '/hc job-start',
        says: /Started\./,
        send: () => stage.slack.member.click(message, 'Change 3', NO_WAIT),
        effect: () => describeFrequencies(stage, name, 30, 60),
      }
    },
  },
  {
    name: 'job-undo',
    async prepare(stage, name) {
      await addThreeChecks(stage, name)
      const { message } = await previewEdit(stage, name)
      await stage.slack.member.click(message, 'Change 3', { until: 'Started.' })
      await stage.settled()
      const report = (await stage.slack.member.messages('dm')).findLast(({ text }) =>
        text.includes('Asked for:'),
      )
      return {
        verb: '/hc job-start',
        // After a kill, the job may finish before its start is shown, and then only its end is shown.
        says: /Started\.|Undone/,
        send: () => stage.slack.member.click(report, 'Undo', NO_WAIT),
        effect: () => describeFrequencies(stage, name, 60, 30),
      }
    },
  },
  {
    name: 'job-stop',
    async prepare(stage, name) {
      const job = await startHeldJob(stage, name)
      return {
        verb: '/hc job-stop',
        says: /Stopping after the current changes/,
        send: () => stage.slack.member.command('/hc', `job-stop ${job.id}`, NO_WAIT),
        async effect() {
          const wantsStop = await job.end()
          return wantsStop === undefined ? 'gone' : wantsStop ? 'done' : 'absent'
        },
      }
    },
  },
]
