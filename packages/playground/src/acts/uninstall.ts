import type { Install } from '../installs.ts'
import type { Fields, Outcome, UninstallPost } from '../protocol.ts'
import { BOTS } from '../seed.ts'
import { Refused, type Slack } from '../slack.ts'
import { type Audience, sendEvent } from './event.ts'

type Parts = Pick<
  Slack,
  'people' | 'line' | 'log' | 'manifest' | 'now' | 'eventRetryMs' | 'closing' | 'installs'
>

function audienceOf({ people }: Pick<Parts, 'people'>, { id, isOrganization }: Install): Audience {
  const workspace = people.workspaces.find((one) => one.id === id)
  const enterpriseId = isOrganization ? id : (workspace?.organization?.id ?? null)
  return { teamId: id, enterpriseId, isOrgWide: isOrganization, isInstalled: false }
}

/** Whom `tokens_revoked` goes to, and what it says: the bot users whose tokens are dead. */
export function tokensRevoked(
  { people }: Pick<Parts, 'people'>,
  install: Install,
): [audience: Audience, event: Fields] {
  const [workspace] = people.workspaces.filter(
    ({ id, organization }) => id === install.id || organization?.id === install.id,
  )
  const bot = BOTS[workspace?.id ?? '']?.userId ?? ''
  return [audienceOf({ people }, install), { type: 'tokens_revoked', tokens: { oauth: [], bot: [bot] } }]
}

/** An admin takes the app out: its token is dead before Slack says so, in one event, the other, or both. */
export async function uninstall(slack: Parts, { id, events }: UninstallPost): Promise<Outcome> {
  const seq = slack.log.seq
  const install = slack.installs.remove(id, 'account_inactive')
  if (!install) throw new Refused('not_installed', `The app is not installed in "${id}".`)
  let outcome: Outcome = { ok: true, deliveryId: null, seq }
  for (const name of events ?? ['app_uninstalled', 'tokens_revoked']) {
    const [audience, revoked] = tokensRevoked(slack, install)
    const event = name === 'tokens_revoked' ? revoked : { type: name }
    outcome = await sendEvent(slack, name, audience, event)
  }
  return { ...outcome, seq }
}
