import { DAY_MS, formatElapsed } from '@signalman/runtime'
import {
  clip,
  commandButton,
  commandMenu,
  lineElements,
  literal,
  type Message,
  mrkdwnSection,
  oneLine,
} from '@signalman/slack'
import type { Button, KnownBlock, RichTextElement } from '@slack/types'
import { describePage, listPage, neighborPages } from '../../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import { formatListCommand } from '../parse.ts'
import type { Certificate } from '../rules/certificate/certificate.ts'
import type { Order } from '../rules/order.ts'
import { STATE_TEXTS } from '../rules/order-states.ts'
import {
  certificateButton,
  certificateTitle,
  ENDED_TEXTS,
  MAX_TITLE_LENGTH,
  renewLine,
  showLine,
} from './certificates.ts'

export const EXPIRING_PAGE_SIZE = 15

/** One row of the list by expiry. */
export interface ExpiringRow {
  certificate: Certificate
  orderNumber: number | undefined
  renewal: Order | undefined
}

/** Which certificates are listed by expiry. */
export interface ExpiringFilters {
  /** Part of a name or of the subject. */
  name?: string | undefined
  /** Only those that end until then. */
  until?: Date | undefined
  /** The same as typed, to show the list again. */
  typed?: { days?: number | undefined; period?: string | undefined }
  page?: number | undefined
}

interface ExpiringPage extends ExpiringFilters {
  environment: Environment
  now: Date
  page: number
  pages: number
  /** How many there are on all pages. */
  total: number
  /** How many on this page, or of those searched, can't be decrypted. */
  undecryptableCount: number
  /** How many certificates were searched; undefined if all were. */
  searchedCount?: number
  /** Received orders that have no certificate. */
  ordersWithout: number
  /** For an empty list: how many certificates there are without the filters. */
  all: number
}

/** A page of recorded certificates, those that end first on top. */
export function expiringView(rows: readonly ExpiringRow[], list: ExpiringPage): Message {
  const { environment, now, all, name, typed, page, pages, total } = list
  const { length } = rows
  const formatLine = (number: number): string =>
    formatListCommand({ environment, expiring: true, name, ...typed, page: number })
  return listPage({
    title:
      length > 0 ? `${pluralize(pages > 1 ? total : length, 'certificate')} by expiry` : describeNone(list),
    environment,
    subtitle: describeFilters(list, describePage(page, pages)),
    rows: rows.flatMap((row) => expiringRow(row, now)),
    notes: listNotes(list),
    ...neighborPages({ page, pages }, formatLine),
    refreshLine: formatLine(page),
    openMenu:
      length === 0
        ? []
        : [
            commandMenu(
              'Open a certificate…',
              rows.map(({ certificate }) => ({
                label: certificateTitle(certificate),
                value: showLine(certificate),
              })),
              { inPlace: false },
            ),
          ],
    controls: [
      ...(all > 0
        ? [
            commandButton(
              all === 1 ? 'The only certificate' : `All ${formatCount(all)} certificates`,
              formatListCommand({ environment, expiring: true }),
            ),
          ]
        : []),
      ...(pages > 1
        ? [
            commandButton(`All ${formatCount(total)} as a file`, `${formatLine(1)} --export`, {
              inPlace: false,
            }),
          ]
        : []),
      commandButton('Record certificate', `/cert-order certificate --env ${environment}`),
    ],
    now,
  })
}

/** The title of an empty list. Others may match if not all could be searched. */
function describeNone({ all, undecryptableCount, searchedCount }: ExpiringPage): string {
  if (all === 0) return 'No certificates to list'
  if (undecryptableCount > 0 || searchedCount !== undefined) return 'No matching certificate found'
  return all > 1 ? `None of ${formatCount(all)} certificates matches` : 'No certificate matches'
}

/** `page 1 of 3 · name shop · ending until Dec 26` */
function describeFilters(
  { name, until }: ExpiringFilters,
  prefix: string | false,
): string | readonly [string, ...RichTextElement[]] {
  const parts = [prefix, name !== undefined && `name ${clip(oneLine(name), MAX_TITLE_LENGTH)}`].filter(
    Boolean,
  )
  return until ? [[...parts, 'ending until '].join(' · '), ...lineElements([until])] : parts.join(' · ')
}

export const noteUndecryptable = (count: number): string =>
  `Left out: ${pluralize(count, 'certificate')} that can’t be decrypted.`

const listNotes = ({ undecryptableCount, searchedCount, ordersWithout }: ExpiringPage): string[] => [
  ...(undecryptableCount === 0 ? [] : [noteUndecryptable(undecryptableCount)]),
  ...(searchedCount === undefined
    ? []
    : [`Only the ${formatCount(searchedCount)} certificates that end first were searched.`]),
  ...(ordersWithout === 0
    ? []
    : [
        `${pluralize(ordersWithout, 'received order')} ${ordersWithout === 1 ? 'has' : 'have'} no recorded certificate.`,
      ]),
  'Only certificates that somebody recorded are listed, for 30 days after their end. The service has no list of them.',
]

function expiringRow({ certificate, orderNumber, renewal }: ExpiringRow, now: Date): KnownBlock[] {
  const { ended, notAfter, serviceId, environment } = certificate
  const sign = getSign(certificate, now)
  const status = renewal
    ? `renewal ${renewal.number}: ${STATE_TEXTS[renewal.state].name.toLowerCase()}`
    : [
        orderNumber === undefined ? '' : `order ${orderNumber}`,
        clip(oneLine(serviceId ?? ''), MAX_TITLE_LENGTH),
      ]
        .filter(Boolean)
        .join(' · ')
  const when =
    notAfter < now ? `ended ${formatElapsed(notAfter, now)} ago` : `in ${formatElapsed(now, notAfter)}`
  const name = literal(certificateTitle(certificate))
  const rest = [...(ended ? [ENDED_TEXTS[ended]] : []), ...(status ? [status] : [])].map(
    (text) => ` · ${literal(text)}`,
  )
  return [
    mrkdwnSection(
      `${sign}${when} · ${name}${environmentSuffix(environment)}${rest.join('')}`,
      rowButton(certificate, renewal),
    ),
  ]
}

/** The next step: renewing it, or the renewal. The menu below opens every certificate. */
function rowButton(certificate: Certificate, renewal: Order | undefined): Button | undefined {
  if (certificate.ended) return undefined
  return renewal
    ? commandButton('Show', `/cert-order show ${renewal.number} --env ${renewal.environment}`, {
        accessibilityLabel: `Show order ${renewal.number}`,
      })
    : certificateButton('Renew', renewLine(certificate), certificate)
}

const SOON_MS = 30 * DAY_MS

function getSign({ ended, notAfter }: Certificate, now: Date): string {
  if (ended) return ''
  if (notAfter < now) return '⛔ '
  return notAfter.getTime() - now.getTime() < SOON_MS ? '⚠️ ' : ''
}

export const EXPIRING_FILE_HEADER = [
  'Ends',
  'Names',
  'Status',
  'Order',
  'ID at the service',
  'Subject',
  'Issuer',
  'Serial number',
  'SHA-256',
]

/** A certificate's row in the file, with everything in full. */
export const expiringFileRow = (
  { notAfter, ended, serviceId, sha256, content }: Certificate,
  orderNumber: number | undefined,
): string[] => [
  notAfter.toISOString(),
  content.names.join(' '),
  ended ? ENDED_TEXTS[ended] : '',
  orderNumber === undefined ? '' : String(orderNumber),
  serviceId ?? '',
  content.subject,
  content.issuer,
  content.serial,
  sha256,
]
