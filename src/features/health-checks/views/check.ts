import {
  card,
  clip,
  commandButton,
  date,
  type Fact,
  type Line,
  type Message,
  oneLine,
} from '@signalman/slack'
import type { RichTextElement } from '@slack/types'
import type { CheckNotes } from '../../../bot/ports.ts'
import {
  checkAddress,
  checkName,
  formatTimeAndAuthor,
  statusEmoji,
  statusWord,
} from '../../../bot/views/check-facts.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { formatLasted, formatSince } from '../../../domain/outages/spell.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import type { Alert } from '../../../service/alerts.ts'
import { parseDate } from '../../../service/dates.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { findUsualPort } from '../rules/fields.ts'
import type { AddressNote } from '../rules/row.ts'
import { formatFrequency } from '../rules/settings.ts'
import { addressButtons, describeAddress } from './server-address.ts'
import { describeUndo, type Undo, undoButtons } from './undo.ts'

const MAX_RECIPIENTS = 5
const MAX_PERSON_LENGTH = 100

interface CheckViewOptions {
  extras?: CheckNotes | undefined
  /** Confirms what was just done. */
  done?: readonly Line[]
  /** What became of its server address. */
  note?: AddressNote | undefined
  undo?: Undo | undefined
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
  {
    extras = { entries: [], buttons: [] },
    done = [],
    note,
    undo,
    showDetails = false,
    isShared = false,
  }: CheckViewOptions = {},
): Message {
  const line = (verb: string) => `/hc ${verb} ${quoted(check.uuid)}`
  return card({
    headline: [
      `${statusEmoji(check.status)} ${checkName(check)}${environmentSuffix(environment)} is ${statusWord(check.status)}`,
      ...describeSince(check, extras.since, now),
    ],
    notes: [...done, ...(note ? [describeAddress(note)] : []), ...describeUndo(undo)],
    facts: [
      ['Target', formatTarget(check)],
      ['Checked', check.frequency === undefined ? undefined : formatFrequency(check.frequency)],
      ['Alert emails', describeAlertEmails(alerts, isShared)],
      ...extras.entries,
      ...(showDetails ? listDetails(check) : []),
    ],
    smallPrint: [['As of ', now]],
    controls: [
      ...(note ? addressButtons(check.uuid, note) : []),
      ...undoButtons(undo, environment),
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

/** What to show of a check that was written, if it couldn't be read afterwards. */
export const unreadView = (
  environment: Environment,
  { uuid, said, undo }: { uuid: string | undefined; said: string; undo?: Undo | undefined },
): Message =>
  card({
    headline: `${said} Couldn’t read it back.`,
    notes: describeUndo(undo),
    controls: [
      uuid === undefined
        ? commandButton('List health checks', '/hc list')
        : commandButton('Show it', `/hc show ${quoted(uuid)}`),
      ...undoButtons(undo, environment),
    ],
  })

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
  const { at, wasDown } = since
  if (status === 'HEALTHY') return [` · ${word}`, date(at), wasDown ? ` (was down ${wasDown})` : '']
  return [` · ${formatLasted(now.getTime() - at.getTime(), since)}, ${word}`, date(at)]
}

function describeCertificate({ verifySsl }: HealthCheck): string | undefined {
  if (verifySsl === undefined) return undefined
  return verifySsl ? 'verified' : 'not verified'
}

function describeAlertEmails(alerts: readonly Alert[] | string, isShared: boolean): string {
  if (typeof alerts === 'string') return alerts
  if (alerts.length === 0) return 'nobody'
  const recipients = alerts.flatMap((alert) => alert.recipients)
  if (isShared && recipients.length > 0) return pluralize(recipients.length, 'recipient')
  const people = formatList(recipients, MAX_RECIPIENTS, (address) =>
    clip(oneLine(address), MAX_PERSON_LENGTH),
  )
  return [people || 'nobody', alerts.length > 1 && `(${pluralize(alerts.length, 'alert')})`]
    .filter(Boolean)
    .join(' ')
}

/** `HTTPS shop.example.com`, with the port if it isn't the default or the one of the URL. Leaves out what the service didn't return. */
export const formatTarget = (check: HealthCheck): string =>
  [
    checkAddress(check),
    check.port !== undefined && check.port !== findUsualPort(check) && `port ${check.port}`,
  ]
    .filter(Boolean)
    .join(', ')
