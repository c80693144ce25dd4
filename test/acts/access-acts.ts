import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import { ACCESS_REQUESTS, isWaiting } from '../../src/features/access/rules/requests.ts'
import { type ActKind, NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'

const ON_CALL = 'S0ONCALL01'
const OPERATIONS = 'C0OPERATNS'
const REQUESTED_ROLE = 'approver'

const isTokenStored = async ({ store }: Deployment): Promise<boolean> =>
  (await store.connections.list(WORKSPACE)).some(({ environment }) => environment === 'production')

const storeToken = ({ store, token }: Deployment): Promise<unknown> =>
  store.connections.save({
    workspaceId: WORKSPACE,
    environment: 'production',
    token,
    userId: 'U0ADMIN001',
    now: new Date(),
  })

/** Removes all approvers, and all requests to become one. */
async function removeApprovers({ store }: Deployment): Promise<void> {
  for (const { role, subject } of await store.grants.list(WORKSPACE))
    if (role === 'approver') await store.grants.remove(WORKSPACE, role, subject)
  await store.settings.set(WORKSPACE, ACCESS_REQUESTS, [])
}

const listApprovers = async ({ store }: Deployment): Promise<string[]> =>
  (await store.grants.list(WORKSPACE)).flatMap(({ role, subject }) =>
    role === 'approver' ? [subject.id] : [],
  )

/** The forms, commands, and buttons for roles and for the connection to the service. */
export const ACCESS_ACTS: readonly ActKind[] = [
  {
    name: 'connect',
    async prepare(deployment) {
      const { slack, store, token } = deployment
      await store.connections.remove(WORKSPACE, 'production')
      await slack.admin.command('/hc', 'connect', UNTIL_FORM)
      return {
        verb: '/hc connect',
        donePattern: /Signalman tested the token/,
        isByAdmin: true,
        send: () => slack.admin.submit({ Token: token }, NO_WAIT),
        readEffect: async () => ((await isTokenStored(deployment)) ? 'done' : 'absent'),
      }
    },
  },
  {
    name: 'disconnect',
    async prepare(deployment) {
      await storeToken(deployment)
      await deployment.slack.admin.command('/hc', 'disconnect', UNTIL_FORM)
      return {
        verb: '/hc disconnect',
        donePattern: /Removed the token/,
        isByAdmin: true,
        send: () => deployment.slack.admin.submit({}, NO_WAIT),
        readEffect: async () => ((await isTokenStored(deployment)) ? 'absent' : 'done'),
      }
    },
  },
  {
    name: 'set the environment',
    async prepare({ slack, store }) {
      await store.channels.setEnvironment(WORKSPACE, OPERATIONS, 'production')
      return {
        verb: '/hc env',
        donePattern: /This channel now uses/,
        send: () => slack.member.command('/hc', 'env ote', { channel: 'operations', ...NO_WAIT }),
        readEffect: async () =>
          (await store.channels.environment(WORKSPACE, OPERATIONS)) === 'ote' ? 'done' : 'absent',
      }
    },
  },
  {
    name: 'change who may do what',
    async prepare(deployment) {
      const { slack, store } = deployment
      await removeApprovers(deployment)
      await store.settings.set(WORKSPACE, AUDIT_RETENTION_DAYS, 0)
      await slack.admin.command('/hc', 'access', UNTIL_FORM)
      return {
        verb: '/hc access',
        donePattern: /In effect from now on/,
        isByAdmin: true,
        send: () =>
          slack.admin.submit(
            { 'Approvers: user groups': [ON_CALL], 'Keep the audit log': '1 year' },
            NO_WAIT,
          ),
        async readEffect() {
          const hasApprover = (await listApprovers(deployment)).includes(ON_CALL)
          const hasRetention = (await store.settings.get(WORKSPACE, AUDIT_RETENTION_DAYS)) === 365
          return hasApprover && hasRetention ? 'done' : hasApprover || hasRetention ? 'partly' : 'absent'
        },
      }
    },
  },
  {
    name: 'ask for access',
    async prepare(deployment) {
      await removeApprovers(deployment)
      return {
        verb: '/hc access-request',
        donePattern: /I sent your request for the approver role/,
        send: () => deployment.slack.member.command('/hc', `access-request ${REQUESTED_ROLE}`, NO_WAIT),
        async readEffect() {
          const requests = await deployment.store.settings.get(WORKSPACE, ACCESS_REQUESTS)
          const { length } = requests.filter(isWaiting)
          return length === 1 ? 'done' : length === 0 ? 'absent' : `${length} requests`
        },
      }
    },
  },
  {
    name: 'grant access',
    async prepare(deployment) {
      const { slack } = deployment
      await removeApprovers(deployment)
      const earlier = new Set((await slack.admin.messages('dm')).map(({ ts }) => ts))
      await slack.member.command('/hc', `access-request ${REQUESTED_ROLE}`, {
        until: 'your request for the approver role',
      })
      const requestMessage = (await slack.admin.messages('dm')).find(({ ts }) => !earlier.has(ts))
      return {
        verb: '/hc access-grant',
        donePattern: /Approved by/,
        isByAdmin: true,
        send: () => slack.admin.click(requestMessage, 'Approve', NO_WAIT),
        readEffect: async () =>
          (await listApprovers(deployment)).includes('U0MEMBER01') ? 'done' : 'absent',
      }
    },
  },
  {
    name: 'generate and keep a token',
    async prepare(deployment) {
      const { slack, store, service } = deployment
      await store.connections.remove(WORKSPACE, 'production')
      const before = await service.countTokens()
      return {
        verb: '/hc token-generate',
        donePattern: /Signalman tested the token/,
        serviceRequest: { method: 'POST', path: '/auth/v1/tokens' },
        effectCannotBeLookedUp: true,
        isByAdmin: true,
        send: () => slack.admin.command('/hc', 'token-generate', NO_WAIT),
        async readEffect() {
          const created = (await service.countTokens()) - before
          const isStored = await isTokenStored(deployment)
          if (created > 1) return `${created} tokens`
          return created === 1 && isStored ? 'done' : created === 1 || isStored ? 'partly' : 'absent'
        },
      }
    },
  },
]
