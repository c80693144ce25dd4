import { createTransport } from 'nodemailer'
import type { HealthCheckRow, Status } from '../health-check-store.ts'

export interface StatusMail {
  environment: string
  check: HealthCheckRow
  oldStatus: Status
  newStatus: Status
  recipients: readonly string[]
}

export interface Mailer extends AsyncDisposable {
  /** Sends the mail in the background. Never throws. Only the first failure is logged to stderr. */
  send(mail: StatusMail): void
}

const TIMEOUT_MS = 5_000

const noopMailer: Mailer = { send: () => {}, [Symbol.asyncDispose]: async () => {} }

/** Creates a mailer for an `smtp://…` or `smtps://…` URL. Without a URL, the mailer sends nothing. */
export function createMailer(smtpUrl: string | undefined): Mailer {
  if (smtpUrl === undefined) return noopMailer
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 1,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  let hasFailed = false
  let isClosing = false
  const reportFailure = (error: Error): void => {
    if (hasFailed || isClosing) return
    hasFailed = true
    process.stderr.write(
      `sandbox: couldn’t mail an alert (${error.message}). Later failures aren’t logged.\n`,
    )
  }
  return {
    send(mail) {
      transport.sendMail(formatMail(mail)).catch(reportFailure)
    },
    async [Symbol.asyncDispose]() {
      isClosing = true
      transport.close()
    },
  }
}

function formatMail({ environment, check, oldStatus, newStatus, recipients }: StatusMail) {
  const environmentSuffix = environment === 'ote' ? ' (OTE)' : ''
  const name = check.name.replaceAll(/\p{Cc}+/gu, ' ')
  return {
    from: { name: 'Health checks', address: 'health-checks@sandbox.example' },
    to: recipients.map((address) => ({ name: '', address })),
    subject: `${newStatus}: ${name}${environmentSuffix}`,
    text: [
      `${name} was ${oldStatus} and is now ${newStatus}.`,
      '',
      `Target: ${check.protocol} ${check.target}, port ${check.port}`,
      `Health check: ${check.uuid}`,
      `Time: ${new Date().toISOString()}`,
      '',
    ].join('\n'),
  }
}
