import { formatElapsed } from '@signalman/runtime'
import { card, clip, commandButton, type Fact, type Message, oneLine } from '@signalman/slack'
import { checkName, statusWord } from '../../../bot/views/check-facts.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatList } from '../../../domain/wording.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Diagnosis, ProbedTarget } from '../rules/diagnosis.ts'

const MAX_FACT_LENGTH = 400

/** Shows the results of a probe from this app next to the status that the service reports. */
export function diagnosisView(
  check: HealthCheck,
  { host, port, serverAddress }: ProbedTarget,
  diagnosis: Diagnosis,
  environment: Environment,
  now: Date,
): Message {
  const name = checkName(check)
  const ignoresCertificate = check.verifySsl === false
  const facts: Fact[] = diagnosisFacts(diagnosis, { host, port }, ignoresCertificate, now)
  return card({
    headline: [
      `${name}${environmentSuffix(environment)}`,
      `: the service says ${statusWord(check.status)}. Seen from here: ${summarizeDiagnosis(diagnosis, ignoresCertificate)}`,
    ],
    facts,
    smallPrint: [
      `Seen from where Signalman runs${serverAddress ? `, at the server address ${clip(oneLine(serverAddress), 60)}` : ''}. The service checks from elsewhere.`,
      ['As of ', now],
    ],
    controls: [
      commandButton('Test again', `/hc diagnose ${quoted(check.uuid)}`, { inPlace: true }),
      commandButton('Back to the check', `/hc show ${quoted(check.uuid)}`),
    ],
  })
}

const diagnosisFacts = (
  diagnosis: Diagnosis,
  { host, port }: Pick<ProbedTarget, 'host' | 'port'>,
  ignoresCertificate: boolean,
  now: Date,
): (readonly [label: string, value: string])[] =>
  [
    ['Addresses', describeResolution(diagnosis, host)] as const,
    ...diagnosis.connections.map(
      (connection) =>
        [
          `Port ${port} of ${connection.address}`,
          'ms' in connection ? `connected in ${connection.ms} ms` : connection.problem,
        ] as const,
    ),
    ['Certificate', describeCertificate(diagnosis, ignoresCertificate, now)] as const,
    ['HTTP', describeAnswer(diagnosis)] as const,
  ].flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))

/** The first problem found, or what worked. */
function summarizeDiagnosis(
  { resolved, connections, certificate, answer }: Diagnosis,
  ignoresCertificate: boolean,
): string {
  if ('problem' in resolved && connections.length === 0) return resolved.problem
  const [firstProblem] = connections.flatMap((connection) =>
    'problem' in connection ? [connection.problem] : [],
  )
  if (!connections.some((connection) => 'ms' in connection)) return firstProblem ?? 'no connection'
  if (certificate && !('ms' in certificate)) return `TLS failed (${certificate.problem})`
  if (certificate?.problem !== undefined && !ignoresCertificate)
    return `invalid certificate (${certificate.problem})`
  if (!answer) return 'it accepts connections'
  return 'problem' in answer
    ? `it accepts connections but doesn’t respond: ${answer.problem}`
    : `it responds with HTTP ${answer.status}`
}

function describeResolution({ resolved }: Diagnosis, host: string): string {
  const name = clip(oneLine(host), 150)
  if ('problem' in resolved) return `${name}: ${resolved.problem}`
  if (resolved.addresses.length === 1 && resolved.addresses[0] === host) return name
  return clip(`${name}: ${resolved.addresses.join(', ')} in ${resolved.ms} ms`, MAX_FACT_LENGTH)
}

const MAX_NAMES = 3

function describeCertificate(
  { certificate }: Diagnosis,
  ignoresCertificate: boolean,
  now: Date,
): string | undefined {
  if (!certificate) return undefined
  if (!('ms' in certificate)) return `TLS failed: ${certificate.problem}`
  const { names, endsAt, problem, ms } = certificate
  const day = endsAt?.toISOString().slice(0, 10)
  const end =
    endsAt &&
    (endsAt < now
      ? `expired ${day}, ${formatElapsed(endsAt, now)} ago`
      : `expires ${day}, in ${formatElapsed(now, endsAt)}`)
  const parts = [
    problem && (ignoresCertificate ? `${problem}, which this health check ignores` : `invalid: ${problem}`),
    `for ${formatList(names, MAX_NAMES, oneLine) || 'no name'}`,
    end,
    `TLS handshake in ${ms} ms`,
  ]
  return clip(oneLine(parts.filter(Boolean).join('; ')), MAX_FACT_LENGTH)
}

function describeAnswer({ answer }: Diagnosis): string | undefined {
  if (!answer) return undefined
  return 'problem' in answer ? answer.problem : `${answer.status} in ${answer.ms} ms`
}
