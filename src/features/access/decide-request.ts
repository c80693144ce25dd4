import type { Message } from '../../blocks/message.ts'
import type { ActSteps } from '../../bot/routes/audited-acts.ts'
import type { Messaging, Requester } from '../../bot/routes/command-context.ts'
import { UserError } from '../../errors.ts'
import { reopened, withChanged } from './request-changes.ts'
import { ACCESS_REQUESTS, type AccessDecision, type AccessRequest } from './requests.ts'
import type { RightsParts } from './rights.ts'
import { answerView, decidedView } from './views/requests.ts'

/**
 * Decides a request, once: whoever comes later reads by whom it was decided. The question is replaced by the outcome for
 * all who were asked, and the person who asked is told. Throws UserError when there is no such request any more.
 */
export async function decideRequest(
  parts: RightsParts,
  ask: Requester & Messaging & ActSteps,
  id: string,
  isGiven: boolean,
): Promise<Message> {
  const { settings } = parts
  const { workspaceId, userId, reference } = ask
  const mine: AccessDecision = { by: userId, at: ask.now.toISOString(), isGiven, reference }
  const requests = await settings.change(workspaceId, ACCESS_REQUESTS, (all) =>
    withChanged(all, id, { decision: mine }),
  )
  const request = requests.find((one) => one.id === id)
  const decision = request?.decision
  if (!request || !decision)
    throw new UserError('This request is not known any more: it is too old, or was never made.', [
      { label: 'Who may do what', line: '/hc access' },
    ])
  const outcome = decidedView(request, decision)
  if (decision.reference !== reference) return outcome
  await carryOut(parts, ask, request, decision)
  await Promise.allSettled([
    ...request.told.map((posted) => ask.amend(posted, outcome)),
    ask.tell(request.userId, answerView(request, decision)),
  ])
  return outcome
}

async function carryOut(
  { grants, settings }: RightsParts,
  ask: Requester & ActSteps,
  { id, role, userId }: AccessRequest,
  { isGiven, reference }: AccessDecision,
): Promise<void> {
  const auditEvent = {
    verb: isGiven ? '/hc access-grant' : '/hc access-decline',
    object: `role ${role} of ${userId}`,
    before: { request: id },
    ...(isGiven && { after: { role, person: userId } }),
    isRepeatable: true,
  }
  try {
    await ask.change(auditEvent, async () => {
      if (isGiven) await grants.add(ask.workspaceId, role, { kind: 'user', id: userId }, ask.userId, ask.now)
    })
  } catch (error) {
    await settings.change(ask.workspaceId, ACCESS_REQUESTS, (all) => reopened(all, id, reference))
    throw error
  }
}
