import { lasted } from '@signalman/runtime'
import { card, clip, commandButton, type Fact, type Message, oneLine } from '@signalman/slack'
import { checkName, statusLabel } from '../../../bot/views/check-facts.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import type { FirstLook } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { listed } from '../../../domain/wording.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Diagnosis, ProbedTarget } from '../rules/diagnosis.ts'

const WORDS = 400

/** What was seen from here, beside what the service says. */
export function diagnosisView(
  check: HealthCheck,
  { host, port, serverAddress }: ProbedTarget,
  found: Diagnosis,
  environment: Environment,
  now: Date,
): Message {
  const name = checkName(check)
  const isAnyTaken = check.verifySsl === false
  const told: Fact[] = [
    ['The service says', statusLabel(check.status)],
    ...seenFacts(found, { host, port }, isAnyTaken, now),
  ]
  return card({
    answer: [`${name}${badgeOf(environment)}`, `, seen from here: ${phraseOf(found, isAnyTaken)}`],
    facts: told,
    small: [
      `Looked at from where Signalman runs, once; the service looks from elsewhere${serverAddress ? `, at ${clip(oneLine(serverAddress), 60)}` : ''}.`,
      ['As of ', now],
    ],
    controls: [
      commandButton('Look again', `/hc diagnose ${quoted(check.uuid)}`, { inPlace: true }),
      commandButton('Back to the check', `/hc show ${quoted(check.uuid)}`),
    ],
  })
}

const seenFacts = (
  found: Diagnosis,
  { host, port }: Pick<ProbedTarget, 'host' | 'port'>,
  isAnyTaken: boolean,
  now: Date,
): (readonly [label: string, value: string])[] =>
  [
    ['Addresses', resolvedWords(found, host)] as const,
    ...found.connections.map(
      (one) =>
        [
          `Port ${port} of ${one.address}`,
          'ms' in one ? `answers, after ${one.ms} ms` : one.problem,
        ] as const,
    ),
    ['Certificate', certificateWords(found, isAnyTaken, now)] as const,
    ['HTTP', answerWords(found)] as const,
  ].flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))

/** What is seen first of a check that fell, in a phrase and on one line. */
export function firstLookOf(
  { verifySsl }: Pick<HealthCheck, 'verifySsl'>,
  looked: ProbedTarget,
  found: Diagnosis,
  now: Date,
): FirstLook {
  const isAnyTaken = verifySsl === false
  const detail = seenFacts(found, looked, isAnyTaken, now)
    .map(([label, value]) => `${label}: ${value}`)
    .join(' · ')
  return { at: now, phrase: phraseOf(found, isAnyTaken), detail: clip(oneLine(detail), DETAIL) }
}

const DETAIL = 300

/** What stands in the way, if anything does. */
function phraseOf({ resolved, connections, certificate, answer }: Diagnosis, isAnyTaken: boolean): string {
  if ('problem' in resolved && connections.length === 0) return resolved.problem
  const [refused] = connections.flatMap((one) => ('problem' in one ? [one.problem] : []))
  if (!connections.some((one) => 'ms' in one)) return refused ?? 'no connection'
  if (certificate?.problem !== undefined && !(isAnyTaken && 'ms' in certificate))
    return `certificate: ${certificate.problem}`
  if (!answer) return 'it takes connections'
  return 'problem' in answer
    ? `it takes connections and does not answer: ${answer.problem}`
    : `it answers with HTTP ${answer.status}`
}

function resolvedWords({ resolved }: Diagnosis, host: string): string {
  const name = clip(oneLine(host), 150)
  if ('problem' in resolved) return `${name}: ${resolved.problem}`
  if (resolved.addresses.length === 1 && resolved.addresses[0] === host) return name
  return clip(`${name}: ${resolved.addresses.join(', ')}, after ${resolved.ms} ms`, WORDS)
}

const MOST_NAMES = 3

function certificateWords({ certificate }: Diagnosis, isAnyTaken: boolean, now: Date): string | undefined {
  if (!certificate) return undefined
  if (!('ms' in certificate)) return `no TLS: ${certificate.problem}`
  const { names, endsAt, problem, ms } = certificate
  const day = endsAt?.toISOString().slice(0, 10)
  const end =
    endsAt &&
    (endsAt < now ? `ended ${day}, ${lasted(endsAt, now)} ago` : `ends ${day}, in ${lasted(now, endsAt)}`)
  const parts = [
    problem && (isAnyTaken ? `${problem}, and this health check takes any` : `refused: ${problem}`),
    `for ${listed(names, MOST_NAMES, oneLine) || 'no name'}`,
    end,
    `after ${ms} ms`,
  ]
  return clip(oneLine(parts.filter(Boolean).join('; ')), WORDS)
}

function answerWords({ answer }: Diagnosis): string | undefined {
  if (!answer) return undefined
  return 'problem' in answer ? answer.problem : `${answer.status}, after ${answer.ms} ms`
}
