import { AUDIT_KEPT_DAYS } from '@signalman/durable'
import { ACCESS_REQUESTS, isWaiting } from '../../src/features/access/rules/requests.ts'
import { type ActKind, AT_ONCE, FORM } from './act-kind.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const ON_CALL = 'S0ONCALL01'
const OPERATIONS = 'C0OPERATNS'
const WAITING = 'approver'

const storedHere = async ({ store }: Stage): Promise<boolean> =>
  (await store.connections.list(WORKSPACE)).some(({ environment }) => environment === 'production')

const entrust = ({ store, token }: Stage): Promise<unknown> =>
  store.connections.save({
    workspaceId: WORKSPACE,
    environment: 'production',
    token,
    userId: 'U0ADMIN001',
    now: new Date(),
  })

/** Nobody is an approver, and nobody has asked to be one. */
async function withoutApprovers({ store }: Stage): Promise<void> {
  for (const { role, subject } of await store.grants.list(WORKSPACE))
    if (role === 'approver') await store.grants.remove(WORKSPACE, role, subject)
  await store.settings.set(WORKSPACE, ACCESS_REQUESTS, [])
}

const approvers = async ({ store }: Stage): Promise<string[]> =>
  (await store.grants.list(WORKSPACE)).flatMap(({ role, subject }) =>
    role === 'approver' ? [subject.id] : [],
  )

/** The forms, commands, and buttons for roles and for the connection to the service. */
export const ACTS_OF_ACCESS: readonly ActKind[] = [
  {
    name: 'connect',
    async prepare(stage) {
      const { slack, store, token } = stage
      await store.connections.forget(WORKSPACE, 'production')
      await slack.admin.command('/hc', 'connect', FORM)
      return {
        verb: '/hc connect',
        says: /Signalman tested the token/,
        isByAdmin: true,
        send: () => slack.admin.submit({ Token: token }, AT_ONCE),
        effect: async () => ((await storedHere(stage)) ? 'done' : 'absent'),
      }
    },
  },
  {
    name: 'disconnect',
    async prepare(stage) {
      await entrust(stage)
      await stage.slack.admin.command('/hc', 'disconnect', FORM)
      return {
        verb: '/hc disconnect',
        says: /Removed the token/,
        isByAdmin: true,
        send: () => stage.slack.admin.submit({}, AT_ONCE),
        effect: async () => ((await storedHere(stage)) ? 'absent' : 'done'),
      }
    },
  },
  {
    name: 'set the environment',
    async prepare({ slack, store }) {
      await store.channels.setEnvironment(WORKSPACE, OPERATIONS, 'production')
      return {
        verb: '/hc env',
        says: /This channel now uses/,
        send: () => slack.member.command('/hc', 'env ote', { channel: 'operations', ...AT_ONCE }),
        effect: async () =>
          (await store.channels.environment(WORKSPACE, OPERATIONS)) === 'ote' ? 'done' : 'absent',
      }
    },
  },
  {
    name: 'change who may do what',
    async prepare(stage) {
      const { slack, store } = stage
      await withoutApprovers(stage)
      await store.settings.set(WORKSPACE, AUDIT_KEPT_DAYS, 0)
      await slack.admin.command('/hc', 'access', FORM)
      return {
        verb: '/hc access',
        says: /In effect from now on/,
        isByAdmin: true,
        send: () =>
          slack.admin.submit(
            { 'Approvers: user groups': [ON_CALL], 'Keep the audit log': '1 year' },
            AT_ONCE,
          ),
        async effect() {
          const isGiven = (await approvers(stage)).includes(ON_CALL)
          const isKept = (await store.settings.get(WORKSPACE, AUDIT_KEPT_DAYS)) === 365
          return isGiven && isKept ? 'done' : isGiven || isKept ? 'partly' : 'absent'
        },
      }
    },
  },
  {
    name: 'ask for access',
    async prepare(stage) {
      await withoutApprovers(stage)
      return {
        verb: '/hc access-request',
        says: /I sent your request for the role/,
        send: () => stage.slack.member.command('/hc', `access-request ${WAITING}`, AT_ONCE),
        async effect() {
          const kept = await stage.store.settings.get(WORKSPACE, ACCESS_REQUESTS)
          const { length } = kept.filter(isWaiting)
          return length === 1 ? 'done' : length === 0 ? 'absent' : `${length} requests`
        },
      }
    },
  },
  {
    name: 'grant access',
    async prepare(stage) {
      const { slack } = stage
      await withoutApprovers(stage)
      const known = new Set((await slack.admin.messages('dm')).map(({ ts }) => ts))
      await slack.member.command('/hc', `access-request ${WAITING}`, { until: 'your request for the role' })
      const question = (await slack.admin.messages('dm')).find(({ ts }) => !known.has(ts))
      return {
        verb: '/hc access-grant',
        says: /Approved by/,
        isByAdmin: true,
        send: () => slack.admin.click(question, 'Approve', AT_ONCE),
        effect: async () => ((await approvers(stage)).includes('U0MEMBER01') ? 'done' : 'absent'),
      }
    },
  },
  {
    name: 'generate and keep a token',
    async prepare(stage) {
      const { slack, store, service } = stage
      await store.connections.forget(WORKSPACE, 'production')
      const before = await service.tokens()
      return {
        verb: '/hc token-generate',
        says: /Signalman tested the token/,
        writes: { method: 'POST', path: '/auth/v1/tokens' },
        isBlind: true,
        isByAdmin: true,
        send: () => slack.admin.command('/hc', 'token-generate --keep', AT_ONCE),
        async effect() {
          const made = (await service.tokens()) - before
          const isStored = await storedHere(stage)
          if (made > 1) return `${made} tokens`
          return made === 1 && isStored ? 'done' : made === 1 || isStored ? 'partly' : 'absent'
        },
      }
    },
  },
]
