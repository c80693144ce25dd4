import type { AppLink, Audience } from '../delivery/app-link.ts'
import type { Fields } from '../protocol/json.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { ActionError } from '../state/actors.ts'
import type { Install } from '../state/installs.ts'
import { BOTS } from '../state/seed.ts'
import type { World } from '../state/world.ts'

function toAudience({ people }: Pick<World, 'people'>, { id, isOrganization }: Install): Audience {
  const workspace = people.workspaces.find((workspace) => workspace.id === id)
  const enterpriseId = isOrganization ? id : (workspace?.organization?.id ?? null)
  return { teamId: id, enterpriseId, isOrgWide: isOrganization, isInstalled: false }
}

/** Builds the `tokens_revoked` event for an installation. It lists the bot user whose token was revoked. */
export function tokensRevokedEvent(
  { people }: Pick<World, 'people'>,
  install: Install,
): [audience: Audience, event: Fields] {
  const [workspace] = people.workspaces.filter(
    ({ id, organization }) => id === install.id || organization?.id === install.id,
  )
  const bot = BOTS[workspace?.id ?? '']?.userId ?? ''
  return [toAudience({ people }, install), { type: 'tokens_revoked', tokens: { oauth: [], bot: [bot] } }]
}

/**
 * An admin uninstalls the app: revokes its token, then sends the events. With `late`, only sends the events, like delayed events about
 * an earlier installation; the app stays installed.
 */
export async function uninstall(
  world: World,
  link: AppLink,
  { id, events, late = false }: PostBody<'uninstall'>,
): Promise<Outcome> {
  const seq = world.log.seq
  const install = late ? world.installs.find(id) : world.installs.remove(id, 'account_inactive')
  if (!install) throw new ActionError('not_installed', `The app isn't installed in "${id}".`)
  let outcome: Outcome = { ok: true, deliveryId: null, seq }
  for (const name of events ?? ['app_uninstalled', 'tokens_revoked']) {
    const [audience, revoked] = tokensRevokedEvent(world, install)
    const event = name === 'tokens_revoked' ? revoked : { type: name }
    outcome = await link.dispatch({ name, event }, audience)
  }
  return { ...outcome, seq }
}

/**
 * An organization's admin grants or revokes the app's access to a workspace: sends `team_access_granted` or
 * `team_access_revoked`.
 */
export async function setWorkspaceAccess(
  world: World,
  link: AppLink,
  { id, granted = false }: PostBody<'access'>,
): Promise<Outcome> {
  const install = world.installs.setAccess(id, granted)
  if (!install)
    throw new ActionError(
      'not_installed',
      `The app isn't installed for an organization that contains "${id}".`,
    )
  const name = granted ? 'team_access_granted' : 'team_access_revoked'
  const audience = { ...toAudience(world, install), isInstalled: true }
  const event_ts = (world.now().getTime() / 1000).toFixed(6)
  return link.dispatch({ name, event: { type: name, team_ids: [id], event_ts } }, audience)
}
