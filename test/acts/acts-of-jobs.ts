import { newWorkId } from '../../src/store/store.ts'
import { type ActKind, AT_ONCE } from './act-kind.ts'
import { HELD_BY_TEST } from './rows.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const HOUR_MS = 3_600_000
const BULK = 'health-checks.bulk'

/** Three checks that nothing else has. */
async function addThree({ service }: Stage, name: string): Promise<void> {
  for (const nth of [1, 2, 3]) await service.addCheck({ name: `${name}-${nth}` })
}

/** How often they are checked, by how many of them. */
async function threeAre({ service }: Stage, name: string, done: number, before: number): Promise<string> {
  const checks = await service.checksNamed(`${name}-*`)
  const all = await Promise.all(checks.map(async ({ uuid }) => Number((await service.check(uuid)).frequency)))
  if (all.every((frequency) => frequency === done)) return 'done'
  return all.every((frequency) => frequency === before) ? 'absent' : `left at ${all.join(', ')}`
}

const preview = ({ slack }: Stage, name: string) =>
  slack.member.command('/hc', `edit ${name}-* --frequency 30`, { until: '3 would be changed' })

/** A job of the member's that another replica is at; it is never heard to end. */
async function heldJob({ store }: Stage, title: string): Promise<string> {
  const planned = { create: 0, edit: 1, delete: 0 }
  const place = { workspaceId: WORKSPACE, userId: 'U0MEMBER01', reference: 'held', teamId: WORKSPACE }
  const body = { place, environment: 'production', about: { verb: '/hc edit', title, planned } }
  const work = { workspaceId: WORKSPACE, kind: BULK, key: title, personId: place.userId, body }
  const held = await store.work.begin({ id: newWorkId(), ...work }, HELD_BY_TEST, HOUR_MS)
  return held.work.id
}

/** What people do with jobs that change many health checks. */
export const ACTS_OF_JOBS: readonly ActKind[] = [
  {
    name: 'bulk-apply',
    async prepare(stage, name) {
      await addThree(stage, name)
      const { message } = await preview(stage, name)
      return {
        verb: '/hc job-start',
        says: /It runs\./,
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
      await stage.slack.member.click(message, 'Change 3', { until: 'It runs.' })
      await stage.settled()
      const done = (await stage.slack.member.messages('dm')).findLast(({ text }) => text.includes('Done:'))
      return {
        verb: '/hc job-start',
        says: /It runs\./,
        send: () => stage.slack.member.click(done, 'Undo', AT_ONCE),
        effect: () => threeAre(stage, name, 60, 30),
      }
    },
  },
  {
    name: 'job-cancel',
    async prepare(stage, name) {
      const id = await heldJob(stage, name)
      return {
        verb: '/hc job-cancel',
        says: /It stops after what is under way/,
        send: () => stage.slack.member.command('/hc', `job-cancel ${id}`, AT_ONCE),
        async effect() {
          const wantsStop = (await stage.store.work.renew([id], HELD_BY_TEST, HOUR_MS)).get(id)
          await stage.store.work.discard(id, HELD_BY_TEST)
          return wantsStop === undefined ? 'gone' : wantsStop ? 'done' : 'absent'
        },
      }
    },
  },
]
