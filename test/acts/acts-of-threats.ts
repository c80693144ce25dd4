import { createHash } from 'node:crypto'
import { eventOf } from '../features/threats/events.ts'
import { type ActKind, AT_ONCE } from './act-kind.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const counted = (count: number): string => (count === 1 ? 'done' : count === 0 ? 'absent' : `${count} times`)

/** The id of an event that nothing else has. */
const idOf = (name: string): string =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

async function stepsOf({ store }: Stage, eventId: string, kind: string): Promise<string> {
  const event = { workspaceId: WORKSPACE, environment: 'production', eventId } as const
  const found = await store.threatCases.find(event)
  return counted((found?.steps ?? []).filter((step) => step.kind === kind).length)
}

/** What people do about threat events; each is written to the store alone, and told by work of its own. */
export const ACTS_OF_THREATS: readonly ActKind[] = [
  {
    name: 'threat-take',
    async prepare(stage, name) {
      const id = idOf(name)
      await stage.service.storeThreat(id, eventOf(`${name}.example`))
      return {
        verb: '/threat take',
        says: /You have this case now/,
        send: () => stage.slack.member.command('/threat', `take ${id}`, AT_ONCE),
        effect: () => stepsOf(stage, id, 'take'),
      }
    },
  },
  {
    name: 'threat-down',
    async prepare(stage, name) {
      const id = idOf(name)
      await stage.store.threatCases.step({
        workspaceId: WORKSPACE,
        environment: 'production',
        eventId: id,
        enterpriseId: undefined,
        kind: 'take',
        by: { userId: 'U0ADMIN001', name: 'admin' },
        now: new Date(),
        reference: name,
        first: {
          about: { card: { verdict: 'HIGH', lines: [`${name}[.]example`], notes: [] } },
          severity: 1,
        },
      })
      return {
        verb: '/threat down',
        says: /The case is closed/,
        send: () => stage.slack.member.command('/threat', `down ${id}`, AT_ONCE),
        effect: () => stepsOf(stage, id, 'down'),
      }
    },
  },
]
