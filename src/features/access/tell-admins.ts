import type { Messaging, Requester } from '../../bot/routes/command-context.ts'
import type { Posted } from '../../slack/client/slack-client.ts'
import type { AccessRequest } from './requests.ts'
import type { RightsParts } from './rights.ts'
import { requestView } from './views/requests.ts'

/** At most so many admins are written to about one request. */
const MOST_ADMINS = 10

interface Told {
  userId: string
  posted: Posted
}

/** Those whom the app knows as admins; when there are none, or none can be reached, Slack's own. */
export async function tellAdmins(
  parts: RightsParts,
  context: Requester & Messaging,
  request: AccessRequest,
): Promise<Told[]> {
  const told = await tellAll(context, await knownAdmins(parts, context), request)
  return told.length > 0 ? told : tellAll(context, await slackAdmins(context), request)
}

async function tellAll(
  context: Requester & Messaging,
  admins: readonly string[],
  request: AccessRequest,
): Promise<Told[]> {
  const others = admins.filter((userId) => userId !== context.userId).slice(0, MOST_ADMINS)
  const question = requestView(request)
  const sent = await Promise.allSettled(
    others.map(async (userId) => ({ userId, posted: await context.tell(userId, question) })),
  )
  return sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Granted admins, those of granted groups, and the installer. */
async function knownAdmins(parts: RightsParts, context: Requester & Messaging): Promise<string[]> {
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

async function slackAdmins(context: Messaging): Promise<string[]> {
  const slack = await context.slack()
  const found: string[] = []
  for await (const { userId, isAdmin, isBot, isDeactivated } of slack.members()) {
    if (isAdmin && !isBot && !isDeactivated) found.push(userId)
    if (found.length > MOST_ADMINS) break
  }
  return found
}
