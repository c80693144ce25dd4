import { clip, type Line, oneLine, textElement } from '@signalman/slack'
import { quoteService } from '../../../bot/request/explain.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { capitalize, pluralize } from '../../../domain/wording.ts'
import { listCertificateNames } from '../rules/host-names.ts'
import { getMainName, type Order, type OrderContent, type OrderOutcome } from '../rules/order.ts'
import { formatStatePredicate, STATE_TEXTS } from '../rules/order-states.ts'
import { formatAction } from '../rules/request-fields.ts'
import { type DisplayNames, hasForeignNames, type OrderDetails } from '../rules/review.ts'

const MAX_TITLE_LENGTH = 100
const MAX_REASON_LENGTH = 1000

/** The reader of a message about an order. Their rights are those when it was posted; each click is checked again. */
export interface Reader {
  isRequester?: boolean
  canApprove?: boolean
}

export const formatPerson = (people: DisplayNames, userId: string): string =>
  clip(oneLine(people.get(userId) ?? userId), MAX_TITLE_LENGTH)

/** `12 (OTE)` */
export const formatNumber = ({ number, environment }: Pick<Order, 'number' | 'environment'>): string =>
  `${number}${environmentSuffix(environment)}`

const MAX_WARNING_LENGTH = 300

/** The first warnings, one a line, and how many more there are. */
export const formatWarnings = (warnings: readonly string[], max: number): string[] => [
  ...warnings.slice(0, max).map((warning) => `⚠️ ${clip(oneLine(warning), MAX_WARNING_LENGTH)}`),
  ...(warnings.length > max ? [`⚠️ And ${pluralize(warnings.length - max, 'more warning')}.`] : []),
]

/** Only of the request itself: nobody has compared it with what is ordered. */
export const NOTHING_UNUSUAL = '✅ Nothing unusual in the CSR.'

/** The headline of a message about an order, also used for its notification: the state, or what the reader is asked to do. */
export function formatOrderHeadline(order: Order, details: OrderDetails, reader: Reader): Line {
  const { people } = details
  const { state, content, requesterId } = order
  if (state === 'awaiting' && reader.canApprove)
    return [
      textElement(
        hasForeignNames(order, details)
          ? `Order ${formatNumber(order)} can’t be approved.`
          : `Approve order ${formatNumber(order)}?`,
      ),
      ` ${formatOrderName(order)}, ${clip(oneLine(content.request.duration), MAX_TITLE_LENGTH)}`,
      `, requested by ${formatPerson(people, requesterId)} `,
      order.createdAt,
    ]
  const [sentence = '', name = ''] = formatState(order, reader)
  const end = describeEnd(order, people)
  return state === 'received' ? [sentence, ...end, name] : [sentence, name, ...end]
}

/** `🟡 Order 12 is waiting for approval · shop.example.com`. */
export function formatState(order: Order, { isRequester }: Reader): Line[] {
  const name = `${isRequester ? 'your order' : 'order'} ${formatNumber(order)}`
  const sentence =
    order.state === 'unknown'
      ? `It’s unknown whether the service has ${name}`
      : `${capitalize(name)} ${formatStatePredicate(order.state)}`
  return [textElement(`${STATE_TEXTS[order.state].emoji} ${sentence}`), ` · ${formatCertificateName(order)}`]
}

function describeEnd({ state, content: { outcome, rejection } }: Order, people: DisplayNames): string[] {
  if (state === 'received' && outcome?.kind === 'received') {
    // Some services have IDs of hundreds of digits.
    const id = outcome.answered.id && clip(oneLine(outcome.answered.id), MAX_REASON_LENGTH)
    return id ? [` · service order ${id}`] : []
  }
  if (!rejection) return []
  const reason = clip(oneLine(rejection.reason), MAX_REASON_LENGTH)
  return [` · by ${formatPerson(people, rejection.by)}: ${reason}`]
}

/** `New certificate for shop.example.com and 4 more names`. */
export const formatOrderName = (order: Order): string =>
  `${formatAction(order.content.request)} for ${formatCertificateName(order)}`

/** `shop.example.com and 4 more names`. */
export function formatCertificateName({ content: { csr } }: { content: Pick<OrderContent, 'csr'> }): string {
  const name = clip(oneLine(getMainName(csr) || 'a certificate without a name'), MAX_TITLE_LENGTH)
  const more = listCertificateNames(csr).length - 1
  return more > 0 ? `${name} and ${pluralize(more, 'more name')}` : name
}

const UNKNOWN_OUTCOME_ADVICE =
  'Signalman sends an order at most once and never resends it automatically. Look for its names among your orders at the service, or ask the service’s support. Then an approver records here what was found.'

export function describeOutcome({ state, content: { outcome } }: Order, people: DisplayNames): string[] {
  if (!outcome) return []
  const isOpen = state === 'unknown'
  return [
    ...(outcome.kind === 'received'
      ? []
      : [
          [outcome.why, ...quoteService(outcome.said), ...(isOpen ? [UNKNOWN_OUTCOME_ADVICE] : [])].join(
            '\n',
          ),
        ]),
    ...describeCorrection(outcome, people),
  ]
}

/** That the service's answer arrived after a person had recorded another outcome. */
export function describeCorrection(outcome: OrderOutcome | undefined, people: DisplayNames): string[] {
  if (!outcome || outcome.kind === 'unknown' || !outcome.corrects) return []
  const { by, said } = outcome.corrects
  const isReceived = outcome.kind === 'received'
  const advice =
    said === 'failed' && isReceived ? ' If it was requested again, cancel one of them there.' : ''
  return [
    `✏️ ${formatPerson(people, by)} had recorded that ${RECORDED[said]}. The service has since ${isReceived ? 'given it an ID' : 'refused it'}.${advice}`,
  ]
}

const RECORDED = { received: 'the service has it', failed: 'it failed' } as const
