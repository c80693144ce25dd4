import { clip, type Fact, joined, type Line, oneLine } from '@signalman/slack'
import { noted } from '../csr/suspicious-names.ts'
import { actionWords, fieldEntries } from '../forms/order-fields.ts'
import { neededApprovals } from '../lifecycle.ts'
import type { ChangeMade, Order, OrderContent } from '../order.ts'
import type { PolicyFor } from '../rules/rules.ts'
import type { Names, Shown } from '../shown-order.ts'

const VALUE = 300
const REASON = 1000
const NAMES = 1500

export const nameIn = (people: Names, userId: string): string => people.get(userId) ?? userId

type Sent = Pick<OrderContent, 'request' | 'csr' | 'names'>

/** Everything that is sent, the CSR by what it says. */
export const sentFacts = (sent: Sent): Fact[] => shortened(sentEntries(sent))

/** What differs between two orders, in full. */
export function differences(before: Sent, after: Sent): ChangeMade['fields'] {
  const were = new Map(sentEntries(before))
  return sentEntries(after).flatMap(([label, now = '']) => {
    const was = were.get(label) ?? ''
    return was === now ? [] : [{ label, before: was, after: now }]
  })
}

type Entry = readonly [label: string, value: string | undefined]

const sentEntries = ({ request, csr, names }: Sent): Entry[] => [
  ['Kind', actionWords(request.action)?.kind ?? request.action],
  ['Subject', csr.subject || undefined],
  ['Alternative names', listed(csr.names, NAMES)],
  ['Key', csr.key],
  ['Signature', `${csr.signature}, verified`],
  ...fieldEntries(request, names),
]

/** What a card has of an order: the rest is in its details. */
export const cardFacts = (order: Order, { policy, people }: Shown): Fact[] => {
  const { content, state } = order
  return [
    ...shortened([
      ['Names', listed(content.csr.names, CARD_NAMES, (name) => name.replace(/^DNS /, ''))],
      ...sentEntries(content).filter(([label]) => ON_CARD.includes(label)),
    ]),
    ...approvalFacts(order, policy, people),
    ['Decide by', state === 'awaiting' ? new Date(content.expiresAt) : undefined],
    ...outcomeFacts(order, people),
  ]
}

const CARD_NAMES = 150
const ON_CARD = ['Key', 'Product', 'Certificate id', 'Organization', 'Validation method']

/** Who asked, who decided what, and what the service made of it. */
export const standingFacts = (order: Order, policy: PolicyFor, people: Names): Fact[] => [
  ...askedFacts(order, people),
  ...approvalFacts(order, policy, people),
  ...outcomeFacts(order, people),
]

function askedFacts({ state, content, requesterId, createdAt }: Order, people: Names): Fact[] {
  const { follows, followedBy, expiresAt } = content
  return [
    ['Asked for by', [oneLine(nameIn(people, requesterId)), ', ', createdAt]],
    ['Decide by', state === 'awaiting' ? new Date(expiresAt) : undefined],
    ['Replaces order', follows === undefined ? undefined : String(follows)],
    ['Replaced by order', followedBy === undefined ? undefined : String(followedBy)],
  ]
}

/** Each approval with its time, and the rule that let it go. */
function approvalFacts({ state, content }: Order, policy: PolicyFor, people: Names): Fact[] {
  const { approvals, submission } = content
  const by = approvals.map((one): Line => [oneLine(nameIn(people, one.by)), ' ', new Date(one.at)])
  const isOpen = state === 'awaiting'
  const rule = isOpen ? undefined : submission?.rule
  const count = `${approvals.length} of ${neededApprovals(content, policy)}`
  return [
    isOpen
      ? ['Approvals', by.length > 0 ? joined([count, joined(by)], ': ') : count]
      : ['Approved by', by.length > 0 ? joined(by) : undefined],
    ['Deciding rule', rule && clip(oneLine(`${rule.text} (line ${rule.line})`), REASON)],
  ]
}

/** What the rules on content say of an order that waits. */
export const ruleWords = ({ rule, denied }: PolicyFor): string[] => [
  ...(denied === undefined ? [] : [`⛔ The rules deny this order: ${clip(oneLine(denied), REASON)}`]),
  ...(rule ? [`Deciding rule: ${clip(oneLine(`${rule.text} (line ${rule.line})`), REASON)}`] : []),
]

function outcomeFacts({ state, content }: Order, people: Names): Fact[] {
  const { ending, outcome } = content
  const placed = outcome?.kind === 'placed' ? outcome.placed : undefined
  const saidBy = outcome && 'by' in outcome ? outcome.by : undefined
  const how = outcome?.kind === 'failed' ? outcome.how : undefined
  return [
    [state === 'withdrawn' ? 'Withdrawn by' : 'Rejected by', ending && oneLine(nameIn(people, ending.by))],
    ['Reason', ending?.reason && clip(oneLine(ending.reason), REASON)],
    ...shortened([
      ['Order at the service', placed?.id],
      ['Status at the service', placed?.status],
      ['Certificate', placed?.certificateId],
    ]),
    ['Reported by', saidBy ? oneLine(nameIn(people, saidBy)) : undefined],
    ['How they know', how ? clip(oneLine(how), REASON) : undefined],
  ]
}

/** As many names as have room, and how many more; of thousands, none behind those is looked at. */
function listed(
  names: readonly string[],
  most: number,
  written: (name: string) => string = noted,
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

const shortened = (entries: readonly Entry[]): Fact[] =>
  entries.map(([label, value]) => [
    label,
    value && clip(oneLine(value), label === 'Alternative names' ? NAMES + 20 : VALUE),
  ])
