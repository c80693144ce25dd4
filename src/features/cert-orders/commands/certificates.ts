import { DAY_MS, UserError } from '@signalman/runtime'
import { card, type Message } from '@signalman/slack'
import { slot } from '../../../bot/grammar/slots.ts'
import { id } from '../../../bot/grammar/vocabulary.ts'
import { sendFiles } from '../../../bot/posts/send-files.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { findPage, slicePage } from '../../../bot/views/list-page.ts'
import { cmd } from '../../../domain/command-names.ts'
import { BOM, csvText } from '../../../domain/csv.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { certificateForm } from '../forms/certificate.ts'
import { parseOrderNumber } from '../parse.ts'
import { findRenewal } from '../remind-certificates.ts'
import type { Certificate } from '../rules/certificate/certificate.ts'
import { COUNTS_WITHOUT_CERTIFICATE_MS } from '../rules/related.ts'
import { certificateView } from '../views/certificates.ts'
import {
  EXPIRING_FILE_HEADER,
  EXPIRING_PAGE_SIZE,
  type ExpiringFilters,
  expiringFileRow,
  expiringView,
  noteUndecryptable,
} from '../views/expiring.ts'

const LIST_ALL = { label: 'List certificates', line: '/cert-order list --expiring' }

/** The commands that record, show, attach, and end certificates. */
export function certificateCommands({ certificateService, orders }: CertOrderDeps): VerbDeclaration[] {
  const show = async (certificate: Certificate, { now }: Requester): Promise<Message> =>
    certificate.orderId === undefined
      ? certificateView(certificate, {
          now,
          order: undefined,
          match: await certificateService.matchStored(certificate),
        })
      : certificateView(certificate, { now, order: await orders.get(certificate.orderId) })
  const requireFingerprint = (fingerprint: string): string => {
    if (fingerprint !== '') return fingerprint
    throw new UserError(`Which certificate? Press a button in ${cmd('/cert-order')} list --expiring.`, [
      LIST_ALL,
      { label: 'Record one', line: '/cert-order certificate' },
    ])
  }

  return [
    {
      line: '/cert-order certificate',
      slots: [slot('fingerprint', 'text', { usage: 'FINGERPRINT' })],
      description: 'Record a certificate that was issued, or show a recorded one',
      needs: 'viewer',
      opensModal: true,
      async run(context, { values: { fingerprint } }) {
        if (fingerprint === undefined) return certificateForm.open(context.environment)
        return show(await certificateService.findOrThrow(context, fingerprint), context)
      },
    },
    {
      line: '/cert-order attach',
      slots: [id('fingerprint', 'FINGERPRINT'), slot('order', 'text', { usage: 'N', required: true })],
      description: 'Say which order a recorded certificate was issued for',
      needs: 'viewer',
      isAct: true,
      changesSomething: true,
      async run(context, { values: { fingerprint = '', order } }) {
        requireFingerprint(fingerprint)
        const attached = await certificateService.attach(
          context,
          fingerprint,
          parseOrderNumber(order, `attach ${fingerprint}`),
        )
        return show(attached, context)
      },
    },
    {
      line: '/cert-order not-needed',
      slots: [id('fingerprint', 'FINGERPRINT')],
      description: 'Stop the reminders about a certificate',
      needs: 'viewer',
      isAct: true,
      changesSomething: true,
      async run(context, { values: { fingerprint = '' } }) {
        return show(await certificateService.end(context, requireFingerprint(fingerprint)), context)
      },
    },
  ]
}

const SHOW_ENDED_FOR_MS = 30 * DAY_MS

type Lists = Pick<CertOrderDeps, 'certificates' | 'orders'>

/** Recorded certificates, those that end first on top. `until`: only those that end until then. */
export async function listExpiring(
  { certificates, orders }: Lists,
  context: Requester,
  filters: ExpiringFilters,
): Promise<Message> {
  const { workspaceId, environment, now } = context
  const since = new Date(now.getTime() - COUNTS_WITHOUT_CERTIFICATE_MS)
  const [page, ordersWithout] = await Promise.all([
    readExpiring(certificates, context, filters),
    certificates.countOrdersWithout({ workspaceId, environment, since }),
  ])
  const isFiltered = filters.name !== undefined || filters.until !== undefined
  const all = page.total === 0 && isFiltered ? await certificates.countByEnd(listedEnds(context)) : 0
  const rows = await Promise.all(
    page.certificates.map(async (certificate) => ({
      certificate,
      orderNumber: await findOrderNumber(orders, certificate),
      renewal: certificate.ended
        ? undefined
        : (await findRenewal({ orders, certificates }, certificate)).renewal,
    })),
  )
  return expiringView(rows, { ...filters, ...page, environment, now, ordersWithout, all })
}

/** Those that end later than a while ago. */
const listedEnds = ({ workspaceId, environment, now }: Requester, until?: Date) => ({
  workspaceId,
  environment,
  until,
  from: new Date(now.getTime() - SHOW_ENDED_FOR_MS),
})

const findOrderNumber = async (
  orders: Lists['orders'],
  { orderId }: Certificate,
): Promise<number | undefined> => (orderId === undefined ? undefined : (await orders.get(orderId))?.number)

/** The requested page, or the last one if there are fewer. */
async function readExpiring(
  certificates: Lists['certificates'],
  context: Requester,
  filters: ExpiringFilters,
) {
  const { name, until, page: requested = 1 } = filters
  const ends = listedEnds(context, until)
  if (name !== undefined) {
    const { found, ...result } = await searchByName(certificates, ends, name)
    const { items, ...page } = slicePage(found, requested, EXPIRING_PAGE_SIZE)
    return { ...result, ...page, certificates: items }
  }
  const { start, ...page } = findPage(await certificates.countByEnd(ends), requested, EXPIRING_PAGE_SIZE)
  return { ...(await certificates.pageByEnd({ ...ends, limit: EXPIRING_PAGE_SIZE, offset: start })), ...page }
}

const searchByName = (
  certificates: Lists['certificates'],
  ends: ReturnType<typeof listedEnds>,
  name = '',
  max?: number,
) => {
  const part = name.toLowerCase()
  const matches = ({ content }: Certificate): boolean =>
    [...content.names, content.subject].some((text) => text.toLowerCase().includes(part))
  return certificates.searchByEnd(ends, matches, max)
}

/** Sends the person every listed certificate as a CSV file, however many there are. */
export async function sendExpiringFile(
  { certificates, orders }: Lists,
  context: CommandContext,
  { name, until }: ExpiringFilters,
): Promise<Message> {
  const ends = listedEnds(context, until)
  const { found, undecryptableCount } = await searchByName(certificates, ends, name, Number.POSITIVE_INFINITY)
  const unread = undecryptableCount === 0 ? '' : ` ${noteUndecryptable(undecryptableCount)}`
  if (found.length === 0)
    throw new UserError(`No certificates match, so there’s no file to send.${unread}`, [LIST_ALL])
  const rows: string[][] = []
  for (const certificate of found)
    rows.push(expiringFileRow(certificate, await findOrderNumber(orders, certificate)))
  const body = Buffer.from(BOM + csvText([EXPIRING_FILE_HEADER, ...rows]))
  const file = `certificates-${context.now.toISOString().slice(0, 10)}.csv`
  const what = `${pluralize(found.length, 'certificate')} by expiry`
  await sendFiles(context, `${what}${environmentSuffix(context.environment)}.${unread}`, [
    { name: file, title: file, bytes: body.length, body },
  ])
  return card({ headline: `I sent you a DM with ${what}, as a file.` })
}
