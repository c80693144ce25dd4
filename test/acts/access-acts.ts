import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import { ALLOWED_SHARED_CHANNELS } from '../../src/bot/posts/may-post.ts'
import { type Grant, ROLE_DESCRIPTIONS } from '../../src/domain/roles.ts'
import { grantVersion } from '../../src/features/access/rules/grants.ts'
import { type ActKind, NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'

const ON_CALL = 'S0ONCALL01'
const OPERATIONS = 'C0OPERATNS'

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

/** Removes all approvers. */
async function removeApprovers({ store }: Deployment): Promise<void> {
  for (const { role, subject } of await store.grants.list(WORKSPACE))
    if (role === 'approver') await store.grants.remove(WORKSPACE, role, subject)
}

const findApprovers = async ({ store }: Deployment): Promise<Grant[]> =>
  (await store.grants.list(WORKSPACE)).filter(({ role }) => role === 'approver')

const listApprovers = async (deployment: Deployment): Promise<string[]> =>
  (await findApprovers(deployment)).map(({ subject }) => subject.id)

/** Makes a group the only approvers. Returns the version of the grant, which its buttons carry. */
async function giveApprover(deployment: Deployment): Promise<string> {
  await removeApprovers(deployment)
  const subject = { kind: 'group', id: ON_CALL } as const
  await deployment.store.grants.add(WORKSPACE, 'approver', subject, 'U0ADMIN001', new Date())
  const [grant] = await findApprovers(deployment)
  if (!grant) throw new Error('The role wasn’t given.')
  return grantVersion(grant)
}

const APPROVER_LABEL = `approver: ${ROLE_DESCRIPTIONS.approver}`

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
    name: 'give roles',
    async prepare(deployment) {
      const { slack } = deployment
      await removeApprovers(deployment)
      await slack.admin.command('/hc', 'access-add', UNTIL_FORM)
      const people = ['U0MEMBER01', 'U0ADMIN001']
      return {
        verb: '/hc access-add',
        donePattern: /Saved: 2 roles/,
        isByAdmin: true,
        send: () => slack.admin.submit({ Who: people, Role: APPROVER_LABEL, Until: 'No end date' }, NO_WAIT),
        async readEffect() {
          const { length } = await listApprovers(deployment)
          return length === people.length ? 'done' : length > 0 ? 'partly' : 'absent'
        },
      }
    },
  },
  {
    name: 'change a role',
    async prepare(deployment) {
      const version = await giveApprover(deployment)
      await deployment.slack.admin.command('/hc', `access-change ${version}`, UNTIL_FORM)
      return {
        verb: '/hc access-change',
        donePattern: /Saved: /,
        isByAdmin: true,
        send: () => deployment.slack.admin.submit({ Until: '8 hours from now' }, NO_WAIT),
        async readEffect() {
          const [grant, ...others] = await findApprovers(deployment)
          if (!grant || others.length > 0) return `${others.length} other grants`
          return grant.endsAt ? 'done' : 'absent'
        },
      }
    },
  },
  {
    name: 'end a role',
    async prepare(deployment) {
      const version = await giveApprover(deployment)
      await deployment.slack.admin.command('/hc', `access-end ${version}`, UNTIL_FORM)
      return {
        verb: '/hc access-end',
        donePattern: /Ended: /,
        isByAdmin: true,
        send: () => deployment.slack.admin.submit({}, NO_WAIT),
        readEffect: async () => ((await listApprovers(deployment)).length === 0 ? 'done' : 'absent'),
      }
    },
  },
  {
    name: 'change the access settings',
    async prepare(deployment) {
      const { slack, store } = deployment
      await store.settings.set(WORKSPACE, AUDIT_RETENTION_DAYS, 0)
      await store.settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, [])
      await slack.admin.command('/hc', 'access-settings', UNTIL_FORM)
      return {
        verb: '/hc access-settings',
        donePattern: /In effect from now on/,
        isByAdmin: true,
        send: () =>
          slack.admin.submit(
            {
              'Shared channels where threat events and orders are allowed': ['C0PARTNER1'],
              'Keep the audit log': '1 year',
            },
            NO_WAIT,
          ),
        async readEffect() {
          const hasChannel = (await store.settings.get(WORKSPACE, ALLOWED_SHARED_CHANNELS)).length > 0
          const hasRetention = (await store.settings.get(WORKSPACE, AUDIT_RETENTION_DAYS)) === 365
          return hasChannel && hasRetention ? 'done' : hasChannel || hasRetention ? 'partly' : 'absent'
        },
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
