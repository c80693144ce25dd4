import { clip, type Fact, joined, type Line, oneLine } from '@signalman/slack'
import { nameText, type RequestedName } from '../rules/csr/names.ts'
import { describeNote } from '../rules/csr/suspicious-names.ts'
import { firstRequester, type Order, type OrderContent } from '../rules/order.ts'
import { actionWords, fieldEntries } from '../rules/request-fields.ts'
import { type Judged, type Names, neededApprovals, type Shown } from '../rules/shown.ts'

const VALUE = 300
const REASON = 1000
const NAMES = 1500

export const displayName = (people: Names, userId: string): string => people.get(userId) ?? userId

type Sent = Pick<OrderContent, 'request' | 'csr' | 'names'>

/** Everything that is sent, with the contents of the CSR. */
export const sentFacts = (sent: Sent): Fact[] => clipEntries(sentEntries(sent))

type Entry = readonly [label: string, value: string | undefined]

const sentEntries = ({ request, csr, names }: Sent): Entry[] => [
  ['Kind', actionWords(request.action)?.kind ?? request.action],
  ['Subject', csr.subject || undefined],
  ['Alternative names', listed(csr.names, NAMES)],
  ['Key', csr.key],
  ['Signature', `${csr.signature}, verified`],
  ...fieldEntries(request, names),
]

/** The facts on a card. The details have the rest. */
export const cardFacts = (order: Order, shown: Shown): Fact[] => {
  const { content, state } = order
  const { people } = shown
  return [
    ...clipEntries([
      [
        'Names',
        listed(content.csr.names, CARD_NAMES, (name) => (name.kind === 'DNS' ? name.text : nameText(name))),
      ],
      ...sentEntries(content).filter(([label]) => ON_CARD.includes(label)),
    ]),
    ...approvalFacts(order, shown, people),
    ['Decide by', state === 'awaiting' ? new Date(content.expiresAt) : undefined],
    ...outcomeFacts(order, people),
  ]
}

const CARD_NAMES = 150
const ON_CARD = ['Key', 'Product', 'Certificate ID', 'Organization', 'Validation method']

/** Requester, decisions, and outcome. */
export const statusFacts = (order: Order, judged: Judged, people: Names): Fact[] => [
  ...askedFacts(order, people),
  ...approvalFacts(order, judged, people),
  ...outcomeFacts(order, people),
]

function askedFacts(order: Order, people: Names): Fact[] {
  const { state, content, requesterId, createdAt } = order
  const first = firstRequester(order)
  return [
    ['Requested by', [oneLine(displayName(people, first)), ', ', createdAt]],
    ['Handed over to', first === requesterId ? undefined : oneLine(displayName(people, requesterId))],
    ['Decide by', state === 'awaiting' ? new Date(content.expiresAt) : undefined],
  ]
}

/** Each approval with its time. */
function approvalFacts({ state, content }: Order, judged: Judged, people: Names): Fact[] {
  const by = content.approvals.map(
    (one): Line => [oneLine(displayName(people, one.by)), ' ', new Date(one.at)],
  )
  if (state !== 'awaiting') return [['Approved by', by.length > 0 ? joined(by) : undefined]]
  const count = `${by.length} of ${neededApprovals(judged)}`
  return [['Approvals', by.length > 0 ? joined([count, joined(by)], ': ') : count]]
}

/** What the policy says about a waiting order, one sentence each. */
export const policyWords = ({ judgement }: Judged, { content: { heldBecause } }: Order): string[] => [
  ...(judgement.is === 'deny' ? ['⛔ The order policy doesn’t allow this order.'] : []),
  ...(heldBecause ? [`It had the approvals that it needed, and now it needs more: ${heldBecause}`] : []),
  ...(judgement.because.join(' ') === heldBecause ? [] : judgement.because),
]

function outcomeFacts({ state, content, validUntil }: Order, people: Names): Fact[] {
  const { ending, outcome } = content
  const placed =
    outcome?.kind === 'placed' ? outcome.placed : outcome?.kind === 'failed' ? outcome.answered : undefined
  const saidBy = outcome && 'by' in outcome ? outcome.by : undefined
  const how = outcome?.kind === 'failed' ? outcome.how : undefined
  return [
    [
      state === 'withdrawn' ? 'Withdrawn by' : 'Rejected by',
      ending && (ending.by === undefined ? 'the order policy' : oneLine(displayName(people, ending.by))),
    ],
    ['Reason', ending?.reason && clip(oneLine(ending.reason), REASON)],
    ...clipEntries([
      ['Order at the service', placed?.id],
      ['Status at the service', placed?.status],
      ['Certificate', placed?.certificateId],
    ]),
    ['Valid until', validUntil],
    ['Reported by', saidBy ? oneLine(displayName(people, saidBy)) : undefined],
    ['How they know', how ? clip(oneLine(how), REASON) : undefined],
  ]
}

/** As many names as fit, and how many more there are. Doesn't visit the rest, which may be thousands. */
function listed(
  names: readonly RequestedName[],
  most: number,
  written: (name: RequestedName) => string = describeNote,
): string | undefined {
  if (names.length === 0) return undefined
  const shown: string[] = []
  let size = 0
  for (const name of names) {
    const flagged = written(name)
    size += flagged.length + 2
    if (size > most && shown.length > 0) break
    shown.push(flagged)
  }
  const left = names.length - shown.length
  return clip(oneLine(shown.join(', ')), most) + (left > 0 ? ` and ${left} more` : '')
}

const clipEntries = (entries: readonly Entry[]): Fact[] =>
  entries.map(([label, value]) => [
    label,
    value && clip(oneLine(value), label === 'Alternative names' ? NAMES + 20 : VALUE),
  ])
