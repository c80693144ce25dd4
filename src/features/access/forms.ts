import { FieldErrors } from '@signalman/runtime'
import {
  type Answers,
  actions,
  channelsInput,
  choicesInput,
  commandButton,
  context,
  divider,
  header,
  LIMITS,
  lines,
  peopleInput,
  selectInput,
  switchInput,
  textInput,
  type UserGroup,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../bot/forms/form.ts'
import { cmd } from '../../domain/command-names.ts'
import { byRole, GRANTABLE_ROLES, type GrantableRole, ROLE_DESCRIPTIONS } from '../../domain/roles.ts'
import type { AccessDeps } from './access-settings.ts'
import { changeAccess } from './change-access.ts'
import type { AccessSettings, Holders } from './rules/access-settings.ts'
import type { AccessFormValues, RoleFormValues } from './rules/form-values.ts'
import type { AccessRequest } from './rules/requests.ts'
import { windowRequestBlocks } from './views/requests.ts'
import { ownRoleEndsLine, temporaryRoleLines, titledHoldersLine } from './views/rights.ts'

/** Slack's limit for preselected people or channels. */
const MAX_PRESELECTED = 100
const TITLES: Readonly<Record<GrantableRole, string>> = {
  operator: 'Operators',
  approver: 'Approvers',
  admin: 'Admins',
}
const RETENTION_CHOICES: readonly (readonly [label: string, days: number])[] = [
  ['Unlimited', 0],
  ['7 years', 2555],
  ['5 years', 1825],
  ['2 years', 730],
  ['1 year', 365],
  ['90 days', 90],
]

/** The roles window for admins. `groups` are the existing user groups; undefined if Slack doesn't list them. */
export const accessForm = form({
  id: 'access.change',
  title: 'Roles',
  button: 'Save',
  verb: '/hc access',
  needs: 'admin',
  workingText: 'Saving roles…',
  content(
    _,
    settings: AccessSettings,
    waitingRequests: readonly AccessRequest[],
    groups: readonly UserGroup[] | undefined,
    /** When the admin's own role ends; undefined if it is permanent. */
    ownRoleEnd?: Date,
  ) {
    return {
      // Submitting compares these with the current settings, to detect changes by someone else.
      formState: settings,
      blocks: [
        lines(
          ...GRANTABLE_ROLES.map((role) => titledHoldersLine(TITLES[role], settings.roles[role])),
          ...temporaryRoleLines(settings.temporaryRoles),
        ),
        context(
          `Every member can read. Slack’s admins and the person who installed Signalman are admins here. ${cmd('/hc grant')} gives a role for a while. If your own admin role is temporary, roles you give end when yours does.`,
        ),
        ownRoleEnd ? lines(ownRoleEndsLine(ownRoleEnd)) : [],
        windowRequestBlocks(waitingRequests),
        GRANTABLE_ROLES.flatMap((role) => roleBlocks(role, settings.roles[role], groups)),
        groups
          ? []
          : [
              context(
                'You can’t choose user groups here, because Slack didn’t return them or the app lacks the scope usergroups:read. Groups that have a role keep it.',
              ),
            ],
        divider(),
        switchInput('guests', 'Guests', {
          text: 'Guests can view. They can never change, export, or share anything',
          isOn: settings.guestsCanView,
        }),
        channelsInput('channels', 'Shared channels where threat events and orders are allowed', {
          optional: true,
          initial: settings.allowedSharedChannels,
          max: MAX_PRESELECTED,
          hint: 'Threat events and orders can be posted in a channel shared with another organization only if it’s in this list.',
        }),
        retentionInput(settings.auditRetentionDays),
        // The order policy has its own window, because it contains more than the list of approvers.
        ...actions(commandButton('Order policy', '/cert-order policy')),
      ],
    }
  },
  read: readAccess,
  submit: (context, formValues, shown, deps: AccessDeps) => changeAccess(deps, context, formValues, shown),
})

function roleBlocks(
  role: GrantableRole,
  holders: Holders,
  groups: readonly UserGroup[] | undefined,
): KnownBlock[] {
  const title = TITLES[role]
  return [
    header(title),
    context(`They can ${ROLE_DESCRIPTIONS[role]}.`),
    peopleBlock(`${role}-people`, `${title}: people`, holders.people),
    ...groupInputs(role, `${title}: user groups`, holders.groups, groups),
    switchInput(`${role}-everyone`, `${title}: everyone`, {
      text: 'Everyone in this workspace except guests',
      isOn: holders.everyone,
    }),
  ]
}

function peopleBlock(field: string, label: string, people: readonly string[]): KnownBlock {
  if (people.length > MAX_PRESELECTED)
    return context(`${label}: ${people.length}, too many to edit here. They keep the role.`)
  return peopleInput(field, label, {
    optional: true,
    initial: people,
    max: MAX_PRESELECTED,
    hint: `At most ${MAX_PRESELECTED}. For more people, use a user group.`,
  })
}

/** A menu of the user groups, or a text input if there are too many for a menu. Shows a deleted group by its ID. */
function groupInputs(
  role: GrantableRole,
  label: string,
  selectedIds: readonly string[],
  groups: readonly UserGroup[] | undefined,
): KnownBlock[] {
  if (!groups) return []
  const deleted = selectedIds.filter((id) => !groups.some((group) => group.id === id))
  const listedGroups = [...groups, ...deleted.map((id) => ({ id, handle: id, name: 'deleted' }))]
  if (listedGroups.length === 0) return []
  const formatHandle = (id: string) => `@${listedGroups.find((group) => group.id === id)?.handle ?? id}`
  if (listedGroups.length > LIMITS.options) {
    const initial = selectedIds.map(formatHandle).join(', ')
    // Saving a truncated list would remove the role from the groups that were cut off.
    if (initial.length > LIMITS.inputValue)
      return [context(`${label}: ${selectedIds.length}, too many to edit here. They keep the role.`)]
    return [
      textInput(`${role}-groups`, label, {
        optional: true,
        initial,
        hint: 'Their handles, separated by commas, such as @on-call, @web-team.',
      }),
    ]
  }
  const choices = listedGroups.map(({ id, handle, name }) => ({
    label: `@${handle} (${name})`,
    value: id,
    chosen: selectedIds.includes(id),
  }))
  return [choicesInput(`${role}-groups`, label, choices, { optional: true })]
}

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
      hint: `If you choose a shorter period, Signalman asks before it deletes older entries. Export them first with ${cmd('/hc audit')} --export.`,
    },
  )
}

/** Parses the submitted form. Throws FieldErrors. */
export function readAccess(answers: Answers): AccessFormValues {
  const auditRetentionDays = Number(answers.choice('retention') ?? 0)
  if (!Number.isInteger(auditRetentionDays) || auditRetentionDays < 0)
    throw new FieldErrors({ retention: 'Choose how long the audit log is kept.' })
  return {
    roles: byRole((role) => readRoleValues(answers, role)),
    guestsCanView: answers.choices('guests').includes('yes'),
    allowedSharedChannels: answers.conversations('channels'),
    auditRetentionDays,
  }
}

function readRoleValues(answers: Answers, role: GrantableRole): RoleFormValues {
  return {
    people: answers.has(`${role}-people`) ? answers.users(`${role}-people`) : undefined,
    everyone: answers.choices(`${role}-everyone`).includes('yes'),
    groups: readGroups(answers, `${role}-groups`),
  }
}

function readGroups(answers: Answers, field: string): RoleFormValues['groups'] {
  if (!answers.has(field)) return undefined
  const typed = answers.text(field)
  if (typed === undefined) return { ids: answers.choices(field) }
  return { handles: typed.split(/[\s,;]+/).filter(Boolean) }
}
