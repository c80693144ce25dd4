// This folder installs the app in a workspace, finds its bot token, and removes everything on uninstall.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createInstallState,
  createNonce,
  type InFlight,
  type InstallPage,
  PAGE_HEADERS,
  PAGES,
  readNonce,
  SILENT_LOGGER,
  STATE_TTL_SECONDS,
  sendPage,
  webApiOptions,
} from '@signalman/slack'
import { type CallbackOptions, ErrorCode, type Installation, InstallProvider } from '@slack/oauth'
import { cmd } from '../../domain/command-names.ts'
import { ALL_SCOPES } from '../../domain/optional-features.ts'
import type { Stored } from '../stored.ts'
import {
  createStoreInstallation,
  type InstallationDeps,
  OrganizationInstall,
  TokenRotationOn,
} from './store-installation.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

interface OAuthSecrets {
  clientId: string
  clientSecret: string
  stateSecret: string
}

interface InstallingDeps extends InstallationDeps {
  secrets: OAuthSecrets
  store: InstallationDeps['store'] & Pick<Stored, 'idempotencyKeys'>
  /** Shutdown waits for an installation in progress. */
  inFlight: InFlight
}

/**
 * Handles `/slack/install`, which redirects to Slack, and `/slack/oauth_redirect`, which stores the installation, replacing an
 * earlier one, and sends the installer the next steps. Errors are shown on a plain page. The cookie that ties an installation to its
 * browser is named after its state, so that installations in several tabs don't affect each other.
 */
export function createInstalling(deps: InstallingDeps): {
  handlers: Readonly<Record<'/slack/install' | '/slack/oauth_redirect', Handler>>
} {
  const { inFlight } = deps
  const welcomed = new WeakSet<object>()
  const storeInstallation = createStoreInstallation(deps)
  const createTabProvider = (nonce: string) =>
    createProvider(deps, nonce, async (slack) => {
      if (await storeInstallation(slack)) welcomed.add(slack)
    })
  const callbacks = createCallbacks(deps, welcomed)

  const install: Handler = async (request, response) => {
    if (request.method !== 'GET') return refuseMethod(response)
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value)
    await createTabProvider(createNonce()).handleInstallPath(request, response)
  }

  const redirect: Handler = async (request, response) => {
    if (request.method !== 'GET') return refuseMethod(response)
    const state = URL.parse(request.url ?? '', 'http://localhost')?.searchParams.get('state') ?? ''
    const handled = createTabProvider(readNonce(state) ?? '').handleCallback(request, response, callbacks)
    inFlight.add(handled)
    await handled
  }

  return { handlers: { '/slack/install': install, '/slack/oauth_redirect': redirect } }
}

/** Creates what handles one installation. */
function createProvider(
  deps: InstallingDeps,
  nonce: string,
  storeInstallation: (slack: Installation) => Promise<void>,
): InstallProvider {
  const { secrets, apiUrl, store, now } = deps
  // People can deselect the optional scopes on Slack's page.
  const scopes = [...ALL_SCOPES]
  return new InstallProvider({
    clientId: secrets.clientId,
    clientSecret: secrets.clientSecret,
    stateStore: createInstallState({
      secret: secrets.stateSecret,
      nonce,
      scopes,
      idempotencyKeys: store.idempotencyKeys,
      now,
    }),
    stateCookieName: `signalman-install-${nonce}`,
    stateCookieExpirationSeconds: STATE_TTL_SECONDS,
    installUrlOptions: { scopes },
    directInstall: true,
    // Never called: tokens are read from the store.
    installationStore: {
      storeInstallation,
      fetchInstallation: () => Promise.reject(new Error('unused')),
    },
    // An OAuth code works only once, so requests aren't retried.
    clientOptions: webApiOptions(apiUrl),
    logger: SILENT_LOGGER,
    ...(apiUrl && { authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href }),
  })
}

/** Sends the page after an installation. `welcomed` contains the installations whose installer got a DM with the next steps. */
function createCallbacks({ log }: Pick<InstallingDeps, 'log'>, welcomed: WeakSet<object>): CallbackOptions {
  return {
    success(slack, _options, _request, response) {
      const { team, appId } = slack
      const name = team?.name ?? 'Slack'
      const next = welcomed.has(slack)
        ? 'and sent you a DM with the next steps.'
        : `but couldn’t send you a DM. Next, store a connection token with ${cmd('/hc connect')}, and give people roles with ${cmd('/hc access')}.`
      sendPage(response, {
        status: 200,
        title: 'Signalman is installed',
        sentences: [`It’s in ${name} now, ${next}`],
        ...(appId && { link: { label: 'Open Slack', href: slackAddress(appId, team?.id) } }),
      })
    },
    failure(error, _options, _request, response) {
      const page = pageFor(error)
      if (page === PAGES.failed || page === PAGES.rotation)
        log.error({ err: error }, 'An installation failed.')
      else log.info({ error: error.code }, "An installation wasn't completed.")
      sendPage(response, page)
    },
  }
}

function refuseMethod(response: ServerResponse): void {
  response.writeHead(405, { allow: 'GET', 'content-type': 'text/plain' }).end('Open this in a browser.\n')
}

function pageFor(error: { code: string }): InstallPage {
  const { code } = error
  if (error instanceof TokenRotationOn) return PAGES.rotation
  if (error instanceof OrganizationInstall) return PAGES.organization
  switch (code) {
    case ErrorCode.AuthorizationError:
      return PAGES.denied
    case ErrorCode.InvalidStateError:
    case ErrorCode.MissingStateError:
      return PAGES.state
    case ErrorCode.MissingCodeError:
      return PAGES.code
    default:
      return PAGES.failed
  }
}

const slackAddress = (appId: string, teamId: string | undefined): string => {
  const query = new URLSearchParams({ app: appId, ...(teamId && { team: teamId }) })
  return `https://slack.com/app_redirect?${query}`
}
