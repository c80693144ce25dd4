import { commandButton } from '../../../blocks/command-buttons.ts'
import { type Fact, factLines, facts } from '../../../blocks/facts.ts'
import { actions, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { literal } from '../../../blocks/text.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { RecipientChange } from '../recipients.ts'
import { addressList, recipientCount } from './alerts.ts'
import { signsOf } from './preview.ts'

/** The check that an alert belongs to, and where. */
export interface Of {
  uuid: string
  name: string
  environment: Environment
}

const LISTED = 20

/** What an edit did: `+2 −1`, and who that is. `repeated` were given more than once. */
export function changedView(of: Of, change: RecipientChange, repeated: readonly string[]): Message {
  const { added, removed, recipients } = change
  if (added.length + removed.length === 0)
    return outcome(of, `Nothing to change: the alert for ${inQuotes(of)} already has these recipients.`, [
      ['Recipients', recipientCount(recipients.length)],
      ['Given more than once', addressList(repeated, LISTED) || undefined],
    ])
  return outcome(
    of,
    `Recipients of the alert for ${inQuotes(of)}: ${signsOf(added.length, removed.length)}`,
    [
      ['Added', addressList(added, LISTED) || undefined],
      ['Removed', addressList(removed, LISTED) || undefined],
      ['Given more than once, kept once', addressList(repeated, LISTED) || undefined],
      ['Now', recipientCount(recipients.length)],
    ],
  )
}

export function addedView(of: Of, recipients: readonly string[], repeated: readonly string[]): Message {
  return outcome(
    of,
    `An alert was added to ${inQuotes(of)}: ${recipientCount(recipients.length)} will be mailed when its status changes.`,
    [
      ['Recipients', addressList(recipients, LISTED)],
      ['Given more than once, kept once', addressList(repeated, LISTED) || undefined],
    ],
  )
}

export function removedView(of: Of, recipients: readonly string[]): Message {
  return outcome(
    of,
    `The alert of ${inQuotes(of)} was removed. It no longer mails ${recipientCount(recipients.length)}.`,
    [['Recipients', addressList(recipients, LISTED) || undefined]],
  )
}

const inQuotes = ({ name, environment }: Of): string => `“${name}”${badgeOf(environment)}`

function outcome({ uuid }: Of, sentence: string, entries: readonly Fact[]): Message {
  const told = entries.filter(([, value]) => value !== undefined)
  return message(
    literal([sentence, factLines(told)].filter(Boolean).join('\n')),
    section(sentence),
    told.length > 0 ? [facts(told)] : [],
    actions(
      commandButton('Alerts of this check', `/hc alerts ${quoted(uuid)}`),
      commandButton('Back to the check', `/hc show ${quoted(uuid)}`),
    ),
  )
}
