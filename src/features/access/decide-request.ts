import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type {
  ActSteps,
  DecidingSteps,
  Messaging,
  Requester,
  Rights,
} from '../../bot/routes/command-context.ts'
import type { SavedGrant } from '../../bot/workspaces/grants.ts'
import { cmd } from '../../domain/command-names.ts'
import type { AccessDeps } from './access-settings.ts'
import { refuseIneligible } from './give-role.ts'
import { latestGrantEnd } from './rules/grants.ts'
import {
  ACCESS_REQUESTS,
  type AccessDecision,
  type AccessRequest,
  isExpired,
  isWaiting,
  withReopenedRequest,
  withUpdatedDecision,
  withUpdatedRequest,
} from './rules/requests.ts'
import { decidedView, decisionNotificationView } from './views/requests.ts'

/**
 * Approves or declines a request. If another admin has already decided, only shows that decision. Otherwise, shows the outcome
 * in the DM of every admin who was asked, and notifies the person who requested the role. Throws UserError if the request has
 * expired or was replaced, or if that person can't have a role now.
 */
export async function decideRequest(
  deps: Pick<AccessDeps, 'grants' | 'settings' | 'reachability'>,
  context: Requester & Messaging & ActSteps & DecidingSteps & Rights,
  id: string,
  { isApproval }: { isApproval: boolean },
): Promise<Message> {
  const initial = await findRequest(deps, context, id)
  if (isDecidedByAnotherClick(initial, context)) return decidedView(initial, initial.decision)
  if (isApproval && isWaiting(initial)) await refuseIneligible(context, [initial.userId])
  try {
    await storeDecision(deps, context, initial, isApproval)
  } catch (error) {
    const current = await findRequest(deps, context, id)
    // Another admin decided at the same time.
    if (isDecidedByAnotherClick(current, context)) return decidedView(current, current.decision)
    await deps.settings.change(context.workspaceId, ACCESS_REQUESTS, (requests) =>
      withReopenedRequest(requests, id, context.reference),
    )
    throw error
  }
  const request = await findRequest(deps, context, id)
  const decision = request.decision ?? toDecision(context, isApproval)
  const notification = await notifyRequester(deps, context, request, decision)
  await deps.settings.change(context.workspaceId, ACCESS_REQUESTS, (requests) =>
    withUpdatedDecision(requests, id, notification),
  )
  const outcome = decidedView(request, { ...decision, ...notification })
  await Promise.allSettled(request.adminMessages.map((posted) => context.editMessage(posted, outcome)))
  return outcome
}

/** Tells the requester about the decision in a DM. Returns what became of it. */
async function notifyRequester(
  { reachability }: Pick<AccessDeps, 'reachability'>,
  context: Requester & Messaging,
  request: AccessRequest,
  decision: AccessDecision,
): Promise<Pick<AccessDecision, 'notificationFailed' | 'notSentBecause'>> {
  const { workspaceId, enterpriseId } = context
  // Slack would accept a DM to a deactivated account.
  const notSentBecause = await reachability
    .explainPerson({ workspaceId, enterpriseId }, request.userId)
    .catch(() => 'couldn’t be looked up, because Slack isn’t responding')
  if (notSentBecause !== undefined) return { notificationFailed: true, notSentBecause }
  return context.sendDirect(request.userId, decisionNotificationView(request, decision)).then(
    () => ({ notificationFailed: false }),
    () => ({ notificationFailed: true }),
  )
}

const toDecision = ({ userId, now, reference }: Requester, isApproval: boolean): AccessDecision => ({
  by: userId,
  at: now.toISOString(),
  isApproval,
  reference,
})

const isDecidedByAnotherClick = (
  request: AccessRequest,
  { reference }: Requester,
): request is AccessRequest & { decision: AccessDecision } =>
  request.decision !== undefined && request.decision.reference !== reference

async function findRequest(
  { settings }: Pick<AccessDeps, 'settings'>,
  { workspaceId, now }: Requester,
  id: string,
): Promise<AccessRequest> {
  const request = (await settings.get(workspaceId, ACCESS_REQUESTS)).find((request) => request.id === id)
  if (request && !isExpired(request, now)) return request
  const reason = request
    ? 'This request has expired.'
    : 'This request is no longer stored. It may have expired, been replaced by a newer one, or been deleted.'
  throw new UserError(`${reason} Nothing was changed. Open ${cmd('/hc access')} to see what is waiting.`, [
    { label: 'Roles', line: '/hc access' },
  ])
}

/** Stores the decision in an audited step, so the audit log has an entry for it before anyone can see it. */
async function storeDecision(
  { grants, settings }: Pick<AccessDeps, 'grants' | 'settings'>,
  context: Requester & ActSteps & DecidingSteps & Pick<Rights, 'roles'>,
  { id, role, userId }: AccessRequest,
  isApproval: boolean,
): Promise<void> {
  const maxEnd = latestGrantEnd(await context.roles(), context.now)
  const auditEvent = {
    verb: isApproval ? '/hc access-grant' : '/hc access-decline',
    object: `role ${role} of ${userId}`,
    before: (saved?: SavedGrant) => ({
      request: id,
      ...(saved?.previousEnd !== undefined && { until: saved.previousEnd }),
    }),
    ...(isApproval && {
      after: (saved?: SavedGrant) => ({
        role,
        person: userId,
        ...(saved?.endsAt && { until: saved.endsAt }),
      }),
    }),
  }
  const decision = toDecision(context, isApproval)
  await context.decide<SavedGrant | undefined>(auditEvent, async (decisions) => {
    const { transaction, workspaceId } = decisions
    const changeRequests = (next: (requests: readonly AccessRequest[]) => readonly AccessRequest[]) =>
      settings.changeInTransaction(transaction, workspaceId, ACCESS_REQUESTS, next)
    const updatedRequests = await changeRequests((requests) => withUpdatedRequest(requests, id, { decision }))
    if (updatedRequests.find((request) => request.id === id)?.decision?.reference !== context.reference)
      throw new UserError('This request was already decided.')
    if (!isApproval) return undefined
    // If they already have this role for longer, its end doesn't change.
    const saved = await grants
      .within(decisions)
      .extend(role, { kind: 'user', id: userId }, context.userId, context.now, { maxEnd })
    const { endsAt: until } = saved
    if (until) await changeRequests((requests) => withUpdatedDecision(requests, id, { until }))
    return saved
  })
}
