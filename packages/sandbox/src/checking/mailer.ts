import { createTransport } from 'nodemailer'
import type { HealthCheckRow, Status } from '../health-check-rows.ts'

export interface StatusMail {
  environment: string
  check: HealthCheckRow
  from: Status
  to: Status
  recipients: readonly string[]
}

export interface Mailer extends AsyncDisposable {
  /** Sends in the background, one connection at a time. A failure is logged once to stderr and never thrown. */
  send(mail: StatusMail): void
}

const TIMEOUT_MS = 5_000

const silent: Mailer = { send: () => {}, [Symbol.asyncDispose]: async () => {} }

/** Sends mail through `smtp://…` or `smtps://…`. Without a URL, nothing is mailed. */
export function createMailer(smtpUrl: string | undefined): Mailer {
  if (smtpUrl === undefined) return silent
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
  const fail = (error: Error): void => {
    if (hasFailed || isClosing) return
    hasFailed = true
    process.stderr.write(
      `sandbox: an alert could not be mailed (${error.message}); later failures are not repeated here\n`,
    )
  }
  return {
    send(mail) {
      transport.sendMail(messageOf(mail)).catch(fail)
    },
    async [Symbol.asyncDispose]() {
      isClosing = true
      transport.close()
    },
  }
}

function messageOf({ environment, check, from, to, recipients }: StatusMail) {
  const where = environment === 'ote' ? ' (OTE)' : ''
  const clean = check.name.replaceAll(/\p{Cc}+/gu, ' ')
  return {
    from: { name: 'Health checks', address: 'health-checks@sandbox.example' },
    to: recipients.map((address) => ({ name: '', address })),
    subject: `${to}: ${clean}${where}`,
    text: [
      `${clean} was ${from} and is ${to}.`,
      '',
      `Target: ${check.protocol} ${check.target}, port ${check.port}`,
      `Health check: ${check.uuid}`,
      `Time: ${new Date().toISOString()}`,
      '',
    ].join('\n'),
  }
}
