import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type CallbackOptions,
  ErrorCode,
  InstallProvider,
  type Installation as SlackInstallation,
} from '@slack/oauth'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { Log } from '../../log.ts'
import type { Installation, Store } from '../../store/store.ts'
import type { SlackClients } from '../client/clients.ts'
import { createSlackClient, SILENT } from '../client/slack-client.ts'
import type { InFlight } from '../receive/in-flight.ts'
import type { RequestOrigin } from '../receive/origin.ts'
import { type InstallPage, PAGE_HEADERS, PAGES, sendPage } from './install-pages.ts'
import { createInstallState, STATE_LIVES_SECONDS } from './install-state.ts'
import { SCOPES } from './scopes.ts'
import { welcomeMessage } from './welcome.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>
type Kept = Omit<Installation, 'installedAt'>

export interface OAuthSecrets {
  clientId: string
  clientSecret: string
  stateSecret: string
}

const COOKIE = 'signalman-install'

/**
 * `/slack/install` leads to Slack, which leads back to `/slack/oauth_redirect`: there the installation is stored, in the
 * place of an earlier one, and whoever installed reads what to do next. What goes wrong is a plain page.
 */
export function createInstalling(parts: {
  secrets: OAuthSecrets
  apiUrl: string | undefined
  store: Pick<Store, 'installations' | 'idempotencyKeys' | 'audit'>
  clients: SlackClients
  /** Makes the buttons of a message work; what they stand for, only the bot knows. */
  bindButtons: (
    where: { workspaceId: string },
    environment: Environment,
    blocks: KnownBlock[],
  ) => Promise<KnownBlock[]>
  log: Log
  now: () => Date
  prefix: string
  createReference: () => string
  /** A stop waits for an installation that is under way. */
  inFlight: InFlight
}): { handlers: Readonly<Record<'/slack/install' | '/slack/oauth_redirect', Handler>> } {
  const { secrets, apiUrl, store, clients, bindButtons, log, now, prefix, createReference, inFlight } = parts
  const scopes = Object.keys(SCOPES)
  const provider = new InstallProvider({
    clientId: secrets.clientId,
    clientSecret: secrets.clientSecret,
    stateStore: createInstallState({
      secret: secrets.stateSecret,
      scopes,
      idempotencyKeys: store.idempotencyKeys,
      now,
    }),
    stateCookieName: COOKIE,
    stateCookieExpirationSeconds: STATE_LIVES_SECONDS,
    installUrlOptions: { scopes },
    directInstall: true,
    // Asked for by nobody: tokens are read from the store, where they are needed.
    installationStore: {
      storeInstallation: keep,
      fetchInstallation: () => Promise.reject(new Error('unused')),
    },
    // A code works once, so nothing is sent twice. No headers here: clients would share them.
    clientOptions: {
      retryConfig: { retries: 0 },
      timeout: 10_000,
      ...(apiUrl && { slackApiUrl: apiUrl }),
    },
    logger: SILENT,
    ...(apiUrl && { authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href }),
  })

  async function keep(slack: SlackInstallation): Promise<void> {
    const reference = createReference()
    const { before, installation } = await withInstaller(keptOf(slack))
    await store.installations.save({ ...installation, botToken: installation.botToken, now: now() })
    clients.forget()
    const { id, kind, installedBy } = installation
    await store.audit.append({
      workspaceId: id,
      at: now(),
      actor: { userId: installedBy },
      verb: 'install',
      object: `${kind} ${id}`,
      ...(before && { before: { installedBy: before.installedBy } }),
      after: { scopes: installation.scopes, installedBy },
      outcome: 'done',
      reference,
    })
    log.info({ reference, workspace: id, kind }, 'Signalman was installed.')
    await welcome(installation, reference).catch((error: unknown) =>
      log.warn({ reference, workspace: id, err: error }, 'Whoever installed could not be welcomed.'),
    )
  }

  /**
   * Who installs is an admin of Signalman from then on. Anybody may go through Slack's pages again, so an installation that
   * there is keeps its installer, unless an admin of the workspace installs it anew.
   */
  async function withInstaller(installation: Kept) {
    const found = await store.installations.find({
      workspaceId: installation.id,
      enterpriseId: installation.id,
    })
    const before = found?.id === installation.id ? found : undefined
    if (!before || before.installedBy === installation.installedBy) return { before, installation }
    const person = await createSlackClient(installation.botToken, apiUrl)
      .personOf(installation.installedBy)
      .catch(() => undefined)
    const installedBy = person?.isAdmin ? installation.installedBy : before.installedBy
    // The token is not enumerable: a spread alone would leave it behind.
    return { before, installation: { ...installation, botToken: installation.botToken, installedBy } }
  }

  async function welcome(
    { id, kind, name, installedBy, enterpriseId }: Kept,
    reference: string,
  ): Promise<void> {
    const isOrganization = kind === 'organization'
    const place: RequestOrigin = {
      workspaceId: id,
      enterpriseId,
      userId: installedBy,
      reference,
    }
    const { text, blocks } = welcomeMessage({ prefix, name, isOrganization })
    const slack = await clients.of(place)
    await slack.postDirect(installedBy, { text, blocks: await bindButtons(place, 'production', blocks) })
  }

  const endings: CallbackOptions = {
    success(slack, _options, _request, response) {
      const { enterprise, team, appId } = slack
      const name = (slack.isEnterpriseInstall ? enterprise?.name : team?.name) ?? 'Slack'
      sendPage(response, {
        status: 200,
        title: 'Signalman is installed',
        sentences: [`It is in ${name} now, and has written to you there what to do next.`],
        ...(appId && { link: { label: 'Open Slack', href: slackAddress(appId, team?.id) } }),
      })
    },
    failure(error, _options, _request, response) {
      const page = pageFor(error)
      if (page === PAGES.failed) log.error({ err: error }, 'An installation failed.')
      else log.info({ error: error.code }, 'An installation came to nothing.')
      sendPage(response, page)
    },
  }

  const install: Handler = async (request, response) => {
    if (request.method !== 'GET') return notHere(response)
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value)
    await provider.handleInstallPath(request, response)
  }

  const redirect: Handler = async (request, response) => {
    if (request.method !== 'GET') return notHere(response)
    const ending = provider.handleCallback(request, response, endings)
    inFlight.add(ending)
    await ending
  }

  return { handlers: { '/slack/install': install, '/slack/oauth_redirect': redirect } }
}

function notHere(response: ServerResponse): void {
  response.writeHead(405, { allow: 'GET', 'content-type': 'text/plain' }).end('Open this in a browser.\n')
}

function pageFor({ code }: { code: string }): InstallPage {
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

/** What is kept of an installation. Throws when Slack named neither a workspace nor an organization, or gave no bot. */
function keptOf({ isEnterpriseInstall, enterprise, team, bot, user, appId }: SlackInstallation): Kept {
  const target = isEnterpriseInstall ? enterprise : team
  if (!target || !bot) throw new Error('Slack installed no bot, or said not where.')
  return {
    id: target.id,
    kind: isEnterpriseInstall ? 'organization' : 'workspace',
    ...(enterprise && { enterpriseId: enterprise.id }),
    name: target.name ?? target.id,
    botToken: bot.token,
    botUserId: bot.userId,
    ...(appId && { appId }),
    scopes: bot.scopes,
    installedBy: user.id,
  }
}
