import type { FastifyInstance, FastifyReply } from 'fastify'
import { readFields } from './body.ts'
import { LOOPBACK } from './guard.ts'
import { stringOf } from './json.ts'
import { familyOf } from './people.ts'
import type { Channel, Fields } from './protocol.ts'
import type { Slack } from './slack.ts'

/** What the app asks for on the authorize page. */
interface Wish {
  scopes: readonly string[]
  state: string | undefined
  /** Where the person goes back to. */
  target: URL
  redirectUri: string | undefined
  /** Where its webhook shall post. */
  channel: string | undefined
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

const POSTING = 'incoming-webhook'

/** The channels of the workspaces that a webhook may post to. */
const channelsOf = ({ people }: Slack): Channel[] =>
  people.channels().filter((one) => familyOf(one) === 'channel' && !one.archived)

/** The app's wish, or the sentence that Slack's page shows instead of its form. */
function wishOf(slack: Slack, query: Fields): Wish | string {
  const { oauth, manifest, line } = slack
  if (stringOf(query.client_id) !== oauth.clientId)
    return 'Invalid client_id parameter: it is not the one of this app.'
  const scopes = (stringOf(query.scope) ?? '').split(/[ ,]+/).filter((scope) => scope !== '')
  const unknown = scopes.filter((scope) => !manifest.scopes.includes(scope))
  if (scopes.length === 0) return 'Invalid scope parameter: name at least one scope.'
  if (unknown.length > 0) return `Invalid scope: the manifest has no ${unknown.join(', ')}.`
  const redirectUri = stringOf(query.redirect_uri)
  const app = line.origin()
  const target = URL.parse(redirectUri ?? '/slack/oauth_redirect', app)
  // An app that is told over a socket has no host of its own that is known here: then only this machine's.
  const isHome = target && (app === undefined ? LOOPBACK.test(target.host) : target.origin === app)
  if (!isHome) return `redirect_uri did not match any configured URIs: it is not on ${app ?? 'this machine'}.`
  const channel = scopes.includes(POSTING) ? stringOf(query.channel) : undefined
  if (channel !== undefined && !channelsOf(slack).some(({ id }) => id === channel))
    return 'Choose where the app shall post.'
  return { scopes, state: stringOf(query.state), target, redirectUri, channel }
}

/** Who may install where: people of each workspace, and those of an organization for all of it. */
function choicesOf({ people, manifest }: Slack): { value: string; label: string }[] {
  const staff = people
    .all()
    .filter(({ role, deleted }) => !deleted && (role === 'admin' || role === 'member'))
  const organizations = new Map(people.workspaces.flatMap(({ organization: o }) => (o ? [[o.id, o]] : [])))
  const teams = people.workspaces.flatMap(({ id, name }) =>
    staff
      .filter(({ teamId }) => teamId === id)
      .map((one) => ({ value: `${id} ${one.id}`, label: `${name}, as ${one.realName}` })),
  )
  const all = [...(manifest.isOrgReady ? organizations.values() : [])].flatMap(({ id, name }) =>
    staff
      .filter((one) => one.role === 'admin' && people.workspaceOf(one).organization?.id === id)
      .map((one) => ({ value: `${id} ${one.id}`, label: `All of ${name}, as ${one.realName}` })),
  )
  return [...teams, ...all]
}

/** Where it shall post: asked when it wants to (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, November 2026). */
function postingTo(slack: Slack, { scopes }: Wish): string {
  if (!scopes.includes(POSTING)) return ''
  const options = channelsOf(slack).map(
    ({ id, name, teamId }) =>
      `<option value="${id}">#${escaped(name)} (${escaped(slack.people.workspaces.find((one) => one.id === teamId)?.name ?? teamId)})</option>`,
  )
  return `<p><label>Post to <select name="channel">${options.join('')}</select></label></p>`
}

function form(slack: Slack, query: Fields, wish: Wish): string {
  const { scopes } = wish
  const hidden = ['client_id', 'scope', 'state', 'redirect_uri'].flatMap((name) => {
    const value = stringOf(query[name])
    return value === undefined ? [] : [`<input type="hidden" name="${name}" value="${escaped(value)}">`]
  })
  const options = choicesOf(slack).map(
    ({ value, label }) => `<option value="${value}">${escaped(label)}</option>`,
  )
  return `<h1>${escaped(slack.manifest.botName)} asks to be installed</h1>
<p>It may then:</p><ul>${scopes.map((scope) => `<li>${escaped(scope)}</li>`).join('')}</ul>
<form method="post" action="/oauth/v2/authorize">${hidden.join('')}
<p><label>Install in <select name="as">${options.join('')}</select></label></p>${postingTo(slack, wish)}
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Cancel</button></form>`
}

function show(slack: Slack, reply: FastifyReply, status: number, body: string): FastifyReply {
  const app = slack.line.origin() ?? ''
  return reply
    .code(status)
    .headers({
      // The form's answer leads back to the app, which browsers count as the form's own doing.
      'content-security-policy': `default-src 'none'; form-action 'self' ${app}; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(`<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Install an app</title>${body}</html>`)
}

const fault = (sentence: string): string => `<h1>Something went wrong</h1><p>${escaped(sentence)}</p>`

/** Slack's page on which a person allows an app, or does not; it leads back to the app with a code, or with an error. */
export function authorizePage(app: FastifyInstance, slack: Slack): void {
  app.get<{ Querystring: Record<string, string> }>('/oauth/v2/authorize', (request, reply) => {
    const wish = wishOf(slack, request.query)
    if (typeof wish === 'string') return show(slack, reply, 400, fault(wish))
    return show(slack, reply, 200, form(slack, request.query, wish))
  })

  app.post('/oauth/v2/authorize', (request, reply) => {
    const { origin, host } = request.headers
    if (origin !== undefined && origin !== 'null' && origin !== `http://${host}`)
      return show(slack, reply, 403, fault('That form is not of this page.'))
    const fields = readFields('application/x-www-form-urlencoded', request.body) ?? {}
    const wish = wishOf(slack, fields)
    if (typeof wish === 'string') return show(slack, reply, 400, fault(wish))
    const { target, state, scopes, redirectUri, channel } = wish
    const [installId = '', userId = ''] = (stringOf(fields.as) ?? '').split(' ')
    const isAllowed = fields.decision === 'allow'
    if (isAllowed && !choicesOf(slack).some(({ value }) => value === `${installId} ${userId}`))
      return show(slack, reply, 400, fault('Choose where to install the app.'))
    const grant = { installId, userId, scopes, redirectUri, channel }
    if (isAllowed) target.searchParams.set('code', slack.oauth.codes.issue(grant))
    else target.searchParams.set('error', 'access_denied')
    if (state !== undefined) target.searchParams.set('state', state)
    return reply.code(302).header('location', target.href).send('')
  })
}
