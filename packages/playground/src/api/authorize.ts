import type { FastifyInstance, FastifyReply } from 'fastify'
import { readFields } from '../http/body.ts'
import { LOOPBACK } from '../http/guard.ts'
import type { Fields } from '../protocol/json.ts'
import { asString } from '../protocol/json.ts'
import type { World } from '../state/world.ts'
import type { OAuth } from './oauth.ts'

/** The app's request to be installed, from the query of the authorize page. */
interface InstallRequest {
  scopes: readonly string[]
  state: string | undefined
  /** Where to redirect the person. The code or error is added to this URL. */
  redirectTo: URL
  redirectUri: string | undefined
}

interface AuthorizeSettings {
  oauth: OAuth
  /** The app's origin; undefined if it's unknown, as in Socket Mode. */
  appOrigin: () => string | undefined
}

const HTML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => HTML_ENTITIES[character] ?? character)

/** Reads the app's request, or returns the error to show instead of the form. */
function readInstallRequest(
  world: World,
  settings: AuthorizeSettings,
  query: Fields,
): InstallRequest | string {
  const { manifest } = world
  if (asString(query.client_id) !== settings.oauth.clientId)
    return 'Invalid client_id parameter: it is not the client ID of this app.'
  const scopes = (asString(query.scope) ?? '').split(/[ ,]+/).filter((scope) => scope !== '')
  const unknown = scopes.filter((scope) => !manifest.scopes.includes(scope))
  if (scopes.length === 0) return 'Invalid scope parameter: name at least one scope.'
  if (unknown.length > 0) return `Invalid scope: the manifest has no ${unknown.join(', ')}.`
  const redirectUri = asString(query.redirect_uri)
  const appOrigin = settings.appOrigin()
  const redirectTo = URL.parse(redirectUri ?? '/slack/oauth_redirect', appOrigin)
  // The origin of an app in Socket Mode is unknown, so redirects can only go to this machine.
  const isAllowed =
    redirectTo && (appOrigin === undefined ? LOOPBACK.test(redirectTo.host) : redirectTo.origin === appOrigin)
  if (!isAllowed)
    return `redirect_uri did not match any configured URIs: it is not on ${appOrigin ?? 'this machine'}.`
  return { scopes, state: asString(query.state), redirectTo, redirectUri }
}

/** Lists the possible installations, each with the person who installs the app: a member or an admin of the workspace. */
function installChoices({ people }: World): { value: string; label: string }[] {
  const installers = people
    .all()
    .filter(({ role, deleted }) => !deleted && (role === 'admin' || role === 'member'))
  return people.workspaces.flatMap(({ id, name }) =>
    installers
      .filter(({ teamId }) => teamId === id)
      .map((installer) => ({ value: `${id} ${installer.id}`, label: `${name}, as ${installer.realName}` })),
  )
}

function renderForm(world: World, query: Fields, request: InstallRequest): string {
  const hidden = ['client_id', 'scope', 'state', 'redirect_uri'].flatMap((name) => {
    const value = asString(query[name])
    return value === undefined ? [] : [`<input type="hidden" name="${name}" value="${escapeHtml(value)}">`]
  })
  const options = installChoices(world).map(
    ({ value, label }) => `<option value="${value}">${escapeHtml(label)}</option>`,
  )
  return `<h1>Install ${escapeHtml(world.manifest.botName)}?</h1>
<form method="post" action="/oauth/v2/authorize">${hidden.join('')}
<p>It will be able to use: ${escapeHtml(request.scopes.join(', '))}</p>
<p><label>Install in <select name="as">${options.join('')}</select></label></p>
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Cancel</button></form>`
}

function sendPage(reply: FastifyReply, appOrigin: string, status: number, body: string): FastifyReply {
  return reply
    .code(status)
    .headers({
      // Submitting the form redirects to the app, which browsers check against form-action too.
      'content-security-policy': `default-src 'none'; form-action 'self' ${appOrigin}; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(`<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Install an app</title>${body}</html>`)
}

function redirectUrl({ redirectTo, state }: InstallRequest, name: string, value: string): URL {
  redirectTo.searchParams.set(name, value)
  if (state !== undefined) redirectTo.searchParams.set('state', state)
  return redirectTo
}

const declineInstall = (request: InstallRequest): URL => redirectUrl(request, 'error', 'access_denied')

/** Issues a code and returns the redirect URL, or returns the error to show. */
function approveInstall(
  world: World,
  { codes }: OAuth,
  request: InstallRequest,
  fields: Fields,
): URL | string {
  const [teamId = '', userId = ''] = (asString(fields.as) ?? '').split(' ')
  if (!installChoices(world).some(({ value }) => value === `${teamId} ${userId}`))
    return 'Choose where to install the app.'
  const { scopes, redirectUri } = request
  const code = codes.issue({ teamId, userId, scopes, redirectUri })
  return redirectUrl(request, 'code', code)
}

const renderError = (sentence: string): string =>
  `<h1>Something went wrong</h1><p>${escapeHtml(sentence)}</p>`

/** Registers the OAuth page where a person allows or declines the app. It redirects back to the app with a code or an error. */
export function registerAuthorizePage(app: FastifyInstance, world: World, settings: AuthorizeSettings): void {
  const send = (reply: FastifyReply, status: number, body: string) =>
    sendPage(reply, settings.appOrigin() ?? '', status, body)

  app.get<{ Querystring: Record<string, string> }>('/oauth/v2/authorize', ({ query }, reply) => {
    const install = readInstallRequest(world, settings, query)
    if (typeof install === 'string') return send(reply, 400, renderError(install))
    return send(reply, 200, renderForm(world, query, install))
  })

  app.post('/oauth/v2/authorize', (request, reply) => {
    const { origin, host } = request.headers
    if (origin !== undefined && origin !== 'null' && origin !== `http://${host}`)
      return send(reply, 403, renderError('The form was submitted from another page.'))
    const fields = readFields('application/x-www-form-urlencoded', request.body) ?? {}
    const install = readInstallRequest(world, settings, fields)
    if (typeof install === 'string') return send(reply, 400, renderError(install))
    const location =
      fields.decision === 'allow'
        ? approveInstall(world, settings.oauth, install, fields)
        : declineInstall(install)
    if (typeof location === 'string') return send(reply, 400, renderError(location))
    return reply.code(302).header('location', location.href).send('')
  })
}
