import { randomUUID } from 'node:crypto'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { ActSteps, Messaging, Requester, Rights } from '../../bot/routes/command-context.ts'
import { cmd } from '../../domain/command-names.ts'
import type { GrantableRole } from '../../domain/roles.ts'
import type { AccessDeps } from './access-settings.ts'
import {
  ACCESS_REQUESTS,
  type AccessRequest,
  findWaitingRequest,
  withoutRequest,
  withRequest,
  withUpdatedRequest,
} from './rules/requests.ts'
import {
  alreadyHasRoleView,
  alreadyRequestedView,
  decidedView,
  requestSentView,
  requestView,
} from './views/requests.ts'

/** Stores the request and asks the admins in DMs. If no admin could be reached, removes the request and throws UserError. */
export async function requestAccess(
  deps: AccessDeps,
  context: Requester & Messaging & ActSteps & Rights,
  role: GrantableRole,
): Promise<Message> {
  const { settings } = deps
  const { workspaceId, userId, now } = context
  if ((await context.roles()).has(role)) return alreadyHasRoleView(role)
  const id = await context.remember('request', async () => randomUUID())
  const request: AccessRequest = { id, role, userId, at: now.toISOString(), adminMessages: [] }
  const storedRequests = await settings.change(workspaceId, ACCESS_REQUESTS, (requests) =>
    withRequest(requests, request, now),
  )
  const waiting = findWaitingRequest(storedRequests, request, now)
  if (waiting && waiting.id !== request.id) return alreadyRequestedView(waiting)
  const auditEvent = {
    verb: '/hc access-request',
    object: `role ${role} of ${userId}`,
    after: { request: request.id },
    // After a crash, an admin may get the DM twice, which is better than never.
    isRepeatable: true,
  }
  const sentMessages = await context.change(auditEvent, async () => {
    const sent = await notifyAdmins(deps, context, request)
    if (sent.length === 0) {
      await settings.change(workspaceId, ACCESS_REQUESTS, (requests) => withoutRequest(requests, request.id))
      throw new UserError(
        `Slack didn’t confirm a message to any admin of this workspace, so your request was withdrawn. Ask an admin to open ${cmd('/hc access')}.`,
      )
    }
    return sent
  })
  const adminMessages = sentMessages.map(({ message }) => message)
  const updatedRequests = await settings.change(workspaceId, ACCESS_REQUESTS, (requests) =>
    withUpdatedRequest(requests, request.id, { adminMessages }),
  )
  const decision = updatedRequests.find(({ id }) => id === request.id)?.decision
  // If an admin decided before the messages were stored, `decideRequest` couldn't update them.
  if (decision)
    await Promise.allSettled(
      adminMessages.map((message) => context.editMessage(message, decidedView(request, decision))),
    )
  return requestSentView(
    role,
    sentMessages.map(({ userId }) => userId),
  )
}

/** How many admins get a DM about a request. */
const MAX_ADMINS_ASKED = 10

/** Asks the admins that Signalman knows. If none of them can be reached, asks the workspace's admins in Slack. */
async function notifyAdmins(deps: AccessDeps, context: Requester & Messaging, request: AccessRequest) {
  const sent = await notifyEach(deps, context, await findAdmins(deps, context), request)
  if (sent.length > 0) return sent
  // Asks Slack for one extra admin, because the person who requests the role may be one of them.
  return notifyEach(deps, context, await (await context.slack()).admins(MAX_ADMINS_ASKED + 1), request)
}

async function notifyEach(
  { reachability }: AccessDeps,
  context: Requester & Messaging,
  admins: readonly string[],
  request: AccessRequest,
) {
  const { workspaceId, enterpriseId } = context
  const others: string[] = []
  // Slack would accept a DM to a deactivated account.
  for (const userId of admins)
    if (
      userId !== context.userId &&
      others.length < MAX_ADMINS_ASKED &&
      (await reachability.explainPerson({ workspaceId, enterpriseId }, userId)) === undefined
    )
      others.push(userId)
  const question = requestView(request)
  const results = await Promise.allSettled(
    others.map(async (userId) => ({ userId, message: await context.sendDirect(userId, question) })),
  )
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

/** Granted admins, members of granted groups, and the installer. */
async function findAdmins(deps: AccessDeps, context: Requester & Messaging): Promise<string[]> {
  const { grants, listAdmins } = deps
  const slack = await context.slack()
  const groupGrants = (await grants.list(context.workspaceId)).filter(
    ({ role, subject }) => role === 'admin' && subject.kind === 'group',
  )
  const members = await Promise.all(
    groupGrants.map(({ subject }) => slack.groupMembers(subject.id).catch(() => [])),
  )
  return [...new Set([...(await listAdmins(context.workspaceId)), ...members.flat()])]
}
