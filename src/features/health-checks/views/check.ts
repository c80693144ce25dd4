import { card, commandButton, date, type Fact, type Message } from '@signalman/slack'
import type { RichTextElement } from '@slack/types'
import type { CheckNotes } from '../../../bot/ports.ts'
import {
  checkAddress,
  checkName,
  formatTimeAndAuthor,
  NO_CAUSE,
  statusEmoji,
  statusWord,
} from '../../../bot/views/check-facts.ts'
import { describeMailed } from '../../../bot/views/mailed.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { formatLasted, formatSince } from '../../../domain/outages/spell.ts'
import { quoted } from '../../../domain/quoting.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { Alert } from '../../../service/alerts.ts'
import { parseDate } from '../../../service/dates.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { findUsualPort } from '../rules/fields.ts'
import { formatFrequency } from '../rules/settings.ts'

const MAX_RECIPIENTS = 5

interface CheckViewOptions {
  extras?: CheckNotes | undefined
  /** Includes details that few people need. */
  showDetails?: boolean
  /** True in a channel, where recipients aren't named. */
  isShared?: boolean
}

/** The card of one check. `alerts` is a text if the alerts couldn't be read. */
export function checkView(
  check: HealthCheck,
  alerts: readonly Alert[] | string,
  environment: Environment,
  now: Date,
  { extras = { entries: [], buttons: [] }, showDetails = false, isShared = false }: CheckViewOptions = {},
): Message {
  const line = (verb: string) => `/hc ${verb} ${quoted(check.uuid)}`
  return card({
    headline: [
      `${statusEmoji(check.status)} ${checkName(check)}${environmentSuffix(environment)} is ${statusWord(check.status)}`,
      ...describeSince(check, extras.since, now),
    ],
    facts: [
      ['Target', formatTarget(check)],
      ['Checked', check.frequency === undefined ? undefined : formatFrequency(check.frequency)],
      ['Alert emails', describeAlertEmails(alerts, isShared)],
      ...extras.entries,
      ...(showDetails ? listDetails(check) : []),
    ],
    smallPrint: [...(check.status === 'UNHEALTHY' ? [NO_CAUSE] : []), ['As of ', now]],
    controls: [
      commandButton('Edit', line('edit')),
      commandButton('Alerts…', line('alerts')),
      ...extras.buttons,
    ],
    moreControls: [
      ...(showDetails ? [] : [commandButton('Details', `${line('show')} --details`)]),
      commandButton('Delete', line('delete')),
      commandButton('Share to channel', `${line('show')}${showDetails ? ' --details' : ''} --share`),
    ],
  })
}

const listDetails = (check: HealthCheck): Fact[] => [
  ['Customer', check.customerId],
  ['Certificate', describeCertificate(check)],
  ['Server address', check.httpServerAddress],
  ['Port', check.port],
  ['Created', formatTimeAndAuthor(parseDate(check.createdAt), check.createdBy)],
  ['Last changed', formatTimeAndAuthor(parseDate(check.modifiedAt), check.modifiedBy)],
  ['UUID', check.uuid],
]

/** ` · 4 min, since today at 2:18 AM`; empty if Signalman last saw another status than the service reports now. */
function describeSince(
  { status }: HealthCheck,
  since: CheckNotes['since'],
  now: Date,
): (string | Date | RichTextElement)[] {
  if (since?.status !== status) return []
  const [word] = formatSince(since)
  const { at } = since
  if (status === 'HEALTHY') return [` · ${word}`, date(at)]
  return [` · ${formatLasted(now.getTime() - at.getTime(), since)}, ${word}`, date(at)]
}

function describeCertificate({ verifySsl }: HealthCheck): string | undefined {
  if (verifySsl === undefined) return undefined
  return verifySsl ? 'verified' : 'not verified'
}

function describeAlertEmails(alerts: readonly Alert[] | string, isShared: boolean): string {
  if (typeof alerts === 'string') return alerts
  const people = describeMailed(alerts, isShared ? 0 : MAX_RECIPIENTS)
  return isShared || alerts.length < 2 ? people : `${people} (${pluralize(alerts.length, 'alert')})`
}

/** `HTTPS shop.example.com`, with the port if it isn't the default or the one of the URL. Leaves out what the service didn't return. */
export const formatTarget = (check: HealthCheck): string =>
  [
    checkAddress(check),
    check.port !== undefined && check.port !== findUsualPort(check) && `port ${check.port}`,
  ]
    .filter(Boolean)
    .join(', ')
