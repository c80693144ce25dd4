import { channelInput, numberInput, selectInput, switchInput } from '../../../blocks/inputs.ts'
import { header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { literal } from '../../../blocks/text.ts'
import type { MayPost } from '../../../bot/replies/sharing.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { FieldErrors } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import type { Settings } from '../../../store/workspaces/settings.ts'
import {
  MOST_APPROVALS,
  MOST_HOURS,
  ORDER_POLICY,
  type OrderingRole,
  type OrderPolicy,
  REQUESTERS,
} from '../policy.ts'

const POLICY_FORM = 'cert-orders.policy'

const WHO: Readonly<Record<OrderingRole, string>> = {
  viewer: 'Every member of the workspace',
  operator: 'Operators',
  approver: 'Approvers',
}

export const policyModal = (policy: OrderPolicy): Modal => ({
  title: 'Certificate orders',
  form: { id: POLICY_FORM, submit: 'Save' },
  blocks: [
    section('Who approves orders is given in /hc access, with the role approver.'),
    selectInput(
      'requesters',
      'Who may ask for an order',
      REQUESTERS.map((value) => ({ label: WHO[value], value, chosen: value === policy.requesters })),
    ),
    numberInput('approvals', 'Approvals that an order needs', {
      initial: policy.approvals,
      min: 1,
      max: MOST_APPROVALS,
    }),
    switchInput('direct', 'Own orders', {
      says: 'An approver’s own order counts as approved by them',
      isOn: policy.direct,
    }),
    numberInput('expiry', 'Expires after, in hours', {
      initial: policy.expiryHours,
      min: 1,
      max: MOST_HOURS,
      hint: 'A request that nobody has decided on by then is not ordered. A week (168) is the longest.',
    }),
    numberInput('reminder', 'Reminder after, in hours', {
      initial: policy.reminderHours,
      min: 0,
      max: MOST_HOURS,
      hint: '0 for none.',
    }),
    channelInput('channel', 'Approvals channel', {
      initial: policy.channelId,
      optional: true,
      hint: 'Requests are shown there: invite Signalman to it. Without one, approvers are written to directly.',
    }),
  ],
})

export const policyForm = ({
  settings,
  mayPost,
}: {
  settings: Pick<Settings, 'get' | 'set'>
  mayPost: MayPost
}): Form<OrderPolicy, undefined> => ({
  id: POLICY_FORM,
  verb: '/cert-order policy',
  needs: 'admin',
  working: 'Saving…',
  read: readPolicy,
  async submit(ask, policy) {
    if (policy.channelId && (await mayPost(ask, policy.channelId)) === 'shared')
      throw new FieldErrors({ channel: SHARED })
    const before = await ask.keep('policy', () => settings.get(ask.workspaceId, ORDER_POLICY))
    const auditEvent = {
      verb: '/cert-order policy',
      object: 'rules for orders',
      before,
      after: policy,
      isRepeatable: true,
    }
    await ask.change(auditEvent, () => settings.set(ask.workspaceId, ORDER_POLICY, policy))
    return savedView(policy)
  },
})

const SHARED =
  'This channel is shared with another organization, and orders would be shown to everyone in it. Choose another, or let an admin allow it first in /hc access.'

function readPolicy(answers: Answers): OrderPolicy {
  const faults: Record<string, string> = {}
  const whole = (field: string, least: number, most: number): number => {
    const typed = answers.text(field) ?? ''
    const value = /^\d{1,6}$/.test(typed) ? Number(typed) : -1
    if (value < least || value > most) faults[field] = `A whole number from ${least} to ${most}.`
    return value
  }
  const requesters = REQUESTERS.find((role) => role === answers.choice('requesters'))
  if (!requesters) faults.requesters = 'Choose one of them.'
  const channelId = answers.conversation('channel')
  const policy: OrderPolicy = {
    requesters: requesters ?? 'approver',
    approvals: whole('approvals', 1, MOST_APPROVALS),
    direct: answers.choices('direct').includes('yes'),
    expiryHours: whole('expiry', 1, MOST_HOURS),
    reminderHours: whole('reminder', 0, MOST_HOURS),
    ...(channelId && { channelId }),
  }
  if (Object.keys(faults).length > 0) throw new FieldErrors(faults)
  return policy
}

function savedView({
  requesters,
  approvals,
  direct,
  expiryHours,
  reminderHours,
  channelId,
}: OrderPolicy): Message {
  const words = [
    `Who may ask: ${WHO[requesters].toLowerCase()}.`,
    `Approvals needed: ${approvals}.`,
    direct
      ? 'An approver’s own order counts as approved by them.'
      : 'Four eyes: nobody approves their own order.',
    `Expires after ${expiryHours} h; ${reminderHours > 0 ? `reminder after ${reminderHours} h` : 'no reminder'}.`,
    channelId
      ? 'Requests are shown in the approvals channel, once Signalman is in it.'
      : 'Requests are shown to approvers directly.',
    'This counts at once, for orders that wait too.',
  ].join('\n')
  return message(
    literal(`The rules for orders are saved.\n${words}`),
    header('The rules for orders are saved'),
    section(words),
  )
}
