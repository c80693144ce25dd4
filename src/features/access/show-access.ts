import type { Message } from '@signalman/slack'
import type { Messaging, Requester, Rights } from '../../bot/routes/command-context.ts'
import { slicePage } from '../../bot/views/list-page.ts'
import type { Grant } from '../../domain/roles.ts'
import type { AccessDeps } from './change-roles.ts'
import { INELIGIBLE_REASONS } from './find-subject.ts'
import { sortGrants } from './rules/grants.ts'
import { accessView, EVERYONE_NAME, GRANTS_PER_PAGE, type GrantRow } from './views.ts'

/** Shows what the person can do here, and a page of who has which role. */
export async function showAccess(
  { grants, listAdmins, guestsCanView }: AccessDeps,
  context: Requester & Rights & Messaging,
  requestedPage: number,
): Promise<Message> {
  const { workspaceId, actor, now } = context
  const [all, ownRoles, admins] = await Promise.all([
    grants.list(workspaceId),
    context.roles(),
    listAdmins(context),
  ])
  const { items, page, pages, total } = slicePage(sortGrants(all), requestedPage, GRANTS_PER_PAGE)
  return accessView({
    ...{ rows: await toRows(context, items), page, pages, total },
    ...{ guestsCanView, admins, actor, ownRoles, now },
  })
}

/** Finds out who has these grants, and which of them have no effect. Says nothing about those whom Slack doesn't return. */
async function toRows(context: Rights & Messaging, grants: readonly Grant[]): Promise<GrantRow[]> {
  const hasGroups = grants.some(({ subject }) => subject.kind === 'group')
  const slack = await context.slack()
  const groups = hasGroups ? await slack.groups().catch(() => undefined) : undefined
  return Promise.all(
    grants.map(async (grant): Promise<GrantRow> => {
      const { kind, id } = grant.subject
      if (kind === 'everyone') return { grant, name: EVERYONE_NAME }
      if (kind === 'group') {
        const group = groups?.find((group) => group.id === id)
        const isMissing = groups !== undefined && group === undefined
        return {
          grant,
          name: group ? `@${group.handle}` : id,
          problem: isMissing ? GROUP_MISSING : undefined,
        }
      }
      const { name = id, membership } = await context.findActor(id)
      const reason = INELIGIBLE_REASONS[membership]
      return { grant, name, problem: reason && `${reason}, so this role has no effect` }
    }),
  )
}

const GROUP_MISSING = 'Slack no longer lists this user group'
