import { lasted } from '@signalman/runtime'
import {
  actions,
  clip,
  commandButton,
  date,
  type Fact,
  factLines,
  facts,
  header,
  type Line,
  literal,
  type Message,
  message,
  oneLine,
  section,
  words,
} from '@signalman/slack'
import type { Button, SectionBlock } from '@slack/types'
import { checkAddress, checkName, statusLabel, statusWord } from '../../../bot/replies/check-facts.ts'
import { asOf } from '../../../bot/replies/list-page.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { Alert } from '../../../service/alerts.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'

const RECIPIENTS_SHOWN = 5

/** What somebody else knows of a check: lines behind its status, and buttons. */
export interface CheckExtras {
  entries: readonly Fact[]
  buttons: readonly Button[]
}

/** One check in full. `alerts` is a sentence when they could not be read. */
export function checkView(
  check: HealthCheck,
  alerts: readonly Alert[] | string,
  environment: Environment,
  now: Date,
  extras: CheckExtras = { entries: [], buttons: [] },
): Message {
  const name = checkName(check)
  const line = (verb: string) => `/hc ${verb} ${quoted(check.uuid)}`
  const entries: Fact[] = [
    ['Status', statusLabel(check.status)],
    ...extras.entries,
    ['Target', check.target],
    ['Protocol', check.protocol],
    ['Port', check.port],
    ['Checked every', check.frequency === undefined ? undefined : `${check.frequency} s`],
    ['Server address', check.httpServerAddress],
    ['SSL verified', check.verifySsl === undefined ? undefined : check.verifySsl ? 'yes' : 'no'],
    ['Customer', check.customerId],
    ['Created', changed(check.createdAt, check.createdBy, now)],
    ['Last changed', changed(check.modifiedAt, check.modifiedBy, now)],
    ['UUID', check.uuid],
    ['Alerts', alertWords(alerts)],
  ]
  return message(
    literal(`${name}${badgeOf(environment)} is ${statusWord(check.status)}.\n${factLines(entries)}`),
    header(name),
    facts(entries),
    actions(
      commandButton('Edit', line('edit')),
      commandButton('Alerts', line('alerts')),
      commandButton('Diagnose', line('diagnose')),
      ...extras.buttons,
      commandButton('Refresh', line('show'), { inPlace: true }),
      commandButton('Share to channel', `${line('show')} --share`),
      commandButton('Delete', line('delete'), { style: 'danger' }),
    ),
    asOf(environment, now),
  )
}

function changed(at: Date | undefined, by: string | undefined, now: Date): Line | undefined {
  const who = by ? `${at ? ' ' : ''}by ${clip(oneLine(by), 100)}` : ''
  if (!at) return who || undefined
  return [date(at), words(` (${lasted(at, now)} ago)${who}`)]
}

function alertWords(alerts: readonly Alert[] | string): string {
  if (typeof alerts === 'string') return alerts
  if (alerts.length === 0) return 'none: nobody is mailed when this changes'
  const recipients = alerts.flatMap((alert) => alert.recipients)
  const shown = recipients.slice(0, RECIPIENTS_SHOWN).map((address) => clip(oneLine(address), 100))
  const more = recipients.length - shown.length
  const to = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return `${alerts.length} by e-mail${to ? ` to ${to}` : ''}`
}

/** `HTTPS shop.example.com, port 443`; what the service did not say is left out. */
export const targetOf = (check: HealthCheck): string =>
  [checkAddress(check), check.port !== undefined && `port ${check.port}`].filter(Boolean).join(', ')

/** One check of a listing, with a button that opens it. */
export function checkRow(check: HealthCheck): SectionBlock {
  const name = checkName(check)
  const lines = [`${statusLabel(check.status)} · ${name}`, targetOf(check)]
  return section(
    lines.filter(Boolean).join('\n'),
    commandButton('Open', `/hc show ${quoted(check.uuid)}`, { spoken: `Open ${name}` }),
  )
}

/** The same in one line of words. */
export const checkLine = (check: HealthCheck): string =>
  [`${checkName(check)} is ${statusWord(check.status)}`, targetOf(check)].filter(Boolean).join(': ')
