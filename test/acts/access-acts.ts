import type { Grant } from '../../src/domain/roles.ts'
import { addGrant, removeGrant } from '../give-role.ts'
import { removeConnection, saveConnection, setEnvironment } from '../write-store.ts'
import { type ActKind, NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'

const ON_CALL = 'S0ONCALL01'
const OPERATIONS = 'C0OPERATNS'

const isTokenStored = async ({ store }: Deployment): Promise<boolean> =>
  (await store.connections.list(WORKSPACE)).some(({ environment }) => environment === 'production')

const storeToken = ({ store, token }: Deployment): Promise<unknown> =>
  saveConnection(store, {
    workspaceId: WORKSPACE,
    environment: 'production',
    token,
    userId: 'U0ADMIN001',
    now: new Date(),
  })

async function removeApprovers({ store }: Deployment): Promise<void> {
  for (const { role, subject } of await store.grants.list(WORKSPACE))
    if (role === 'approver') await removeGrant(store, WORKSPACE, role, subject)
}

const findApprovers = async ({ store }: Deployment): Promise<Grant[]> =>
  (await store.grants.list(WORKSPACE)).filter(({ role }) => role === 'approver')

async function giveApprover(deployment: Deployment): Promise<void> {
  await removeApprovers(deployment)
  const subject = { kind: 'group', id: ON_CALL } as const
  await addGrant(deployment.store, WORKSPACE, 'approver', subject, 'U0ADMIN001', new Date())
}

/** The forms, commands, and buttons for roles and for the connection to the service. */
export const ACCESS_ACTS: readonly ActKind[] = [
  {
    name: 'connect',
    shares: 'the connection',
    async prepare(deployment) {
      const { slack, store, token } = deployment
      await removeConnection(store, WORKSPACE, 'production')
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
    shares: 'the connection',
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
      await setEnvironment(store, WORKSPACE, OPERATIONS, 'production')
      const countAnnouncements = async () =>
        (await slack.member.messages('operations')).filter(({ text }) =>
          text.includes('switched the environment'),
        ).length
      const before = await countAnnouncements()
      return {
        verb: '/hc env',
        donePattern: /This channel now uses/,
        send: () => slack.member.command('/hc', 'env ote', { channel: 'operations', ...NO_WAIT }),
        async readEffect() {
          const announcements = (await countAnnouncements()) - before
          if (announcements > 1) return `${announcements} announcements`
          return (await store.channels.environment(WORKSPACE, OPERATIONS)) === 'ote' ? 'done' : 'absent'
        },
      }
    },
  },
  {
    name: 'give a role',
    shares: 'the roles',
    async prepare(deployment) {
      await removeApprovers(deployment)
      const { admin } = deployment.slack
      return {
        verb: '/hc grant',
        donePattern: /Saved: /,
        isByAdmin: true,
        send: () => admin.command('/hc', 'grant @on-call approver 8h', { channel: 'operations', ...NO_WAIT }),
        async readEffect() {
          const [grant, ...others] = await findApprovers(deployment)
          if (others.length > 0) return `${others.length} other grants`
          return grant?.endsAt ? 'done' : 'absent'
        },
      }
    },
  },
  {
    name: 'revoke a role',
    shares: 'the roles',
    async prepare(deployment) {
      await giveApprover(deployment)
      const { admin } = deployment.slack
      const { message } = await admin.command('/hc', 'access', { channel: 'operations' })
      const asked = await admin.choose(message, 'Revoke…', 'Revoke @on-call · approver', {
        until: 'Revoke the approver role of',
      })
      return {
        verb: '/hc revoke',
        donePattern: /Revoked: /,
        isByAdmin: true,
        send: () => admin.click(asked.message, 'Revoke the approver role', NO_WAIT),
        readEffect: async () => ((await findApprovers(deployment)).length === 0 ? 'done' : 'absent'),
      }
    },
  },
  {
    name: 'generate and keep a token',
    shares: 'the connection',
    async prepare(deployment) {
      const { slack, store, service } = deployment
      await removeConnection(store, WORKSPACE, 'production')
      const before = await service.countTokens()
      return {
        verb: '/hc token-generate',
        donePattern: /Signalman tested the token/,
        serviceRequest: { method: 'POST', path: '/auth/v1/tokens' },
        undetectable: ['done', 'absent'],
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
