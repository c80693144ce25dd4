import type { AppLink, Audience } from '../delivery/app-link.ts'
import type { Fields } from '../protocol/json.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { ActionError } from '../state/actors.ts'
import type { Install } from '../state/installs.ts'
import { BOTS } from '../state/seed.ts'
import type { World } from '../state/world.ts'

/** Builds the `tokens_revoked` event for an installation. It lists the bot user whose token was revoked. */
function tokensRevokedEvent(
  { people }: Pick<World, 'people'>,
  { teamId }: Install,
): [audience: Audience, event: Fields] {
  const workspace = people.workspaces.find(({ id }) => id === teamId)
  const enterpriseId = workspace?.organization?.id ?? null
  const bot = BOTS[teamId]?.userId ?? ''
  return [
    { teamId, enterpriseId, isInstalled: false },
    { type: 'tokens_revoked', tokens: { oauth: [], bot: [bot] } },
  ]
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
