import { createHash } from 'node:crypto'
import { takedownCheckName } from '../../src/domain/takedown-checks.ts'
import { createThreatEvent } from '../features/threats/events.ts'
import { type ActKind, NO_WAIT } from './act-kind.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const describeCount = (count: number): string =>
  count === 1 ? 'done' : count === 0 ? 'absent' : `${count} times`

/** The ID of an event that nothing else uses. */
const createEventId = (name: string): string =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

async function describeSteps({ store }: Stage, eventId: string, kind: string): Promise<string> {
  const found = await store.threatCases.find(createEventKey(eventId))
  return describeCount((found?.steps ?? []).filter((step) => step.kind === kind).length)
}

const createEventKey = (eventId: string) =>
  ({ workspaceId: WORKSPACE, environment: 'production', eventId }) as const

const takeEvent = (stage: Stage, eventId: string, name: string) =>
  stage.store.threatCases.step({
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

/** Acts on threat events. Each writes only to the store; the message about it is sent by separate work. */
export const THREAT_ACTS: readonly ActKind[] = [
  {
    name: 'threat-take',
    async prepare(stage, name) {
      const id = createEventId(name)
      await stage.service.storeThreat(id, createThreatEvent(`${name}.example`))
      return {
        verb: '/threat take',
        says: /This case is yours now/,
        send: () => stage.slack.member.command('/threat', `take ${id}`, NO_WAIT),
        effect: () => describeSteps(stage, id, 'take'),
      }
    },
  },
  {
    name: 'threat-watch',
    async prepare(stage, name) {
      const id = createEventId(name)
      await stage.service.storeThreat(id, createThreatEvent(`${name}.example`))
      await takeEvent(stage, id, name)
      const check = takedownCheckName(`${name}[.]example`, id)
      return {
        verb: '/threat watch',
        says: /Watching until it’s down/,
        writes: { method: 'POST', path: '/healthcheck/v1/healthchecks' },
        isOfMany: true,
        send: () => stage.slack.member.command('/threat', `watch ${id}`, NO_WAIT),
        async effect() {
          const checks = await stage.service.checksNamed(check)
          const { checkUuid } = (await stage.store.threatCases.find(createEventKey(id))) ?? {}
          const watches = (await stage.store.watching.watches.list(WORKSPACE)).filter(({ filter }) =>
            filter.include.some(({ pattern }) => pattern === checkUuid),
          )
          if (checks.length > 1 || watches.length > 1 || (checkUuid && checks.length === 0))
            return `${checks.length} checks, ${watches.length} watches`
          if (checks.length === 0) return 'absent'
          return checkUuid === checks[0]?.uuid && watches.length === 1 ? 'done' : 'partly'
        },
      }
    },
  },
  {
    name: 'threat-down',
    async prepare(stage, name) {
      const id = createEventId(name)
      await takeEvent(stage, id, name)
      return {
        verb: '/threat down',
        says: /The case is closed/,
        send: () => stage.slack.member.command('/threat', `down ${id}`, NO_WAIT),
        effect: () => describeSteps(stage, id, 'down'),
      }
    },
  },
]
