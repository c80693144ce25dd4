import { randomUUID } from 'node:crypto'
import type { Message } from '../../blocks/message.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { GivenRole } from '../../domain/roles.ts'
import { UserError } from '../../errors.ts'
import { withChanged, without, withRequest } from './edit-requests.ts'
import { ACCESS_REQUESTS, type AccessRequest, waitingFor } from './requests.ts'
import type { RightsParts } from './rights.ts'
import { tellAdmins } from './tell-admins.ts'
import { alreadyView, askedView, waitingView } from './views/requests.ts'

/**
 * Keeps the request and asks the admins in their direct messages. Throws UserError when none could be reached: the
 * request is not kept then.
 */
export async function requestAccess(
  parts: RightsParts,
  context: CommandContext,
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
    // Gone on with after a crash, an admin may read the question twice: better than never.
    isRepeatable: true,
  }
  const told = await context.change(auditEvent, async () => {
    const reached = await tellAdmins(parts, context, request)
    if (reached.length === 0) {
      await settings.change(workspaceId, ACCESS_REQUESTS, (all) => without(all, request.id))
      throw new UserError(
        'No admin of this workspace could be written to, so the request was not kept. Ask one of them to type /hc access.',
      )
    }
    return reached
  })
  const posted = told.map((one) => one.posted)
  await settings.change(workspaceId, ACCESS_REQUESTS, (all) => withChanged(all, request.id, { told: posted }))
  return askedView(
    role,
    told.map((one) => one.userId),
  )
}
