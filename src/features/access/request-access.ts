import { randomUUID } from 'node:crypto'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { ActSteps, Messaging, Requester, Rights } from '../../bot/routes/command-context.ts'
import { cmd } from '../../domain/command-names.ts'
import type { GivenRole } from '../../domain/roles.ts'
import type { RightsParts } from './rights.ts'
import {
  ACCESS_REQUESTS,
  type AccessRequest,
  waitingFor,
  withChanged,
  withoutPerson,
  withRequest,
} from './rules/requests.ts'
import { alreadyView, askedView, decidedView, requestView, waitingView } from './views/requests.ts'

/** Stores the request and asks the admins in DMs. Throws UserError if none could be reached; the request isn't stored then. */
export async function requestAccess(
  parts: RightsParts,
  context: Requester & Messaging & ActSteps & Rights,
  role: GivenRole,
): Promise<Message> {
  const { settings } = parts
  const { workspaceId, userId, now } = context
  if ((await context.roles()).has(role)) return alreadyView(role)
  const id = await context.keep('request', async () => randomUUID())
  const request: AccessRequest = { id, role, userId, at: now.toISOString(), told: [] }
  const kept = await settings.change(workspaceId, ACCESS_REQUESTS, (all) => withRequest(all, request, now))
  const waiting = waitingFor(kept, request, now)
  if (waiting && waiting.id !== request.id) return waitingView(waiting)
  const auditEvent = {
    verb: '/hc access-request',
    object: `role ${role} of ${userId}`,
    after: { request: request.id },
    // If this continues after a crash, an admin may see the question twice: better than never.
    isRepeatable: true,
  }
  const told = await context.change(auditEvent, async () => {
    const reached = await notifyAdmins(parts, context, request)
    if (reached.length === 0) {
      await settings.change(workspaceId, ACCESS_REQUESTS, (all) => withoutPerson(all, request.id))
      throw new UserError(
        `Signalman couldn’t message any admin of this workspace, so your request wasn’t sent. Ask an admin to open ${cmd('/hc access')}.`,
      )
    }
    return reached
  })
  const posted = told.map((one) => one.posted)
  const all = await settings.change(workspaceId, ACCESS_REQUESTS, (all) =>
    withChanged(all, request.id, { told: posted }),
  )
  const decision = all.find((one) => one.id === request.id)?.decision
  // An admin who decided in the meantime didn't know yet where the other questions are.
  if (decision)
    await Promise.allSettled(posted.map((one) => context.amend(one, decidedView(request, decision))))
  return askedView(
    role,
    told.map((one) => one.userId),
  )
}

/** How many admins are asked about one request. */
const MOST_ADMINS = 10

/** The admins that the app knows; if there are none, or none can be reached, Slack's own. */
async function notifyAdmins(parts: RightsParts, context: Requester & Messaging, request: AccessRequest) {
  const told = await notifyEach(context, await findAdmins(parts, context), request)
  if (told.length > 0) return told
  // One more, because the person who asks may be an admin too.
  return notifyEach(context, await (await context.slack()).admins(MOST_ADMINS + 1), request)
}

async function notifyEach(context: Requester & Messaging, admins: readonly string[], request: AccessRequest) {
  const others = admins.filter((userId) => userId !== context.userId).slice(0, MOST_ADMINS)
  const question = requestView(request)
  const sent = await Promise.allSettled(
    others.map(async (userId) => ({ userId, posted: await context.tell(userId, question) })),
  )
  return sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Granted admins, those of granted groups, and the installer. */
async function findAdmins(parts: RightsParts, context: Requester & Messaging): Promise<string[]> {
  const { grants, adminsOf } = parts
  const slack = await context.slack()
  const groups = (await grants.list(context.workspaceId)).filter(
    ({ role, subject }) => role === 'admin' && subject.kind === 'group',
  )
  const members = await Promise.all(
    groups.map(({ subject }) => slack.groupMembers(subject.id).catch(() => [])),
  )
  return [...new Set([...(await adminsOf(context.workspaceId)), ...members.flat()])]
}
