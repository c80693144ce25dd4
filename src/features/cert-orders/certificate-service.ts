import { UserError } from '@signalman/runtime'
import type { Environment } from '../../domain/environment.ts'
import type { OrderService } from './order-service.ts'
import type { Certificates } from './rows/certificates.ts'
import {
  type Certificate,
  type CertificateEnd,
  formatCertificateTitle,
  getFingerprint,
} from './rules/certificate/certificate.ts'
import {
  listCandidates,
  type Match,
  matchCertificate,
  type OrderToMatch,
  type RecordResult,
} from './rules/certificate/match.ts'
import type { CertificateFacts } from './rules/certificate/read-certificate.ts'
import { listCertificateNames } from './rules/host-names.ts'
import type { Order } from './rules/order.ts'
import {
  findOrderOrThrow,
  type RuleDeps,
  requireRequesterRole,
  type StepContext,
} from './transition-order.ts'

interface Deps extends RuleDeps {
  certificates: Certificates
  service: OrderService
}

export type CertificateService = ReturnType<typeof createCertificateService>

const MAX_MATCHED = 50

/**
 * Everything that people do with certificates. Each operation takes effect once per interaction and writes an audit row. Throws
 * UserError if the person may not do it.
 */
export function createCertificateService(deps: Deps) {
  const { certificates, orders, service } = deps

  /** The orders with a certificate's key, as `matchCertificate` needs them. */
  async function findOrdersWithKey(
    workspaceId: string,
    environment: Environment,
    keyHash: string,
  ): Promise<Order[]> {
    return orders.list({
      ...{ workspaceId, environment, keyHash, limit: MAX_MATCHED },
      states: ['received', 'unknown', 'failed', 'awaiting', 'submitting'],
    })
  }

  const findWithKey = ({ workspaceId, environment, keyHash }: Certificate): Promise<Order[]> =>
    findOrdersWithKey(workspaceId, environment, keyHash)

  /** The orders that a recorded certificate may belong to. */
  async function matchStored(certificate: Certificate): Promise<Match> {
    const { keyHash, content } = certificate
    return matchCertificate({ keyHash, ...content }, (await findWithKey(certificate)).map(toOrderToMatch))
  }

  /** Redraws the orders whose cards name the certificate: the one that it's for, and those with its key that the service may not have. */
  async function redrawOrders({ orderId }: Certificate, withKey: readonly Order[]): Promise<void> {
    await orders.redraw(withKey.filter(({ id, state }) => id === orderId || state !== 'received'))
  }

  const findOrThrow = async (context: StepContext, fingerprint: string): Promise<Certificate> => {
    const certificate = await certificates.find(context, fingerprint.toLowerCase())
    if (certificate) return certificate
    throw new UserError(`No recorded certificate has the fingerprint “${fingerprint}”.`, [LIST_BUTTON])
  }

  /** A certificate as the audit log stores it, with the number of its order. */
  async function summarizeWithOrder(certificate: Summarized): Promise<object> {
    const order = certificate.orderId === undefined ? undefined : await orders.get(certificate.orderId)
    return { ...summarize(certificate), ...(order && { order: order.number }) }
  }

  /** Stores a change of a certificate, and audits it. */
  async function change(
    context: StepContext,
    verb: string,
    certificate: Certificate,
    changes: Partial<Pick<Certificate, 'ended' | 'orderId' | 'ownerId'>>,
    isDone: (latest: Certificate) => boolean,
  ): Promise<Certificate> {
    const read = async (): Promise<Certificate> => (await certificates.get(certificate.id)) ?? certificate
    await context.change<{ done: true }>(
      {
        verb,
        object: formatAuditObject(certificate),
        environment: certificate.environment,
        before: await summarizeWithOrder(certificate),
        after: await summarizeWithOrder({ ...certificate, ...changes }),
        lookUp: async () => (isDone(await read()) ? { outcome: { done: true } } : 'not-done'),
      },
      async () => {
        for (let tries = 0; tries < MAX_TRIES; tries += 1) {
          const latest = await read()
          const next = { ...latest, ...changes }
          const store = changes.orderId === undefined ? certificates.update : certificates.attach
          if (isDone(latest) || (await store(next))) return { done: true }
        }
        throw new UserError('This certificate is being changed right now. Try again in a moment.')
      },
    )
    return read()
  }

  /** Whether this person may record certificates for an order: its requester, or an approver. */
  async function requireOrderRight(context: StepContext, order: Order): Promise<void> {
    if (order.requesterId === context.userId || (await context.hasRoleOrThrow(context.userId, 'approver')))
      return
    throw new UserError(
      `Only the requester of order ${order.number} and approvers can record its certificate. Nothing was recorded.`,
    )
  }

  /** Attaches a certificate to a sent order. If the order's outcome is unknown, the certificate settles it. */
  async function attach(
    context: StepContext,
    certificate: Certificate,
    number: number,
  ): Promise<Certificate> {
    const order = await findOrderOrThrow(deps, context.workspaceId, number)
    await requireOrderRight(context, order)
    if (certificate.orderId === order.id) return certificate
    const match = await matchStored(certificate)
    if (!listCandidates(match).some((candidate) => candidate.number === number))
      throw new UserError(
        `Order ${number} wasn’t sent with this certificate’s key before it was issued, so they don’t belong together.`,
      )
    if (order.state === 'unknown') {
      if (!(await context.hasRoleOrThrow(context.userId, 'approver')))
        throw new UserError(`An approver has to confirm that the service has order ${number}.`)
      const outcome = {
        kind: 'received' as const,
        answered: { answer: '' },
        by: context.userId,
        note: PROVEN,
      }
      await service.resolve(context, number, outcome)
    }
    const attached = await change(
      context,
      '/cert-order attach',
      certificate,
      { orderId: order.id, ownerId: order.requesterId },
      (latest) => latest.orderId === order.id,
    )
    await redrawOrders(attached, await findWithKey(attached))
    return attached
  }

  return {
    findOrThrow,
    matchStored,
    attach: async (context: StepContext, fingerprint: string, number: number): Promise<Certificate> =>
      attach(context, await findOrThrow(context, fingerprint), number),

    /**
     * Records a certificate. If exactly one sent order has its key and its names, attaches it to that order. A second recording adds
     * what the first one didn't have.
     */
    async record(
      context: StepContext,
      environment: Environment,
      { pem, ...facts }: CertificateFacts,
      serviceId: string | undefined,
    ): Promise<RecordResult> {
      const { workspaceId, enterpriseId, userId } = context
      const found = await findOrdersWithKey(workspaceId, environment, facts.keyHash)
      const match = matchCertificate(facts, found.map(toOrderToMatch))
      const numbers = listCandidates(match).map(({ number }) => number)
      const matched = found.filter(({ number }) => numbers.includes(number))
      if (matched[0]) await requireOrderRight(context, matched[0])
      else if (!(await context.hasRoleOrThrow(userId, 'approver'))) await requireRequesterRole(deps, context)
      const { sha256, keyHash, notAfter, ...content } = facts
      const order = match.is === 'issued' ? matched[0] : undefined
      const newCertificate = {
        ...{ workspaceId, enterpriseId, environment, sha256, keyHash, serviceId },
        orderId: order?.id,
        ownerId: order?.requesterId ?? userId,
        notAfter: new Date(notAfter),
        content: { ...content, pem },
      }
      const wanted = await summarizeWithOrder(newCertificate)
      const { id, isNew } = await context.change<Recorded>(
        {
          verb: '/cert-order certificate',
          object: formatAuditObject({ ...newCertificate }),
          environment,
          after: (recorded: Recorded | undefined) => recorded?.after ?? wanted,
          lookUp: async () => {
            const stored = await certificates.find({ workspaceId, environment }, sha256)
            const isRecorded =
              stored?.environment === environment &&
              (order === undefined || stored.orderId !== undefined) &&
              (serviceId === undefined || stored.serviceId !== undefined)
            return isRecorded
              ? { outcome: { id: stored.id, isNew: true, after: await summarizeWithOrder(stored) } }
              : 'not-done'
          },
        },
        async () => {
          const added = await certificates.add(newCertificate, await orders.readTime())
          const after = await summarizeWithOrder(added.certificate)
          return { id: added.certificate.id, isNew: added.isNew, after }
        },
      )
      const certificate = await certificates.get(id)
      if (!certificate) throw new UserError('The certificate was deleted while it was being recorded.')
      await redrawOrders(certificate, found)
      return { certificate, match, isNew, typedId: serviceId }
    },

    /** Ends the reminders of a certificate that nobody needs anymore. */
    async end(context: StepContext, fingerprint: string): Promise<Certificate> {
      const certificate = await findOrThrow(context, fingerprint)
      if (
        certificate.ownerId !== context.userId &&
        !(await context.hasRoleOrThrow(context.userId, 'approver'))
      )
        throw new UserError('Only its owner and approvers can say that a certificate isn’t needed.')
      if (certificate.ended) return certificate
      const ended: CertificateEnd = 'not-needed'
      return change(context, '/cert-order not-needed', certificate, { ended }, (latest) =>
        Boolean(latest.ended),
      )
    },
  }
}

const MAX_TRIES = 20
const PROVEN =
  'The outcome was unknown at first. A certificate with the order’s key showed that the service has it.'
const LIST_BUTTON = { label: 'List certificates', line: '/cert-order list --expiring' }

function toOrderToMatch(order: Order): OrderToMatch {
  const { number, state, keyHash, content } = order
  const names = listCertificateNames(content.csr).map(({ text }) => text)
  const { submission } = content
  return { number, state, keyHash, names, ...(submission && { sentAt: new Date(submission.at) }) }
}

const formatAuditObject = (certificate: Pick<Certificate, 'sha256' | 'content'>): string =>
  `certificate ${getFingerprint(certificate)}: ${formatCertificateTitle(certificate)}`

/** What became of a recording. `after`: the stored certificate, for the audit log. */
interface Recorded {
  id: string
  isNew: boolean
  after: object
}

type Summarized = Omit<Certificate, 'id' | 'version' | 'recordedAt'>

const MAX_AUDITED_NAMES = 50

/** A certificate as the audit log stores it. */
const summarize = ({
  sha256,
  serviceId,
  ended,
  ownerId,
  notAfter,
  content: { names, issuer, serial },
}: Summarized): object => ({
  ...{ sha256, serial, issuer, ownerId, notAfter: notAfter.toISOString() },
  names: names.slice(0, MAX_AUDITED_NAMES),
  ...(serviceId && { serviceId }),
  ...(ended && { ended }),
})
