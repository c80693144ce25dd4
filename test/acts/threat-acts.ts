import { createHash } from 'node:crypto'
import { takedownCheckName } from '../../src/domain/takedown-checks.ts'
import { createThreatEvent } from '../features/threats/events.ts'
import { type ActKind, NO_WAIT } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'

const describeCount = (count: number): string =>
  count === 1 ? 'done' : count === 0 ? 'absent' : `${count} times`

/** The ID of an event that nothing else uses. */
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
  deployment.store.threatCases.step({
    ...createEventKey(eventId),
    enterpriseId: undefined,
    kind: 'take',
    by: { userId: 'U0ADMIN001', name: 'admin' },
    now: new Date(),
    reference: name,
    newCase: {
      eventSnapshot: { card: { verdict: 'HIGH', lines: [`${name}[.]example`], notes: [] } },
      severity: 1,
    },
  })

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
    name: 'threat-watch',
    async prepare(deployment, name) {
      const id = createEventId(name)
      await deployment.service.storeThreat(id, createThreatEvent(`${name}.example`))
      await takeEvent(deployment, id, name)
      const check = takedownCheckName(`${name}[.]example`, id)
      return {
        verb: '/threat watch',
        donePattern: /Watching until it’s down/,
        serviceRequest: { method: 'POST', path: '/healthcheck/v1/healthchecks' },
        hasSeveralSteps: true,
        send: () => deployment.slack.member.command('/threat', `watch ${id}`, NO_WAIT),
        async readEffect() {
          const checks = await deployment.service.checksNamed(check)
          const { checkUuid } = (await deployment.store.threatCases.find(createEventKey(id))) ?? {}
          if (checks.length > 1 || (checkUuid && checks.length === 0)) return `${checks.length} checks`
          if (checks.length === 0) return 'absent'
          return checkUuid === checks[0]?.uuid ? 'done' : 'partly'
        },
      }
    },
  },
  {
    name: 'threat-down',
    async prepare(deployment, name) {
      const id = createEventId(name)
      await takeEvent(deployment, id, name)
      return {
        verb: '/threat down',
        donePattern: /The case is closed/,
        send: () => deployment.slack.member.command('/threat', `down ${id}`, NO_WAIT),
        readEffect: () => describeSteps(deployment, id, 'down'),
      }
    },
  },
]
