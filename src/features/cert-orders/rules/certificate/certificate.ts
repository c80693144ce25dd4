import type { Environment } from '../../../../domain/environment.ts'
import type { CertificateFacts } from './read-certificate.ts'

/** Why nobody is reminded of a certificate anymore. */
export const CERTIFICATE_ENDS = ['replaced', 'not-needed'] as const
export type CertificateEnd = (typeof CERTIFICATE_ENDS)[number]

/** The encrypted part of a recorded certificate. */
export interface CertificateContent extends Omit<CertificateFacts, 'sha256' | 'keyHash' | 'notAfter'> {
  /** The days of the last reminder that was sent to everyone who gets it. */
  reminded?: number | undefined
  /** Who has got the reminder that is being sent. */
  sentTo?: readonly string[] | undefined
}

/** A certificate that somebody recorded. Everything that Signalman says about it is read from it. */
export interface Certificate {
  readonly id: string
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  readonly environment: Environment
  readonly orderId?: string | undefined
  readonly ownerId: string
  readonly sha256: string
  readonly keyHash: string
  readonly serviceId?: string | undefined
  readonly notAfter: Date
  readonly ended?: CertificateEnd | undefined
  readonly version: number
  readonly recordedAt: Date
  readonly content: CertificateContent
}

const FINGERPRINT_LENGTH = 12

/** The beginning of its SHA-256, which names it in commands. */
export const getFingerprint = ({ sha256 }: Pick<Certificate, 'sha256'>): string =>
  sha256.slice(0, FINGERPRINT_LENGTH)

/** Its first name, with the number of others. */
export function formatCertificateTitle({
  content: { names, subject },
}: Pick<Certificate, 'content'>): string {
  const [first = subject || 'a certificate without a name', ...more] = names
  return more.length === 0 ? first : `${first} +${more.length}`
}

export const toReminded = ({ content, notAfter, ended }: Certificate) => ({
  notBefore: new Date(content.notBefore),
  notAfter,
  reminded: content.reminded,
  ended,
})
