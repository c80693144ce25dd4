import { UserError } from '@signalman/runtime'
import { choice, parameter } from '../../bot/grammar/parameters.ts'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../bot/typed/fields.ts'
import { cmd } from '../../domain/command-names.ts'
import { GRANTABLE_ROLES, type GrantableRole } from '../../domain/roles.ts'
import { askForRole } from './ask-for-role.ts'
import { type AccessDeps, grantTyped, revokeTyped } from './change-roles.ts'
import { showAccess } from './show-access.ts'

const ROLE_WORDS = Object.fromEntries(GRANTABLE_ROLES.map((role) => [role, role]))

/** Who gets or loses a role, and which. Values: `person` or `everyone`, and `role`. */
const WHO_AND_ROLE = [
  parameter('person', 'person', { group: 'who', required: true, usage: '@person|@group' }),
  choice('everyone', { everyone: 'everyone' }, { group: 'who', required: true }),
  choice('role', ROLE_WORDS, { required: true }),
]

type Typed = Readonly<Record<string, string | undefined>>

const askFor = (question: string, line: string): UserError =>
  new UserError(`${question} Type \`${cmd(line)} operator\`.`, [
    { label: 'Who may do what', line: '/hc access' },
  ])

function readWhoAndRole(verb: string, { person, everyone, role: typed }: Typed) {
  const who = person ?? everyone
  const line = `${verb} @person`
  if (who === undefined) throw askFor('Whose role?', line)
  return { who, role: readRole(line, typed) }
}

function readRole(line: string, typed: string | undefined): GrantableRole {
  const role = GRANTABLE_ROLES.find((name) => name === typed)
  if (role) return role
  throw askFor(`Which role? One of ${GRANTABLE_ROLES.join(', ')}.`, line)
}

export const accessCommands = (deps: AccessDeps): VerbDeclaration[] => [
  {
    line: '/hc access',
    description: 'Show the roles, yours first, and who can change them',
    needs: 'viewer',
    guests: true,
    hasNoEnvironment: true,
    flags: flagSpecs(PAGE_FIELDS),
    run: (context, { flags }) => showAccess(deps, context, readFields(PAGE_FIELDS, flags).page ?? 1),
  },
  {
    line: '/hc grant',
    parameters: [
      ...WHO_AND_ROLE,
      parameter('for', 'duration', { group: 'end', usage: '8h' }),
      parameter('until', 'moment', { group: 'end', after: 'until' }),
    ],
    description: 'Give someone a role, for a while (8h, 14d, until Friday) or without an end',
    needs: 'admin',
    isAct: true,
    example: 'grant @lee approver',
    flags: { yes: 'switch' },
    run: (context, { values, flags }) =>
      grantTyped(deps, context, {
        ...readWhoAndRole('/hc grant', values),
        end: values,
        isSure: flags.yes === true,
      }),
  },
  {
    line: '/hc revoke',
    parameters: WHO_AND_ROLE,
    description: 'Revoke someone’s role',
    needs: 'admin',
    isAct: true,
    example: 'revoke @lee operator',
    flags: { yes: 'switch' },
    run: (context, { values, flags }) =>
      revokeTyped(deps, context, {
        ...readWhoAndRole('/hc revoke', values),
        isSure: flags.yes === true,
      }),
  },
  {
    line: '/hc role-ask',
    parameters: [choice('role', ROLE_WORDS, { required: true })],
    description: 'Ask an admin for a role',
    needs: 'viewer',
    isAct: true,
    hidden: true,
    label: 'ask for',
    run: (context, { values: { role } }) => askForRole(deps, context, readRole('/hc role-ask', role)),
  },
]
