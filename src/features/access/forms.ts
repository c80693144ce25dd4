import { FieldErrors, UserError } from '@signalman/runtime'
import {
  type Answers,
  type Choice,
  lines,
  peopleInput,
  searchInput,
  selectInput,
  context as smallPrint,
} from '@signalman/slack'
import { form } from '../../bot/forms/form.ts'
import type { Messaging } from '../../bot/routes/command-context.ts'
import { EVERYONE, GRANTABLE_ROLES, ROLE_DESCRIPTIONS, type Subject } from '../../domain/roles.ts'
import { type AccessDeps, giveRole } from './change-roles.ts'
import { listEnds, readEnd } from './rules/grants.ts'
import { EVERYONE_NAME, ownRoleEndsLine } from './views.ts'

/** How many people and how many groups can get a role at once. */
const MAX_ADDED = 20

/** The window behind **Give a role**: who, which role, and until when. */
export const grantForm = form({
  id: 'access.grant',
  title: 'Give a role',
  button: 'Give role',
  verb: '/hc grant',
  needs: 'admin',
  workingText: 'Giving the role…',
  /** `ownEnd`: when the role of the person who gives it ends. */
  content: (_, { now, ownEnd }: { now: Date; ownEnd: Date | undefined }) => ({
    blocks: [
      peopleInput('people', 'People', { max: MAX_ADDED, optional: true }),
      searchInput('groups', 'User groups, or everyone', [], {
        maxItems: MAX_ADDED,
        optional: true,
        placeholder: 'Type a handle, or choose everyone',
      }),
      selectInput(
        'role',
        'Role',
        GRANTABLE_ROLES.map((role) => ({ label: `${role}: ${ROLE_DESCRIPTIONS[role]}`, value: role })),
      ),
      selectInput('until', 'Until', listEnds(now, ownEnd)),
      ...(ownEnd ? [lines(ownRoleEndsLine(ownEnd))] : []),
      smallPrint('Every member can look without a role.'),
    ],
  }),
  options: async (context, field, typed) => (field === 'groups' ? searchGroups(context, typed) : []),
  read: (answers) => ({ subjects: readSubjects(answers), ...readRole(answers) }),
  async submit(context, { subjects, role, end }, _, deps: AccessDeps) {
    const endsAt = readEnd(end, context.begunAt)
    if (endsAt === null) throw new UserError('Choose until when they should have the role.')
    return giveRole(deps, context, role, subjects, endsAt)
  },
})

/** Everyone, and the user groups whose handle or name contains what was typed. */
async function searchGroups(context: Messaging, typed: string): Promise<Choice[]> {
  const text = typed.replace(/^@/, '').toLowerCase()
  // Without the scope for user groups, everyone can still be chosen.
  const groups = await (await context.slack()).groups().catch(() => [])
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
  if (people.length + groups.length === 0) throw new FieldErrors({ people: 'Choose who gets the role.' })
  return [...people, ...groups]
}

function readRole(answers: Answers) {
  const role = GRANTABLE_ROLES.find((name) => name === answers.choice('role'))
  const end = answers.choice('until')
  if (!role) throw new FieldErrors({ role: 'Choose a role.' })
  if (!end) throw new FieldErrors({ until: 'Choose until when they should have it.' })
  return { role, end }
}
