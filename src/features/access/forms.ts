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
  section,
  selectInput,
  switchInput,
  textInput,
  type UserGroup,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../bot/forms/form.ts'
import { byRole, GIVEN_ROLES, type GivenRole, ROLE_MEANS } from '../../domain/roles.ts'
import { changeAccess } from './change-access.ts'
import type { RightsParts } from './rights.ts'
import type { AccessRequest } from './rules/requests.ts'
import type { GivenRights, Holders } from './rules/rights.ts'
import type { TypedHolders, TypedRights } from './rules/typed-rights.ts'
import { windowRequestBlocks } from './views/requests.ts'
import { endLines, endsWith } from './views/rights.ts'

/** Slack starts a choice with at most so many. */
const MOST = 100
const TITLES: Readonly<Record<GivenRole, string>> = {
  operator: 'Operators',
  approver: 'Approvers',
  admin: 'Admins',
}
const KEPT_CHOICES: readonly (readonly [label: string, days: number])[] = [
  ['For ever', 0],
  ['7 years', 2555],
  ['5 years', 1825],
  ['2 years', 730],
  ['1 year', 365],
  ['90 days', 90],
]

/** Who may do what: `groups` are the user groups there are, undefined when Slack does not tell them. */
export const accessForm = form({
  id: 'access.change',
  title: 'Who may do what',
  button: 'Save',
  verb: '/hc access',
  needs: 'admin',
  working: 'Saving who may do what…',
  asks(
    _,
    rights: GivenRights,
    waiting: readonly AccessRequest[],
    groups: readonly UserGroup[] | undefined,
    /** When the person's own role ends. */
    until?: Date,
  ) {
    return {
      // What they change is told from what somebody else changed meanwhile.
      about: rights,
      blocks: [
        section(
          'Every member may read. Slack’s admins, and whoever installed Signalman, are admins here. Give everybody else their role below. If you are an admin for a time only, what you give ends when your own role does.',
        ),
        until ? lines(endsWith(until)) : [],
        windowRequestBlocks(waiting),
        rights.ends.length === 0 ? [] : [lines('For a time, given by /hc grant:', ...endLines(rights.ends))],
        GIVEN_ROLES.flatMap((role) => roleBlocks(role, rights.roles[role], groups)),
        groups
          ? []
          : [
              context(
                'User groups cannot be chosen here: Slack does not tell them, or the app lacks the scope usergroups:read. Those that have a role keep it.',
              ),
            ],
        divider(),
        channelsInput('channels', 'Shared channels that may show threat events and orders', {
          optional: true,
          initial: rights.openChannels,
          most: MOST,
          hint: 'In channels shared with another organization nothing of the kind can be posted, except in these.',
        }),
        keptInput(rights.keptDays),
        // A window of its own: how orders are decided is more than who decides.
        ...actions(commandButton('Order policy', '/cert-order policy')),
      ],
    }
  },
  read: readAccess,
  submit: (context, typed, seen, parts: RightsParts) => changeAccess(parts, context, typed, seen),
})

function roleBlocks(
  role: GivenRole,
  holders: Holders,
  groups: readonly UserGroup[] | undefined,
): KnownBlock[] {
  const title = TITLES[role]
  return [
    header(title),
    context(`They may ${ROLE_MEANS[role]}.`),
    peopleBlock(`${role}-people`, `${title}: people`, holders.people),
    ...groupInputs(role, `${title}: user groups`, holders.groups, groups),
    switchInput(`${role}-everyone`, `${title}: everyone`, {
      says: 'Everyone in this workspace but guests',
      isOn: holders.everyone,
    }),
  ]
}

function peopleBlock(field: string, label: string, people: readonly string[]): KnownBlock {
  if (people.length > MOST)
    return context(`${label}: ${people.length} of them, too many to be changed here. They keep the role.`)
  return peopleInput(field, label, {
    optional: true,
    initial: people,
    most: MOST,
    hint: `At most ${MOST}; a user group takes more.`,
  })
}

/** A menu of the groups there are; more than a menu holds are typed. A group that is gone is shown by its id. */
function groupInputs(
  role: GivenRole,
  label: string,
  chosen: readonly string[],
  groups: readonly UserGroup[] | undefined,
): KnownBlock[] {
  if (!groups) return []
  const gone = chosen.filter((id) => !groups.some((group) => group.id === id))
  const all = [...groups, ...gone.map((id) => ({ id, handle: id, name: 'no longer there' }))]
  if (all.length === 0) return []
  const handleOf = (id: string) => `@${all.find((group) => group.id === id)?.handle ?? id}`
  if (all.length > LIMITS.options) {
    const initial = chosen.map(handleOf).join(', ')
    // A list that were cut would take the role from the rest.
    if (initial.length > LIMITS.inputValue)
      return [context(`${label}: ${chosen.length} of them, too many to be changed here. They keep the role.`)]
    return [
      textInput(`${role}-groups`, label, {
        optional: true,
        initial,
        hint: 'Their handles, with commas between them, such as @on-call, @web-team.',
      }),
    ]
  }
  const choices = all.map(({ id, handle, name }) => ({
    label: `@${handle} (${name})`,
    value: id,
    chosen: chosen.includes(id),
  }))
  return [choicesInput(`${role}-groups`, label, choices, { optional: true })]
}

function keptInput(days: number): KnownBlock {
  const isListed = KEPT_CHOICES.some(([, each]) => each === days)
  const choices = isListed ? KEPT_CHOICES : [[`${days} days`, days] as const, ...KEPT_CHOICES]
  return selectInput(
    'kept',
    'Keep the audit log',
    choices.map(([label, each]) => ({ label, value: String(each), chosen: each === days })),
    {
      hint: 'Older rows are removed for good, within an hour of saving. Export them first with /hc audit --export.',
    },
  )
}

/** Throws FieldErrors. */
export function readAccess(answers: Answers): TypedRights {
  const keptDays = Number(answers.choice('kept') ?? 0)
  if (!Number.isInteger(keptDays) || keptDays < 0)
    throw new FieldErrors({ kept: 'Choose how long the audit log is kept.' })
  return {
    roles: byRole((role) => readHolders(answers, role)),
    openChannels: answers.conversations('channels'),
    keptDays,
  }
}

function readHolders(answers: Answers, role: GivenRole): TypedHolders {
  return {
    people: answers.has(`${role}-people`) ? answers.users(`${role}-people`) : undefined,
    everyone: answers.choices(`${role}-everyone`).includes('yes'),
    groups: readGroups(answers, `${role}-groups`),
  }
}

function readGroups(answers: Answers, field: string): TypedHolders['groups'] {
  if (!answers.has(field)) return undefined
  const typed = answers.text(field)
  if (typed === undefined) return { ids: answers.choices(field) }
  return { handles: typed.split(/[\s,;]+/).filter(Boolean) }
}
