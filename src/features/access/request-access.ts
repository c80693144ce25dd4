import { randomUUID } from 'node:crypto'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { ActSteps, Messaging, Requester, Rights } from '../../bot/routes/command-context.ts'
import { cmd } from '../../domain/command-names.ts'
import type { GivenRole } from '../../domain/roles.ts'
import type { RightsDeps } from './rights.ts'
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

/** Stores the request and asks the admins in DMs. Throws UserError if none could be reached; the request isn't stored then. */
export async function requestAccess(
  deps: RightsDeps,
  context: Requester & Messaging & ActSteps & Rights,
  role: GivenRole,
): Promise<Message> {
  const { settings } = deps
  const { workspaceId, userId, now } = context
  if ((await context.roles()).has(role)) return alreadyHasRoleView(role)
  const id = await context.keep('request', async () => randomUUID())
  const request: AccessRequest = { id, role, userId, at: now.toISOString(), questions: [] }
  const requests = await settings.change(workspaceId, ACCESS_REQUESTS, (all) =>
    withRequest(all, request, now),
  )
  const waiting = findWaitingRequest(requests, request, now)
  if (waiting && waiting.id !== request.id) return alreadyRequestedView(waiting)
  const auditEvent = {
    verb: '/hc access-request',
    object: `role ${role} of ${userId}`,
    after: { request: request.id },
    // If this resumes after a crash, an admin may get the DM twice, which is better than never.
    isRepeatable: true,
  }
  const notified = await context.change(auditEvent, async () => {
    const reached = await notifyAdmins(deps, context, request)
    if (reached.length === 0) {
      await settings.change(workspaceId, ACCESS_REQUESTS, (all) => withoutRequest(all, request.id))
      throw new UserError(
        `Signalman couldn’t message any admin of this workspace, so your request wasn’t sent. Ask an admin to open ${cmd('/hc access')}.`,
      )
    }
    return reached
  })
  const posted = notified.map((one) => one.posted)
  const updatedRequests = await settings.change(workspaceId, ACCESS_REQUESTS, (all) =>
    withUpdatedRequest(all, request.id, { questions: posted }),
  )
  const decision = updatedRequests.find((one) => one.id === request.id)?.decision
  // If an admin decided in the meantime, the other messages weren't stored yet, so they are updated here.
  if (decision)
    await Promise.allSettled(posted.map((one) => context.editMessage(one, decidedView(request, decision))))
  return requestSentView(
    role,
    notified.map((one) => one.userId),
  )
}

/** How many admins get a DM about one request. */
const MAX_ADMINS_ASKED = 10

/** Asks the admins that Signalman knows, or Slack's own admins if none of those can be reached. */
async function notifyAdmins(deps: RightsDeps, context: Requester & Messaging, request: AccessRequest) {
  const notified = await notifyEach(context, await findAdmins(deps, context), request)
  if (notified.length > 0) return notified
  // One more, because the person who asks may be an admin too.
  return notifyEach(context, await (await context.slack()).admins(MAX_ADMINS_ASKED + 1), request)
}

async function notifyEach(context: Requester & Messaging, admins: readonly string[], request: AccessRequest) {
  const others = admins.filter((userId) => userId !== context.userId).slice(0, MAX_ADMINS_ASKED)
  const question = requestView(request)
  const sent = await Promise.allSettled(
    others.map(async (userId) => ({ userId, posted: await context.sendDirect(userId, question) })),
  )
  return sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Granted admins, members of granted groups, and the installer. */
async function findAdmins(deps: RightsDeps, context: Requester & Messaging): Promise<string[]> {
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
