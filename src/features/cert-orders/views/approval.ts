import {
  clip,
  commandButton,
  context,
  divider,
  expandedSection,
  header,
  LIMITS,
  type Line,
  lines,
  lineText,
  mrkdwnSection,
  oneLine,
  section,
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { pluralize } from '../../../domain/wording.ts'
import { listCertificateNames } from '../rules/host-names.ts'
import { countNeededApprovals, describeUnusual } from '../rules/judge.ts'
import { getFirstRequester, type Order } from '../rules/order.ts'
import { type DisplayNames, listCountedApprovals, type OrderDetails } from '../rules/order-details.ts'
import { STATE_TEXTS } from '../rules/order-states.ts'
import { type Entry, formatSections, MODAL_PAGE, makeVisible, splitIntoPages } from '../rules/pages.ts'
import { MAX_RELATED, type Relation } from '../rules/related.ts'
import { getActionTexts, listFieldValues } from '../rules/request-fields.ts'
import { listChanges, questionProduct } from './comparison.ts'
import { getDisplayName } from './facts.ts'
import { describeJudgment } from './messages.ts'
import { describeLongestDuration, listSentEntries, listUnusualEntries } from './request.ts'

interface ApprovalPages {
  /** What is decided on, above the first page: the names, the request in one line, warnings, and changes. */
  head: KnownBlock[]
  /** Every value that is sent and that the head doesn't show in full. */
  pages: string[][]
}

/** The content of the approval window. `orderAfter`: the order as it would be after this approval. */
export function buildApproval(order: Order, orderAfter: Order, details: OrderDetails): ApprovalPages {
  const { previousOrder } = details.comparison
  const names = listShownNames(order)
  const summary = summarizeRequest(order)
  const unusual = fitInHead(listUnusualEntries(order.content.csr))
  const changes = fitInHead(previousOrder ? listChanges(order, previousOrder) : [])
  const isShown = new Set([...names.shownEntries, ...summary.shownEntries])
  const values = listSentEntries(order).flatMap(({ label, values }): Entry[] => {
    const isRest = (value: string): boolean => !isShown.has(`${label}: ${value}`)
    if (values.every(isRest)) return [{ label, values }]
    return values.flatMap((value, index) =>
      isRest(value) ? [{ label: `${label} ${index + 1} of ${values.length}`, values: [value] }] : [],
    )
  })
  const remarks = [...describeJudgment(order, details), ...questionProduct(order)]
  const related = relatedBlocks(order, details)
  const hasWarnings = related.length > 0 || remarks.some((remark) => remark.startsWith('⚠️'))
  const pages = splitIntoPages([...unusual.forPages, ...changes.forPages, ...values], MODAL_PAGE)
  return {
    head: [
      ...names.blocks,
      lines(
        [...summary.line, ` · asked by ${nameRequester(order, details.people)}, `, order.createdAt],
        ...remarks,
      ),
      ...unusual.forHead,
      ...related,
      ...noteBlocks(order, orderAfter, details, hasWarnings),
      ...changes.forHead,
      divider(),
    ],
    pages,
  }
}

/** What happens if this person approves. */
export function describeEffect({ state, content }: Order, details: OrderDetails): string {
  if (state === 'submitting') return 'If you approve, it’s sent once, exactly as shown.'
  const { length } = content.approvals
  const needed = countNeededApprovals(details)
  return `If you approve, it has ${length} of ${needed} approvals and needs ${needed - length} more.`
}

const nameRequester = (order: Order, people: DisplayNames): string =>
  oneLine(getDisplayName(people, getFirstRequester(order)))

const MAX_NAMES = 10
const MAX_NAME_LENGTH = 255

/** The names as headers, and which entries of the order they show in full. The pages have the other names. */
function listShownNames({ content: { csr } }: Order) {
  const names = listCertificateNames(csr)
  const more = names.length - MAX_NAMES
  const blocks = names.slice(0, MAX_NAMES).map((name): KnownBlock => {
    const text = clip(makeVisible(name.text), MAX_NAME_LENGTH)
    return text.length <= LIMITS.headerText ? header(text) : lines([textElement(text, { bold: true })])
  })
  // An unrecognized name is repeated with its kind, because its text could imitate another kind.
  const exact = names.slice(0, MAX_NAMES).filter(({ kind, text }) => kind !== 'unrecognized' && isExact(text))
  return {
    blocks: more > 0 ? [...blocks, context(`and ${more} more`)] : blocks,
    shownEntries: exact.map(({ kind, text }) => `Name: ${kind === 'host' ? 'DNS ' : ''}${text}`),
  }
}

/** Whether a line shows this text in full. */
const isExact = (text: string): boolean =>
  text.length <= MAX_NAME_LENGTH && oneLine(text) === text && makeVisible(text) === text

/** `Renewal of C-9 · Domain validated (101) · 1 year`, and which entries of the order it shows in full. */
function summarizeRequest({ content: { request, names } }: Order) {
  const values = new Map(listFieldValues(request, names))
  const kind = getActionTexts(request.action)?.kind
  const { certificateId } = request
  const about = certificateId === undefined ? '' : ` of ${certificateId}`
  const texts = [`${kind ?? request.action}${about}`, values.get('Product') ?? '', request.duration]
  const shown = [
    ['Certificate ID', certificateId],
    ['Product', values.get('Product')],
    ['Duration', request.duration],
  ] as const
  return {
    line: [
      texts
        .map((text) => clip(oneLine(text), MAX_NAME_LENGTH + 20))
        .filter(Boolean)
        .join(' · '),
    ],
    shownEntries: [
      ...(kind ? [`Action: ${request.action}`] : []),
      ...shown.flatMap(([label, value]) =>
        value !== undefined && isExact(value) ? [`${label}: ${value}`] : [],
      ),
    ],
  }
}

const MAX_HEAD_LENGTH = 1500

/** Shows entries above the first page if they are few, and otherwise on the pages. */
function fitInHead(entries: readonly Entry[]): { forHead: KnownBlock[]; forPages: readonly Entry[] } {
  const sections = [...formatSections(entries)]
  const isShort = sections.length <= 1 && sections.every((text) => text.length <= MAX_HEAD_LENGTH)
  return isShort
    ? { forHead: sections.map(expandedSection), forPages: [] }
    : { forHead: [], forPages: entries }
}

const RELATION_TEXTS: Readonly<Record<Relation, string>> = {
  CSR: 'has the same CSR',
  key: 'has the same key',
  'same names': 'has the same names',
  'some names': 'has some of the names',
}

/** The orders that touch the key or the names, each with a button. The changes already compare the renewed order. */
function relatedBlocks(order: Order, { comparison, people }: OrderDetails): KnownBlock[] {
  const { previousOrder, related } = comparison
  const others = related.filter(
    (other) => other.relation === 'CSR' || other.order.number !== previousOrder?.number,
  )
  const more = others.length - MAX_RELATED
  return [
    ...others.slice(0, MAX_RELATED).map(({ order: other, relation }) => {
      const state = STATE_TEXTS[other.state].name.toLowerCase()
      const text: Line = [
        `⚠️ Order ${other.number} (${nameRequester(other, people)}, ${state}, `,
        other.receivedAt ?? other.createdAt,
        `) ${RELATION_TEXTS[relation]}`,
      ]
      return mrkdwnSection(
        lineText(text),
        commandButton('Show', `/cert-order show ${other.number} --env ${order.environment}`, {
          accessibilityLabel: `Show order ${other.number}`,
        }),
      )
    }),
    ...(more > 0 ? [section(`⚠️ And ${pluralize(more, 'more order')} with its key or its names.`)] : []),
  ]
}

/** What isn't a warning: the duration, and approvals that don't count. */
function noteBlocks(
  order: Order,
  orderAfter: Order,
  details: OrderDetails,
  hasWarnings: boolean,
): KnownBlock[] {
  const duration = describeLongestDuration(order.content, details.now)
  const notes: Line[] = [
    ...(duration === undefined ? [] : [duration]),
    ...(duration === undefined && !hasWarnings && describeUnusual(order.content).length === 0
      ? ['✅ Nothing unusual in the request.']
      : []),
    ...describeInvalidApprovals(order, orderAfter, details),
  ]
  return notes.length > 0 ? [lines(...notes)] : []
}

/** Says which earlier approvals no longer count, and why. */
function describeInvalidApprovals(
  order: Order,
  orderAfter: Order,
  { people, comparison }: OrderDetails,
): string[] {
  const countedApprovers = new Set(orderAfter.content.approvals.map(({ by }) => by))
  const current = listCountedApprovals(order, comparison)
  const notCounted = order.content.approvals.filter(({ by }) => !countedApprovers.has(by))
  const describe = (why: string, approvals: typeof notCounted): string[] =>
    approvals.length > 0
      ? [`${why} ${approvals.map(({ by }) => oneLine(getDisplayName(people, by))).join(', ')}.`]
      : []
  return [
    ...describe(
      'Approvals given before another order for its key or its names was sent, or ended, don’t count:',
      notCounted.filter((approval) => !current.includes(approval)),
    ),
    ...describe(
      'Approvals by people who can no longer approve this order don’t count:',
      notCounted.filter((approval) => current.includes(approval)),
    ),
  ]
}
