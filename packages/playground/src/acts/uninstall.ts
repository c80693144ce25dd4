import type { Install } from '../installs.ts'
import type { Fields, Outcome, Post } from '../protocol.ts'
import { BOTS } from '../seed.ts'
import { Refused, type Slack } from '../slack.ts'
import { type Audience, sendEvent } from './event.ts'

function audienceOf({ people }: Pick<Slack, 'people'>, { id, isOrganization }: Install): Audience {
  const workspace = people.workspaces.find((one) => one.id === id)
  const enterpriseId = isOrganization ? id : (workspace?.organization?.id ?? null)
  return { teamId: id, enterpriseId, isOrgWide: isOrganization, isInstalled: false }
}

/** Whom `tokens_revoked` goes to, and what it says: the bot users whose tokens were revoked. */
export function tokensRevoked(
  { people }: Pick<Slack, 'people'>,
  install: Install,
): [audience: Audience, event: Fields] {
  const [workspace] = people.workspaces.filter(
    ({ id, organization }) => id === install.id || organization?.id === install.id,
  )
  const bot = BOTS[workspace?.id ?? '']?.userId ?? ''
  return [audienceOf({ people }, install), { type: 'tokens_revoked', tokens: { oauth: [], bot: [bot] } }]
}

/**
 * An admin removes the app: its token is revoked before Slack says so in one event, the other, or both. With `late`, nothing is
 * removed: Slack repeats what happened to an earlier installation.
 */
export async function uninstall(
  slack: Slack,
  { id, events, late = false }: Post<'uninstall'>,
): Promise<Outcome> {
  const seq = slack.log.seq
  const install = late ? slack.installs.find(id) : slack.installs.remove(id, 'account_inactive')
  if (!install) throw new Refused('not_installed', `The app is not installed in "${id}".`)
  let outcome: Outcome = { ok: true, deliveryId: null, seq }
  for (const name of events ?? ['app_uninstalled', 'tokens_revoked']) {
    const [audience, revoked] = tokensRevoked(slack, install)
    const event = name === 'tokens_revoked' ? revoked : { type: name }
    outcome = await sendEvent(slack, name, audience, event)
  }
  return { ...outcome, seq }
}

/**
 * The organization's admin removes the app from one of its workspaces, or adds it: `team_access_revoked`, `team_access_granted`.
 */
export async function changeAccess(slack: Slack, { id, granted = false }: Post<'access'>): Promise<Outcome> {
  const install = slack.installs.setAccess(id, granted)
  if (!install)
    throw new Refused('not_installed', `The app is not installed for an organization with "${id}".`)
  const name = granted ? 'team_access_granted' : 'team_access_revoked'
  const audience = { ...audienceOf(slack, install), isInstalled: true }
  const event_ts = (slack.now().getTime() / 1000).toFixed(6)
  return sendEvent(slack, name, audience, { type: name, team_ids: [id], event_ts })
}
