import { UserError } from '@signalman/runtime'
import { choice, slot } from '../../bot/grammar/slots.ts'
import { id } from '../../bot/grammar/vocabulary.ts'
import type { HomeSection, VerbDeclaration } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { GRANTABLE_ROLES, type GrantableRole } from '../../domain/roles.ts'
import { type AccessDeps, readAccessSettings } from './access-settings.ts'
import { saveConfirmed } from './change-access.ts'
import { decideRequest } from './decide-request.ts'
import { accessForm } from './forms.ts'
import { grantTemporaryRole } from './grant-temporary-role.ts'
import { requestAccess } from './request-access.ts'
import { latestGrantEnd } from './rules/access-settings.ts'
import { ACCESS_REQUESTS, findWaitingRequests } from './rules/requests.ts'
import { homeRequestBlocks } from './views/requests.ts'
import { rightsView } from './views/rights.ts'
import { whoamiView } from './views/whoami.ts'

/** `/hc access`, `/hc whoami`, `/hc grant`, and the hidden verbs of their buttons, which request a role or decide on a request. */
export function accessCommands(deps: AccessDeps): VerbDeclaration[] {
  const { settings, listAdmins } = deps

  return [
    {
      line: '/hc access',
      elsewhere: { person: '/hc grant' },
      also: ['roles', 'permissions', 'approvers'],
      description: 'Show who has which role; admins change roles here',
      needs: 'viewer',
      opensModal: true,
      async run(context) {
        const { workspaceId } = context
        const [accessSettings, ownRoles] = await Promise.all([
          readAccessSettings(deps, workspaceId),
          context.roles(),
        ])
        // Only admins can save, so only they get a form. Submitting it checks permissions again.
        if (!ownRoles.has('admin'))
          return rightsView(accessSettings, await context.actor(), ownRoles, await listAdmins(workspaceId))
        const slack = await context.slack()
        const groups = await slack.groups().catch(() => undefined)
        const waitingRequests = findWaitingRequests(
          await settings.get(workspaceId, ACCESS_REQUESTS),
          context.now,
        )
        return accessForm.open(
          context.environment,
          accessSettings,
          waitingRequests,
          groups,
          latestGrantEnd(ownRoles, context.now),
        )
      },
    },

    {
      line: '/hc access-confirm',
      slots: [id('state', 'STATE')],
      description: 'Save roles and settings, and delete older audit entries',
      needs: 'admin',
      isAct: true,
      hidden: true,
      run: (context, { values: { state = '' } }) => saveConfirmed(deps, context, state),
    },

    {
      line: '/hc whoami',
      also: ['me', 'who am i'],
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
      line: '/hc access-request',
      slots: [choice('role', ROLE_WORDS, { required: true })],
      description: 'Ask the admins for a role',
      needs: 'viewer',
      isAct: true,
      changesSomething: true,
      hidden: true,
      run: (context, { values }) => requestAccess(deps, context, readRole(values.role)),
    },

    decisionVerb(deps, 'access-grant', 'Approve a request for access', { isApproval: true }),
    decisionVerb(deps, 'access-decline', 'Decline a request for access', { isApproval: false }),
    {
      line: '/hc grant',
      slots: [
        slot('person', 'person', { after: ['to', 'for'], required: true }),
        choice('role', ROLE_WORDS, { after: ['role', 'as'], required: true }),
        slot('for', 'duration', { after: ['for'], usage: '8h', required: true }),
      ],
      also: ['access grant', 'give', 'give access'],
      description: 'Give someone a role for a limited time: 30m, 8h, 14d',
      needs: 'admin',
      isAct: true,
      example: 'grant @lee operator 8h',
      run: (context, { values: { person, role, for: time = '' } }) => {
        if (person === undefined)
          throw new UserError(`Who should get the role? Type \`${cmd('/hc grant')} @person operator 8h\`.`)
        return grantTemporaryRole(deps, context, { person, role: readRole(role), time })
      },
    },
  ]
}

const decisionVerb = (
  deps: AccessDeps,
  verb: string,
  description: string,
  decision: { isApproval: boolean },
): VerbDeclaration => ({
  line: `/hc ${verb}`,
  slots: [id('request', 'REQUEST')],
  description,
  needs: 'admin',
  isAct: true,
  hidden: true,
  run: (context, { values: { request = '' } }) => decideRequest(deps, context, request, decision),
})

const ROLE_WORDS = Object.fromEntries(GRANTABLE_ROLES.map((role) => [role, role]))

/** Requests that are waiting for an admin, in App Home. */
export const waitingRequestsSection =
  ({ settings }: AccessDeps): HomeSection['section'] =>
  async (context) => {
    const isAdmin = (await context.roles()).has('admin')
    if (!isAdmin) return []
    return homeRequestBlocks(
      findWaitingRequests(await settings.get(context.workspaceId, ACCESS_REQUESTS), context.now),
    )
  }

function readRole(typed: string | undefined): GrantableRole {
  const role = GRANTABLE_ROLES.find((name) => name === typed)
  if (role) return role
  throw new UserError(`Which role? One of ${GRANTABLE_ROLES.join(', ')}.`, [
    { label: 'What can I do?', line: '/hc whoami' },
  ])
}
