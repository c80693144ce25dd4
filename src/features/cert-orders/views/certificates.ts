import {
  card,
  clip,
  commandButton,
  type Line,
  type Message,
  oneLine,
  type Part,
  textElement,
} from '@signalman/slack'
import type { Button } from '@slack/types'
import { environmentSuffix } from '../../../domain/environment.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import { type Certificate, formatCertificateTitle, getFingerprint } from '../rules/certificate/certificate.ts'
import { type Candidate, listCandidates, type Match, type RecordResult } from '../rules/certificate/match.ts'
import type { Order } from '../rules/order.ts'
import { STATE_TEXTS } from '../rules/order-states.ts'

export const MAX_TITLE_LENGTH = 100
const MAX_NAMES_LENGTH = 1500
const MAX_VALUE_LENGTH = 300
const MAX_DIFFERENT = 5

export const certificateTitle = (certificate: Certificate): string =>
  clip(oneLine(formatCertificateTitle(certificate)), MAX_TITLE_LENGTH)

export const certificateButton = (label: string, line: string, certificate: Certificate): Button =>
  commandButton(label, line, { accessibilityLabel: `${label}: ${certificateTitle(certificate)}` })

export const showLine = (certificate: Certificate): string =>
  `/cert-order certificate ${getFingerprint(certificate)} --env ${certificate.environment}`

/** The command that renews it. Its own environment, because the button may be pressed elsewhere. */
export const renewLine = (certificate: Certificate): string =>
  `/cert-order renew ${getFingerprint(certificate)} --env ${certificate.environment}`

const endButton = (certificate: Certificate): Button =>
  commandButton(
    'Stop reminders',
    `/cert-order not-needed ${getFingerprint(certificate)} --env ${certificate.environment}`,
    {
      accessibilityLabel: `Stop reminders: ${certificateTitle(certificate)}`,
      confirm: {
        title: 'Stop the reminders?',
        text: 'Nobody is reminded of this certificate anymore. It stays in the list.',
        confirm: 'Stop reminders',
      },
    },
  )

/** Everything that a recorded certificate says. `match`: the orders that it may belong to, if it isn't attached to one. */
export function certificateView(
  certificate: Certificate,
  { now, order, match }: { now: Date; order: Order | undefined; match?: Match | undefined },
): Message {
  return card({
    headline: formatHeadline(certificate, now),
    notes: [...(match ? describeMatch(match) : []), ...(certificate.content.isChecked ? [] : [ISSUER_NOTE])],
    facts: [
      ['Names', clip(oneLine(certificate.content.names.join(', ')), MAX_NAMES_LENGTH) || undefined],
      ['Subject', clip(oneLine(certificate.content.subject), MAX_VALUE_LENGTH) || undefined],
      ['Issuer', clip(oneLine(certificate.content.issuer), MAX_VALUE_LENGTH) || undefined],
      ['Valid from', new Date(certificate.content.notBefore)],
      ['Valid until', certificate.notAfter],
      ['Serial number', clip(oneLine(certificate.content.serial), MAX_VALUE_LENGTH)],
      ['SHA-256', certificate.sha256],
      ['ID at the service', certificate.serviceId],
      ['Order', order && `Order ${order.number}`],
    ],
    controls: [
      ...(match ? candidateButtons(certificate, match) : []),
      certificateButton('Renew', renewLine(certificate), certificate),
      ...(order ? [commandButton(`Show order ${order.number}`, `/cert-order show ${order.number}`)] : []),
      ...(certificate.ended ? [] : [endButton(certificate)]),
    ],
  })
}

const ISSUER_NOTE =
  'The issuer is as the certificate says. Its signature wasn’t checked, because the authority’s certificate wasn’t sent with it.'

export const ENDED_TEXTS: Readonly<Record<NonNullable<Certificate['ended']>, string>> = {
  replaced: 'replaced by a later one',
  'not-needed': 'not needed',
}

const formatHeadline = (certificate: Certificate, now: Date): Line => [
  textElement(
    `Certificate for ${certificateTitle(certificate)}${environmentSuffix(certificate.environment)}`,
  ),
  ' · ',
  ...describeValidity(certificate, now),
]

/** `ends Feb 24`, and why nobody is reminded of it. */
const describeValidity = ({ notAfter, ended, content }: Certificate, now: Date): Part[] => [
  ...(new Date(content.notBefore) > now ? ['valid from ', new Date(content.notBefore), ', '] : []),
  notAfter < now ? 'ended ' : 'ends ',
  notAfter,
  ...(ended ? [` · ${ENDED_TEXTS[ended]}`] : []),
]

/** Green only while the certificate can be used. */
const getValiditySign = ({ notAfter, content }: Certificate, now: Date): string => {
  if (notAfter < now) return '⛔'
  return new Date(content.notBefore) > now ? '⚠️' : '🟢'
}

/** The answer to recording a certificate: what it is, and which order it belongs to. */
export function recordedView({ certificate, match, isNew, typedId }: RecordResult, now: Date): Message {
  return card({
    headline: [
      textElement(
        `${isNew ? `${getValiditySign(certificate, now)} Recorded` : 'Already recorded'}: ${certificateTitle(certificate)}${environmentSuffix(certificate.environment)}`,
      ),
      ' · ',
      ...describeValidity(certificate, now),
    ],
    notes: [
      ...(certificate.orderId === undefined ? describeMatch(match) : describeAttached(match)),
      ...(isNew ? [] : describeId(certificate, typedId)),
      ...(certificate.content.isChecked ? [] : [ISSUER_NOTE]),
    ],
    controls: [
      ...(certificate.orderId === undefined ? candidateButtons(certificate, match) : []),
      commandButton('Show certificate', showLine(certificate)),
      commandButton('Certificates by expiry', `/cert-order list --expiring --env ${certificate.environment}`),
    ],
  })
}

/** Says which ID a certificate has that was recorded before. */
function describeId({ serviceId }: Certificate, typedId: string | undefined): string[] {
  if (typedId === undefined || serviceId === undefined) return []
  const [kept, typed] = [serviceId, typedId].map((id) => clip(oneLine(id), MAX_VALUE_LENGTH))
  return [
    serviceId === typedId
      ? `Its ID at the service is ${kept}.`
      : `It keeps the ID ${kept} that was entered before. ${typed} wasn’t stored.`,
  ]
}

const describeAttached = (match: Match): string[] =>
  match.is === 'issued'
    ? [`It was issued for order ${match.candidate.number}, which has its key and its names.`]
    : []

function describeMatch(match: Match): string[] {
  switch (match.is) {
    case 'issued':
      return [
        `Order ${match.candidate.number} has its key and its names. It isn’t attached to that order yet.`,
      ]
    case 'choice':
      return [
        ...match.candidates.map(describeCandidate),
        'It isn’t attached to an order yet. Choose the order that it was issued for.',
      ]
    case 'failed':
      return [
        `⚠️ Order ${match.number} was sent with its key before it was issued, and has failed. If the certificate is for that order, the service had the order after all. Look there before anyone orders it again.`,
      ]
    case 'sending':
      return [
        `Order ${match.number} has its key and is being sent right now, so the certificate may be for it. Once the order has an outcome, look at this certificate again.`,
      ]
    case 'older':
      return [
        `Order ${match.number} has its key, but was sent after the certificate was issued, so it belongs to something else.`,
      ]
    case 'none':
      return [
        match.waiting === undefined
          ? 'No order that was sent from here has its key.'
          : `⚠️ Order ${match.waiting} has its key and wasn’t sent, so somebody got this certificate elsewhere. Look at both before anyone approves the order.`,
      ]
  }
}

function describeCandidate({ number, isUnknown, missing, added }: Candidate): string {
  const differences = [
    missing.length > 0 && `asks for ${joinNames(missing)}, which the certificate doesn’t have`,
    added.length > 0 && `doesn’t ask for ${joinNames(added)}`,
  ].filter((difference) => difference !== false)
  const suffix = differences.length > 0 ? `, and ${differences.join(', and ')}` : ' and the same names'
  return isUnknown
    ? `Order ${number} has the same key${suffix}. Its outcome is unknown, and this certificate shows that the service has it. An approver has to confirm that.`
    : `Order ${number} has the same key${suffix}.`
}

const joinNames = (names: readonly string[]): string =>
  formatList(names, MAX_DIFFERENT, (name) => clip(oneLine(name), MAX_TITLE_LENGTH))

const MAX_CANDIDATE_BUTTONS = 3

const candidateButtons = (certificate: Certificate, match: Match): Button[] =>
  listCandidates(match)
    .slice(0, MAX_CANDIDATE_BUTTONS)
    .map(({ number, isUnknown }) =>
      certificateButton(
        isUnknown ? `Confirm order ${number}` : `It’s for order ${number}`,
        `/cert-order attach ${getFingerprint(certificate)} ${number} --env ${certificate.environment}`,
        certificate,
      ),
    )

/** Reminds people that a certificate ends. `renewal`: an order that may replace it. `mayBeOther`: whether there may be one anyway. */
export function reminderView(
  certificate: Certificate,
  { renewal, mayBeOther }: { renewal: Order | undefined; mayBeOther: boolean },
): Message {
  return card({
    headline: [
      textElement(
        `⏰ The certificate for ${certificateTitle(certificate)}${environmentSuffix(certificate.environment)}`,
      ),
      ' ends ',
      certificate.notAfter,
    ],
    notes: renewal
      ? [
          `Order ${renewal.number} for its names: ${STATE_TEXTS[renewal.state].name.toLowerCase()}. When its certificate is issued, record it, and these reminders stop.`,
        ]
      : mayBeOther
        ? []
        : ['No order for all of its names that was requested since is open or waits for its certificate.'],
    controls: [
      renewal
        ? commandButton(`Show order ${renewal.number}`, `/cert-order show ${renewal.number}`)
        : certificateButton('Renew', renewLine(certificate), certificate),
      commandButton('Record certificate', `/cert-order certificate --env ${certificate.environment}`),
      endButton(certificate),
    ],
  })
}

const MAX_FOR_KEY = 3

/** Warns about recorded certificates with the key of an order that waits. */
export function warnAboutKey(certificates: readonly Certificate[]): KeyWarning[] {
  const more = certificates.length - MAX_FOR_KEY
  return [
    ...certificates.slice(0, MAX_FOR_KEY).map(
      (certificate): KeyWarning => ({
        text: [
          `⚠️ A certificate with this key was recorded: ${certificateTitle(certificate)}, ends `,
          certificate.notAfter,
          '. It isn’t attached to an order, so somebody may have got it elsewhere.',
        ],
        button: certificateButton('Show', showLine(certificate), certificate),
      }),
    ),
    ...(more > 0 ? [{ text: `⚠️ And ${pluralize(more, 'more certificate')} with this key.` }] : []),
  ]
}

/** `button`: shows the certificate. */
interface KeyWarning {
  text: Line
  button?: Button
}

/** Says that a recorded certificate may settle an order of unknown outcome. */
export const describeKeyProof = (certificates: readonly Certificate[]): Line[] =>
  certificates
    .slice(0, MAX_FOR_KEY)
    .map((certificate) => [
      `A certificate with its key was recorded: ${certificateTitle(certificate)}, ends `,
      certificate.notAfter,
      '. If it was issued for this order, the service has the order.',
    ])

/** The facts about an order's certificates, for its card. */
export const describeCertificates = (certificates: readonly Certificate[], now: Date): Line[] =>
  certificates.map((certificate) => [
    `${getValiditySign(certificate, now)} Certificate for ${certificateTitle(certificate)}, `,
    ...describeValidity(certificate, now),
  ])
