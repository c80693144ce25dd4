import { createHash } from 'node:crypto'
import { changeCases } from '../decide.ts'
import { createThreatEvent } from '../features/threats/events.ts'
import { type ActKind, describeCount, NO_WAIT } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'

const createEventId = (name: string): string =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

async function describeSteps({ store }: Deployment, eventId: string, kind: string): Promise<string> {
  const found = await store.threatCases.find(createEventKey(eventId))
  return describeCount((found?.steps ?? []).filter((step) => step.kind === kind).length)
}

const createEventKey = (eventId: string) =>
  ({ workspaceId: WORKSPACE, environment: 'production', eventId }) as const

const takeEvent = (deployment: Deployment, eventId: string, name: string) =>
  changeCases(deployment.store, WORKSPACE, ({ step }) =>
    step({
      ...createEventKey(eventId),
      kind: 'take',
      by: { userId: 'U0ADMIN001', name: 'admin' },
      now: new Date(),
      newCase: {
        event: {
          ...{ verdict: 'HIGH', lines: [`${name}[.]example`], notes: [] },
          ...{ readAt: new Date().toISOString(), reportedAt: undefined },
        },
        severity: 1,
        domainKey: '',
      },
    }),
  )

/** Acts on threat events. The messages about a case are posted by separate durable work, which these tests don't count. */
export const THREAT_ACTS: readonly ActKind[] = [
  {
    name: 'threat-take',
    async prepare(deployment, name) {
      const id = createEventId(name)
      await deployment.service.storeThreat(id, createThreatEvent(`${name}.example`))
      return {
        verb: '/threat take',
        donePattern: /This case is yours now/,
        send: () => deployment.slack.member.command('/threat', `take ${id}`, NO_WAIT),
        readEffect: () => describeSteps(deployment, id, 'take'),
      }
    },
  },
  {
    name: 'threat-close',
    async prepare(deployment, name) {
      const id = createEventId(name)
      await takeEvent(deployment, id, name)
      return {
        verb: '/threat close',
        donePattern: /The case is closed/,
        send: () => deployment.slack.member.command('/threat', `close ${id} --as down`, NO_WAIT),
        readEffect: () => describeSteps(deployment, id, 'down'),
      }
    },
  },
]
