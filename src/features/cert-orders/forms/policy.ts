import { FieldErrors, TEXT_LIMITS, UserError } from '@signalman/runtime'
import {
  type Answers,
  card,
  channelInput,
  fileInput,
  LIMITS,
  type Message,
  numberInput,
  section,
  selectInput,
  switchInput,
  textInput,
} from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { MayPost } from '../../../bot/posts/may-post.ts'
import type { Messaging } from '../../../bot/routes/command-context.ts'
import { refuseSavedSince, type SettingShown } from '../../../bot/windows/window-states.ts'
import {
  MOST_APPROVALS,
  MOST_HOURS,
  ORDER_POLICY,
  type OrderingRole,
  type OrderPolicy,
  REQUESTERS,
} from '../policy.ts'
import { type ActivateRulesParts, offerRules, savePolicy } from '../rules/activate-rules.ts'
import { parseRules } from '../rules/rules.ts'
import { leaksIn } from './read-order.ts'

const WHO: Readonly<Record<OrderingRole, string>> = {
  viewer: 'Every member of the workspace',
  operator: 'Operators',
  approver: 'Approvers',
}

interface PolicyParts extends ActivateRulesParts {
  mayPost: MayPost
}

export const policyForm = form({
  id: 'cert-orders.policy',
  title: 'Certificate orders',
  button: 'Save',
  verb: '/cert-order policy',
  needs: 'admin',
  working: 'Saving…',
  asks: (_, policy: OrderPolicy) => ({
    about: policy as OrderPolicy | undefined,
    blocks: [
      section('Name the people who approve orders in /hc access, as approvers.'),
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
        hint: 'An order that nobody has decided on by then is not placed. At most 168, which is a week.',
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
      textInput('rules', 'Rules on content', {
        initial: (policy.rules ?? '').length <= LIMITS.inputValue ? policy.rules : undefined,
        multiline: true,
        optional: true,
        placeholder: 'deny "No wildcards here." if wildcard',
        hint: RULES_HINT,
      }),
      fileInput('rules-file', 'Rules as a file', {
        optional: true,
        types: ['txt'],
        hint: 'In place of the field above, and for more than it holds. /cert-order rules shows those that hold.',
      }),
    ],
  }),
  read: readPolicy,
  async submit(
    context,
    { policy: typed, rules, fileId },
    seen: OrderPolicy | undefined,
    { settings, mayPost, orders }: PolicyParts,
  ) {
    if (typed.channelId && (await mayPost(context, typed.channelId)) === 'shared')
      throw new FieldErrors({ channel: SHARED })
    const { workspaceId } = context
    const before = await context.keep('policy', () => settings.get(workspaceId, ORDER_POLICY))
    refuseSavedSince(seen, before, WINDOW)
    const wanted =
      fileId === undefined ? rules : await context.keep('rules', () => rulesFile(context, fileId))
    // Rules too long for the field were not shown in it: an empty field does not take them away.
    const isKept = wanted === undefined && (before.rules ?? '').length > LIMITS.inputValue
    const draft = isKept ? before.rules : wanted
    const policy = { ...typed, ...(before.rules !== undefined && { rules: before.rules }) }
    const what = { verb: '/cert-order policy', object: 'rules for orders' }
    await savePolicy(settings, context, what, before, policy)
    if ((draft ?? '') === (before.rules ?? '')) return savedView(policy)
    return offerRules({ settings, orders }, context, draft ?? '', savedWords(policy).join('\n'))
  },
})

const RULES_HINT =
  'One a line, the first that matches decides: deny "REASON" if …, approvals N if …, approve if …; conditions with commas between: action, product, organization, duration, environment, key, names under SUFFIX, any name under SUFFIX, wildcard, authority, noted; each with not in front. They are tried before they hold.'

interface FilledPolicy {
  policy: Omit<OrderPolicy, 'rules'>
  rules: string | undefined
  fileId: string | undefined
}

const SHARED =
  'This channel is shared with another organization, and orders would be shown to everyone in it. Choose another, or let an admin allow it first in /hc access.'

function readPolicy(answers: Answers): FilledPolicy {
  const faults = leaksIn(answers, ['rules'])
  const whole = (field: string, least: number, most: number): number => {
    const typed = answers.text(field) ?? ''
    const value = /^\d{1,6}$/.test(typed) ? Number(typed) : -1
    if (value < least || value > most) faults[field] = `A whole number from ${least} to ${most}.`
    return value
  }
  const requesters = REQUESTERS.find((role) => role === answers.choice('requesters'))
  if (!requesters) faults.requesters = 'Choose one of them.'
  const channelId = answers.conversation('channel')
  const [fileId] = answers.files('rules-file')
  const rules = answers.text('rules')
  const fault = faultWords(rules ?? '')
  if (fileId === undefined && fault && !faults.rules) faults.rules = fault
  const policy: FilledPolicy['policy'] = {
    requesters: requesters ?? 'approver',
    approvals: whole('approvals', 1, MOST_APPROVALS),
    direct: answers.choices('direct').includes('yes'),
    expiryHours: whole('expiry', 1, MOST_HOURS),
    reminderHours: whole('reminder', 0, MOST_HOURS),
    ...(channelId && { channelId }),
  }
  if (Object.keys(faults).length > 0) throw new FieldErrors(faults)
  return { policy, rules, fileId }
}

const savedView = (policy: OrderPolicy): Message =>
  card({ answer: 'The policy for orders is saved.', notes: savedWords(policy) })

const savedWords = (policy: OrderPolicy): string[] => [
  ...shownOf(policy).flatMap(([words]) => (words === RULES_WORDS ? [] : [words])),
  'This holds from now on, also for orders that are waiting.',
]

const RULES_WORDS = 'The rules on content have changed: /cert-order rules shows them.'

const shownOf = ({
  requesters,
  approvals,
  direct,
  expiryHours,
  reminderHours,
  channelId,
  rules,
}: OrderPolicy): SettingShown[] => [
  [`Who may ask: ${WHO[requesters].toLowerCase()}.`, requesters],
  [`Approvals needed: ${approvals}.`, approvals],
  [
    direct
      ? 'An approver’s own order counts as approved by them.'
      : 'Four eyes: nobody approves their own order.',
    direct,
  ],
  [
    `Expires after ${expiryHours} h; ${reminderHours > 0 ? `reminder after ${reminderHours} h` : 'no reminder'}.`,
    [expiryHours, reminderHours],
  ],
  [
    channelId
      ? 'Requests are shown in the approvals channel, once Signalman is in it.'
      : 'Requests are shown to approvers directly.',
    channelId,
  ],
  [RULES_WORDS, rules],
]

const WINDOW = { shown: shownOf, line: '/cert-order policy' }

const MOST_FAULTS = 5

/** What is wrong with a text of rules, each fault with its line; undefined when nothing is. */
function faultWords(text: string): string | undefined {
  const { faults } = parseRules(text)
  if (faults.length === 0) return undefined
  const shown = faults.slice(0, MOST_FAULTS).map(({ line, why }) => `Line ${line}: ${why}.`)
  const left = faults.length - shown.length
  return [...shown, ...(left > 0 ? [`And ${left} more.`] : [])].join(' ')
}

/** Rules that were uploaded. Throws UserError for what is none. */
async function rulesFile(context: Messaging, fileId: string): Promise<string> {
  const slack = await context.slack()
  const text = (await slack.download(fileId, TEXT_LIMITS.rulesBytes)).bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
  const fault = faultWords(text)
  if (fault)
    throw new UserError(`The file with the rules was not taken, and the rules that held still do. ${fault}`)
  return text
}
