import { newId } from '../../packages/runtime/src/new-id.ts'
import { runPeriodically } from '../../packages/runtime/src/pause.ts'
import { type ActKind, AT_ONCE } from './act-kind.ts'
import { HELD_BY_TEST } from './rows.ts'
import { type Stage, WORKSPACE } from './stage.ts'
import { LEASE_MS } from './times.ts'

const CHANGES = 'health-checks.changes'

/** Three checks that nothing else uses. */
async function addThree({ service }: Stage, name: string): Promise<void> {
  for (const nth of [1, 2, 3]) await service.addCheck({ name: `${name}-${nth}` })
}

/** How often, and by how many people, a button is pressed. */
async function threeAre({ service }: Stage, name: string, done: number, before: number): Promise<string> {
  const checks = await service.checksNamed(`${name}-*`)
  const all = await Promise.all(checks.map(async ({ uuid }) => Number((await service.check(uuid)).frequency)))
  if (all.every((frequency) => frequency === done)) return 'done'
  return all.every((frequency) => frequency === before) ? 'absent' : `left at ${all.join(', ')}`
}

const preview = ({ slack }: Stage, name: string) =>
  slack.member.command('/hc', `edit ${name}-* --frequency 30`, { until: 'Nothing has changed yet.' })

/**
 * A job of the member that another replica runs and never finishes. It renews its lease, because after a lease of silence, as on
 * a busy test machine, another process would take the job over and finish it.
 */
async function heldJob({ store: { work } }: Stage, title: string) {
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
  const sign = async (): Promise<boolean | undefined> => (await work.renew(HELD_BY_TEST)).get(id)
  const signs = runPeriodically(
    LEASE_MS / 8,
    async () => void (await sign()),
    () => LEASE_MS / 20,
  )
  return {
    id,
    async end() {
      signs[Symbol.dispose]()
      const wantsStop = await sign()
      await work.release(id, HELD_BY_TEST, { state: 'done' })
      return wantsStop
    },
  }
}

/** Jobs that change many health checks. */
export const ACTS_OF_JOBS: readonly ActKind[] = [
  {
    name: 'bulk-apply',
    async prepare(stage, name) {
      await addThree(stage, name)
      const { message } = await preview(stage, name)
      return {
        verb: '/hc job-start',
        says: /Started\./,
        send: () => stage.slack.member.click(message, 'Change 3', AT_ONCE),
        effect: () => threeAre(stage, name, 30, 60),
      }
    },
  },
  {
    name: 'job-undo',
    async prepare(stage, name) {
      await addThree(stage, name)
      const { message } = await preview(stage, name)
      await stage.slack.member.click(message, 'Change 3', { until: 'Started.' })
      await stage.settled()
      const done = (await stage.slack.member.messages('dm')).findLast(({ text }) =>
        text.includes('Asked for:'),
      )
      return {
        verb: '/hc job-start',
        // After a kill, the job may finish before its start is shown, and then only its end is shown.
        says: /Started\.|Undone/,
        send: () => stage.slack.member.click(done, 'Undo', AT_ONCE),
        effect: () => threeAre(stage, name, 60, 30),
      }
    },
  },
  {
    name: 'job-stop',
    async prepare(stage, name) {
      const job = await heldJob(stage, name)
      return {
        verb: '/hc job-stop',
        says: /Stopping after the current changes/,
        send: () => stage.slack.member.command('/hc', `job-stop ${job.id}`, AT_ONCE),
        async effect() {
          const wantsStop = await job.end()
          return wantsStop === undefined ? 'gone' : wantsStop ? 'done' : 'absent'
        },
      }
    },
  },
]
