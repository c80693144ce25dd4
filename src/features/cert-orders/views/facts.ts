import { clip, type Fact, joinLines, type Line, oneLine } from '@signalman/slack'
import { formatName, type RequestedName } from '../rules/csr/names.ts'
import { describeName } from '../rules/csr/suspicious-names.ts'
import { countNeededApprovals, type PolicyJudgment } from '../rules/judge.ts'
import {
  getFirstRequester,
  getMainName,
  type Order,
  type OrderContent,
  type OrderOutcome,
} from '../rules/order.ts'
import {
  type ComparedJudgment,
  type DisplayNames,
  listCountedApprovals,
  type OrderDetails,
} from '../rules/order-details.ts'
import { getActionTexts, listFieldValues } from '../rules/request-fields.ts'
import { quoteStatus } from './answer.ts'

const MAX_VALUE_LENGTH = 300
const MAX_REASON_LENGTH = 1000
const MAX_NAMES_LENGTH = 1500

export const getDisplayName = (people: DisplayNames, userId: string): string => people.get(userId) ?? userId

type SentFields = Pick<OrderContent, 'request' | 'csr' | 'names'>

/** Everything that is sent, including the contents of the CSR. */
export const sentFacts = (sent: SentFields): Fact[] => clipEntries(sentEntries(sent))

type LabeledValue = readonly [label: string, value: string | undefined]

const sentEntries = ({ request, csr, names }: SentFields): LabeledValue[] => [
  ['Kind', getActionTexts(request.action)?.kind ?? request.action],
  ['Subject', csr.subject || undefined],
  ['Alternative names', joinNames(csr.names, MAX_NAMES_LENGTH)],
  ['Key', csr.key],
  ['Signature', `${csr.signature}, verified`],
  ...listFieldValues(request, names),
]

const SHARED_FIELDS = ['Kind', 'Key', 'Product', 'Duration']

/** The facts for a channel that anyone may read. */
export const sharedFacts = ({ state, content }: Order): Fact[] => [
  ...clipEntries([
    ['Names', joinNames(content.csr.names, MAX_CARD_NAMES_LENGTH)],
    ...sentEntries(content).filter(([label]) => SHARED_FIELDS.includes(label)),
  ]),
  ['Decide by', state === 'awaiting' ? new Date(content.expiresAt) : undefined],
]

/** The most important facts, for a card. Leaves out what the headline says, and what people read only in the window or the details. */
export const cardFacts = (order: Order, details: OrderDetails): Fact[] => {
  const { content, state } = order
  const { people } = details
  return [
    ...clipEntries([
      ['Names', isInHeadline(content.csr) ? undefined : joinCardNames(content.csr.names)],
      ...sentEntries(content).filter(([label]) => CARD_FIELDS.includes(label)),
    ]),
    ...approvalFacts(order, details, people),
    ['Decide by', state === 'awaiting' ? new Date(content.expiresAt) : undefined],
    ...outcomeFacts(order, people),
  ]
}

const MAX_CARD_NAMES_LENGTH = 150
const CARD_FIELDS = ['Product', 'Certificate ID', 'Organization']

/** Whether the headline has the only name. */
const isInHeadline = (csr: OrderContent['csr']): boolean =>
  csr.names.length === 1 && csr.names[0]?.text === getMainName(csr)

const joinCardNames = (names: readonly RequestedName[]): string | undefined =>
  joinNames(names, MAX_CARD_NAMES_LENGTH, (name) => (name.kind === 'DNS' ? name.text : formatName(name)))

/** Requester, decisions, and outcome. */
export const statusFacts = (order: Order, policyJudgment: ComparedJudgment, people: DisplayNames): Fact[] => [
  ...requestFacts(order, people),
  ...approvalFacts(order, policyJudgment, people),
  ...outcomeFacts(order, people),
]

function requestFacts(order: Order, people: DisplayNames): Fact[] {
  const { state, content, requesterId, createdAt } = order
  const first = getFirstRequester(order)
  return [
    ['Requested by', [oneLine(getDisplayName(people, first)), ', ', createdAt]],
    ['Handed over to', first === requesterId ? undefined : oneLine(getDisplayName(people, requesterId))],
    ['Decide by', state === 'awaiting' ? new Date(content.expiresAt) : undefined],
  ]
}

/** Each approval with its time. */
function approvalFacts(order: Order, policyJudgment: ComparedJudgment, people: DisplayNames): Fact[] {
  const { state, content } = order
  const approvals =
    state === 'awaiting' ? listCountedApprovals(order, policyJudgment.comparison) : content.approvals
  const approvers = approvals.map(
    (approval): Line => [oneLine(getDisplayName(people, approval.by)), ' ', new Date(approval.at)],
  )
  if (state !== 'awaiting') return [['Approved by', approvers.length > 0 ? joinLines(approvers) : undefined]]
  const count = `${approvers.length} of ${countNeededApprovals(policyJudgment)}`
  return [['Approvals', approvers.length > 0 ? joinLines([count, joinLines(approvers)], ': ') : count]]
}

/** What the policy says about an order that awaits approval, one sentence each. */
export const describePolicyResult = (
  { judgment }: PolicyJudgment,
  { content: { heldBecause } }: Order,
): string[] => [
  ...(judgment.decision === 'deny' ? ['⛔ The order policy doesn’t allow this order.'] : []),
  ...(heldBecause ? [`It had enough approvals, but now it needs more: ${heldBecause}`] : []),
  ...(judgment.reasons.join(' ') === heldBecause ? [] : judgment.reasons),
]

function outcomeFacts({ state, content }: Order, people: DisplayNames): Fact[] {
  const { ending, outcome } = content
  const recordedBy = outcome && 'by' in outcome ? outcome.by : undefined
  const how = outcome?.kind === 'failed' ? outcome.how : undefined
  return [
    [
      state === 'withdrawn' ? 'Withdrawn by' : 'Rejected by',
      ending && (ending.by === undefined ? 'the order policy' : oneLine(getDisplayName(people, ending.by))),
    ],
    ['Reason', ending?.reason && clip(oneLine(ending.reason), MAX_REASON_LENGTH)],
    ...clipEntries(answerEntries(state, outcome)),
    ['Reported by', recordedBy ? oneLine(getDisplayName(people, recordedBy)) : undefined],
    ['How they know', how ? clip(oneLine(how), MAX_REASON_LENGTH) : undefined],
  ]
}

/** The service's answer. Leaves out what the headline of a received order quotes. */
function answerEntries(state: Order['state'], outcome: OrderOutcome | undefined): LabeledValue[] {
  const answered = outcome?.answered
  const isQuoted = state === 'received' && outcome?.kind === 'received' && Boolean(answered?.id)
  const status = quoteStatus(answered)
  const isStatusQuoted = isQuoted && outcome.by === undefined && status === quoteStatus(answered, 1)
  return [
    ['Service order ID', isQuoted ? undefined : answered?.id],
    ['The service said', isStatusQuoted ? undefined : status],
  ]
}

/** Joins the names that fit, and counts the rest. Formats only those that fit, because there may be thousands. */
function joinNames(
  names: readonly RequestedName[],
  maxLength: number,
  format: (name: RequestedName) => string = describeName,
): string | undefined {
  if (names.length === 0) return undefined
  const shown: string[] = []
  let size = 0
  for (const name of names) {
    const text = format(name)
    size += text.length + 2
    if (size > maxLength && shown.length > 0) break
    shown.push(text)
  }
  const remaining = names.length - shown.length
  return clip(oneLine(shown.join(', ')), maxLength) + (remaining > 0 ? ` and ${remaining} more` : '')
}

/** `joinNames` already clips the names, and then says how many more there are, so they may be a little longer here. */
const clipEntries = (entries: readonly LabeledValue[]): Fact[] =>
  entries.map(([label, value]) => [
    label,
    value && clip(oneLine(value), label === 'Alternative names' ? MAX_NAMES_LENGTH + 20 : MAX_VALUE_LENGTH),
  ])
