import { UserError } from '@signalman/runtime'
import { choice, slot } from '../../bot/grammar/slots.ts'
import { id } from '../../bot/grammar/vocabulary.ts'
import type { Requester, Rights } from '../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../bot/typed/fields.ts'
import { cmd } from '../../domain/command-names.ts'
import { GRANTABLE_ROLES, type GrantableRole } from '../../domain/roles.ts'
import { type AccessDeps, readAccessSettings } from './access-settings.ts'
import { findGrant } from './change-role.ts'
import { addForm, changeForm, endForm, type Opened, refuseWithoutGroups } from './forms/role.ts'
import { settingsForm } from './forms/settings.ts'
import { grantTemporaryRole } from './give-role.ts'
import { latestGrantEnd } from './rules/grants.ts'
import { showAccess } from './show-access.ts'
import { whoamiView } from './views/whoami.ts'

/** `/hc access`, `/hc whoami`, `/hc grant`, and the hidden verbs of their buttons. */
export function accessCommands(deps: AccessDeps): VerbDeclaration[] {
  const { listAdmins } = deps

  return [
    {
      line: '/hc access',
      description: 'Show who has which role; admins change roles here',
      needs: 'viewer',
      flags: flagSpecs(PAGE_FIELDS),
      run: (context, { flags }) => showAccess(deps, context, readFields(PAGE_FIELDS, flags).page ?? 1),
    },

    {
      line: '/hc access-add',
      description: 'Give people, or user groups, a role',
      needs: 'admin',
      opensModal: true,
      hidden: true,
      flags: { group: { type: 'switch', help: 'Choose user groups or everyone' } },
      async run(context, { flags: { group } }) {
        if (group) await refuseWithoutGroups(context)
        return addForm.open(context.environment, group ? 'groups' : 'people', await readOpened(context))
      },
    },

    {
      line: '/hc access-change',
      slots: [id('role', 'ROLE')],
      description: 'Change a role, or until when someone has it',
      needs: 'admin',
      opensModal: true,
      hidden: true,
      run: async (context, { values: { role = '' } }) =>
        changeForm.open(
          context.environment,
          await findGrant(deps, context.workspaceId, role),
          await readOpened(context),
        ),
    },

    {
      line: '/hc access-end',
      slots: [id('role', 'ROLE')],
      description: 'End someone’s role, after a confirmation',
      needs: 'admin',
      opensModal: true,
      hidden: true,
      async run(context, { values: { role = '' } }) {
        const { userId, workspaceId } = context
        const shown = await findGrant(deps, workspaceId, role)
        const sameRole = (await deps.grants.list(workspaceId)).filter((grant) => grant.role === shown.role)
        return endForm.open(context.environment, shown, { userId, isLast: sameRole.length === 1 })
      },
    },

    {
      line: '/hc access-settings',
      description:
        'Change what guests see, where threat events are allowed, and how long the audit log is kept',
      needs: 'admin',
      opensModal: true,
      hidden: true,
      run: async (context) =>
        settingsForm.open(context.environment, await readAccessSettings(deps, context.workspaceId)),
    },

    {
      line: '/hc whoami',
      description: 'Show what you can do here, why, and who can give you more',
      needs: 'viewer',
      async run(context) {
        const [actor, roles, admins] = await Promise.all([
          context.actor(),
          context.roles(),
          listAdmins(context.workspaceId),
        ])
        return whoamiView(actor, roles, admins)
      },
    },

    {
      line: '/hc grant',
      slots: [
        slot('person', 'person', { required: true }),
        choice('role', ROLE_WORDS, { required: true }),
        slot('for', 'duration', { group: 'end', usage: '8h', required: true }),
        slot('until', 'moment', { group: 'end' }),
      ],
      description: 'Give someone a role for a limited time: 30m, 8h, 14d, until Friday',
      needs: 'admin',
      isAct: true,
      example: 'grant @lee operator 8h',
      run: (context, { values }) => {
        const { person, role } = values
        if (person === undefined)
          throw new UserError(`Who should get the role? Type \`${cmd('/hc grant')} @person operator 8h\`.`)
        return grantTemporaryRole(deps, context, { person, role: readRole(role), end: values })
      },
    },
  ]
}

/** When the window is opened, and how long the admin can give roles for. */
const readOpened = async (context: Requester & Rights): Promise<Opened> => ({
  now: context.now,
  ownEnd: latestGrantEnd(await context.roles(), context.now),
})

const ROLE_WORDS = Object.fromEntries(GRANTABLE_ROLES.map((role) => [role, role]))

function readRole(typed: string | undefined): GrantableRole {
  const role = GRANTABLE_ROLES.find((name) => name === typed)
  if (role) return role
  throw new UserError(`Which role? One of ${GRANTABLE_ROLES.join(', ')}.`, [
    { label: 'What can I do?', line: '/hc whoami' },
  ])
}
