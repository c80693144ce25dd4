import { FieldErrors } from '@signalman/runtime'
import { type Answers, channelsInput, selectInput, switchInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../../bot/forms/form.ts'
import { cmd } from '../../../domain/command-names.ts'
import type { AccessDeps } from '../access-settings.ts'
import { changeSettings } from '../change-settings.ts'
import type { AccessSettings } from '../rules/access-settings.ts'

/** Slack's limit for preselected channels. */
const MAX_CHANNELS = 100
const RETENTION_CHOICES: readonly (readonly [label: string, days: number])[] = [
  ['Unlimited', 0],
  ['7 years', 2555],
  ['5 years', 1825],
  ['2 years', 730],
  ['1 year', 365],
  ['90 days', 90],
]

/** The window behind **Settings**: guests, shared channels, and how long the audit log is kept. */
export const settingsForm = form({
  id: 'access.settings',
  title: 'Access settings',
  button: 'Save',
  verb: '/hc access-settings',
  needs: 'admin',
  workingText: 'Saving the settings…',
  content: (_, settings: AccessSettings) => ({
    // Submitting compares these with the current settings, to detect changes by someone else.
    formState: settings,
    blocks: [
      switchInput('guests', 'Guests', {
        text: 'Guests can view. They can never change, export, or share anything',
        isOn: settings.guestsCanView,
      }),
      channelsInput('channels', 'Shared channels where threat events and orders are allowed', {
        optional: true,
        initial: settings.allowedSharedChannels,
        max: MAX_CHANNELS,
        hint: 'Threat events and orders can be posted in a channel shared with another organization only if it’s in this list.',
      }),
      retentionInput(settings.auditRetentionDays),
    ],
  }),
  read: readSettings,
  submit: (context, requested, shown, deps: AccessDeps) => changeSettings(deps, context, requested, shown),
})

function retentionInput(days: number): KnownBlock {
  const isListed = RETENTION_CHOICES.some(([, choiceDays]) => choiceDays === days)
  const choices = isListed ? RETENTION_CHOICES : [[`${days} days`, days] as const, ...RETENTION_CHOICES]
  return selectInput(
    'retention',
    'Keep the audit log',
    choices.map(([label, choiceDays]) => ({
      label,
      value: String(choiceDays),
      chosen: choiceDays === days,
    })),
    {
      hint: `Older entries are deleted within an hour. To keep a copy, export them first with ${cmd('/hc audit')} --export.`,
    },
  )
}

/** Parses the submitted window. Throws FieldErrors. */
function readSettings(answers: Answers): AccessSettings {
  const auditRetentionDays = Number(answers.choice('retention') ?? 0)
  if (!Number.isInteger(auditRetentionDays) || auditRetentionDays < 0)
    throw new FieldErrors({ retention: 'Choose how long the audit log is kept.' })
  return {
    guestsCanView: answers.choices('guests').includes('yes'),
    allowedSharedChannels: answers.conversations('channels'),
    auditRetentionDays,
  }
}
