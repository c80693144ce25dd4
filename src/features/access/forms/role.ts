import { FieldErrors, UserError } from '@signalman/runtime'
import {
  type Answers,
  type Choice,
  type Line,
  lines,
  peopleInput,
  searchInput,
  selectInput,
  context as smallPrint,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../../bot/forms/form.ts'
import type { Messaging } from '../../../bot/routes/command-context.ts'
import { EVERYONE, GRANTABLE_ROLES, ROLE_DESCRIPTIONS, type Subject } from '../../../domain/roles.ts'
import type { AccessDeps } from '../access-settings.ts'
import { addRole } from '../add-role.ts'
import { changeRole, endRole, type RoleAnswers } from '../change-role.ts'
import { listEnds, type ShownGrant } from '../rules/grants.ts'
import { EVERYONE_NAME, grantLine, subjectLine } from '../views/access.ts'
import { ownRoleEndsLine } from '../views/rights.ts'

/** How many people or groups can get a role at once. */
const MAX_ADDED = 20

/** When the form is opened, and when the admin's own role ends; undefined if it's permanent. */
export interface Opened {
  now: Date
  ownEnd: Date | undefined
}

/** The window behind **Add**: who, which role, and until when. */
export const addForm = form({
  id: 'access.add',
  title: 'Give a role',
  button: 'Give role',
  verb: '/hc access-add',
  needs: 'admin',
  workingText: 'Giving the role…',
  content: (_, who: 'people' | 'groups', { now, ownEnd }: Opened) => ({
    blocks: [
      who === 'people'
        ? peopleInput('people', 'Who', {
            max: MAX_ADDED,
            hint: `At most ${MAX_ADDED} people. For more, give the role to a user group.`,
          })
        : searchInput('groups', 'Which user groups', [], {
            maxItems: MAX_ADDED,
            placeholder: 'Type a handle, or choose everyone',
          }),
      ...roleInputs({ now, ownEnd }),
    ],
  }),
  options: async (context, field, typed) => (field === 'groups' ? searchGroups(context, typed) : []),
  read: (answers) => ({ subjects: readSubjects(answers), ...readRole(answers) }),
  submit: (context, values, _, deps: AccessDeps) => addRole(deps, context, values),
})

/** The window behind **Change**: which role, and until when. It belongs to the grant that it shows. */
export const changeForm = form({
  id: 'access.change',
  title: 'Change a role',
  button: 'Save',
  verb: '/hc access-change',
  needs: 'admin',
  workingText: 'Saving the role…',
  content: (_, shown: ShownGrant, { now, ownEnd }: Opened) => ({
    formState: shown,
    blocks: [lines(['Who: ', subjectLine(shown.subject)].flat()), ...roleInputs({ now, ownEnd }, shown)],
  }),
  read: readRole,
  submit: (context, values, shown, deps: AccessDeps) => changeRole(deps, context, values, shown),
})

/** The window behind **End**. It belongs to the grant that it shows. */
export const endForm = form({
  id: 'access.end',
  title: 'End a role',
  button: 'End role',
  verb: '/hc access-end',
  needs: 'admin',
  workingText: 'Ending the role…',
  content: (_, shown: ShownGrant, facts: { userId: string; isLast: boolean }) => ({
    formState: shown,
    blocks: [lines(endedLine(shown), ...endNotes(shown, facts))],
  }),
  submit: (context, _, shown, deps: AccessDeps) => endRole(deps, context, shown),
})

const endedLine = ({ subject, role, endsAt }: ShownGrant): Line =>
  grantLine({ grant: { subject, role, endsAt: endsAt === null ? undefined : new Date(endsAt) } })

/** What ending the role means. `isLast` is true if nobody else was given the role. */
function endNotes(
  { subject, role }: ShownGrant,
  { userId, isLast }: { userId: string; isLast: boolean },
): string[] {
  const who = subject.kind === 'user' ? 'this person' : 'they'
  const isOwn = subject.kind === 'user' && subject.id === userId
  return [
    `If you end this role, ${who} can no longer ${ROLE_DESCRIPTIONS[role]}, unless they have the role in another way, such as through a user group.`,
    ...(isOwn && role === 'admin'
      ? ['⚠️ This is your own role. Another admin would have to give it back.']
      : []),
    ...(isLast && role !== 'admin'
      ? [`⚠️ No one else has been given the ${role} role. Admins can still do the same.`]
      : []),
  ]
}

function roleInputs({ now, ownEnd }: Opened, shown?: ShownGrant): KnownBlock[] {
  const roles = GRANTABLE_ROLES.map((role) => ({
    label: `${role}: ${ROLE_DESCRIPTIONS[role]}`,
    value: role,
    chosen: role === shown?.role,
  }))
  return [
    selectInput('role', 'Role', roles),
    selectInput('until', 'Until', listEnds(now, ownEnd, shown)),
    ...(ownEnd ? [lines(ownRoleEndsLine(ownEnd))] : []),
    smallPrint('Every member can look without a role.'),
  ]
}

/** Everyone, and the user groups whose handle or name contains what was typed. */
async function searchGroups(context: Messaging, typed: string): Promise<Choice[]> {
  const text = typed.replace(/^@/, '').toLowerCase()
  const groups = await (await context.slack()).groups()
  const choices = groups.map(({ id, handle, name }) => ({ label: `@${handle} (${name})`, value: id }))
  return [{ label: EVERYONE_NAME, value: EVERYONE.id }, ...choices].filter(({ label }) =>
    label.toLowerCase().includes(text),
  )
}

function readSubjects(answers: Answers): Subject[] {
  const people = answers.users('people').map((id) => ({ kind: 'user' as const, id }))
  const groups = answers
    .choices('groups')
    .map((id) => (id === EVERYONE.id ? EVERYONE : { kind: 'group' as const, id }))
  if (people.length + groups.length === 0)
    throw new FieldErrors({ [answers.has('people') ? 'people' : 'groups']: 'Choose who gets the role.' })
  return [...people, ...groups]
}

function readRole(answers: Answers): RoleAnswers {
  const role = GRANTABLE_ROLES.find((name) => name === answers.choice('role'))
  const end = answers.choice('until')
  if (!role) throw new FieldErrors({ role: 'Choose a role.' })
  if (!end) throw new FieldErrors({ until: 'Choose until when they should have it.' })
  return { role, end }
}

/** Throws UserError if no user group can be chosen, because Slack doesn't return them. */
export async function refuseWithoutGroups(context: Messaging): Promise<void> {
  const groups = await (await context.slack()).groups().catch(() => undefined)
  if (groups === undefined)
    throw new UserError(
      'Slack didn’t return the user groups, or the app lacks the scope usergroups:read. Groups that have a role keep it.',
      [{ label: 'Give people a role', line: '/hc access-add' }],
    )
}
