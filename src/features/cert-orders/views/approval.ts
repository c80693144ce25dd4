import {
  clip,
  context,
  divider,
  expandedSection,
  header,
  LIMITS,
  type Line,
  lines,
  oneLine,
  section,
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { type Entry, fitInWindow, formatSections, makeVisible, WARNING } from '../rules/entries.ts'
import { listCertificateNames } from '../rules/host-names.ts'
import type { Order } from '../rules/order.ts'
import { formatAction, listFieldValues } from '../rules/request-fields.ts'
import { listReviewNotes, type OrderDetails } from '../rules/review.ts'
import { listOrderEntries } from './entries.ts'
import { formatPerson, NOTHING_UNUSUAL } from './words.ts'

const MAX_NAMES = 10
const MAX_VALUE_LENGTH = 255

/**
 * What the approval window shows: what is decided on, as headers and in one line, with the warnings; below it, every value that is sent,
 * in full, which Slack may fold behind **See more**. Undefined if that doesn't fit in one window.
 */
export function buildApproval(order: Order, details: OrderDetails): KnownBlock[] | undefined {
  const entries = listOrderEntries(order)
  if (!fitInWindow(entries)) return undefined
  const isWarning = ({ label }: Entry): boolean => label === WARNING
  const { csr } = order.content
  const notes = listReviewNotes(order, details)
  const names = listCertificateNames(csr)
  const headers = names.slice(0, MAX_NAMES).map((name): KnownBlock => {
    const text = clip(makeVisible(name.text), MAX_VALUE_LENGTH)
    return text.length <= LIMITS.headerText ? header(text) : lines([textElement(text, { bold: true })])
  })
  return [
    ...(details.environmentLabel ? [context(details.environmentLabel)] : []),
    ...headers,
    lines(
      ...(names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more names`] : []),
      summarize(order, details),
      ...(notes.length > 0 || csr.warnings.length > 0 ? notes : [NOTHING_UNUSUAL]),
    ),
    ...formatSections(entries.filter(isWarning)).map(expandedSection),
    divider(),
    ...formatSections(entries.filter((entry) => !isWarning(entry))).map((text) => section(text)),
  ]
}

/** `Renewal of C-9 · Domain validated (101) · 1 year · requested by Ann, 5 minutes ago` */
function summarize({ content, requesterId, createdAt }: Order, { people }: OrderDetails): Line {
  const { request } = content
  const products = listFieldValues(content, ['product']).map(([, product]) => product ?? '')
  const about = request.certificateId === undefined ? '' : ` of ${request.certificateId}`
  const texts = [`${formatAction(request)}${about}`, ...products, request.duration]
  const shown = texts.filter(Boolean).map((text) => clip(oneLine(text), MAX_VALUE_LENGTH))
  return [`${shown.join(' · ')} · requested by ${formatPerson(people, requesterId)}, `, createdAt]
}
