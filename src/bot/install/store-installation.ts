import { createReference, type Log } from '@signalman/runtime'
import {
  actions,
  commandButton,
  createSlackClient,
  header,
  literal,
  type Message,
  message,
  type SlackClients,
  section,
} from '@signalman/slack'
import type { Installation as SlackInstallation } from '@slack/oauth'
import { cmd } from '../../domain/command-names.ts'
import { bindMessage } from '../bind-buttons.ts'
import type { Stored } from '../stored.ts'
import { INSTALLER, type Installation, RemovalInProgress } from '../workspaces/installations.ts'

const MAX_ATTEMPTS = 5

export interface InstallationDeps {
  apiUrl: string | undefined
  store: Pick<Stored, 'audit' | 'finishRemoval' | 'installations' | 'settings'>
  clients: SlackClients
  log: Log
  now: () => Date
}

/**
 * Stores an installation, replacing an earlier one, and sends the installer the next steps in a DM. Resolves with false if the
 * DM failed.
 */
export function createStoreInstallation(
  deps: InstallationDeps,
): (slack: SlackInstallation) => Promise<boolean> {
  const { apiUrl, store, clients, log, now } = deps

  /** Finds who installed the app before, even if it was uninstalled since: roles and settings outlive an uninstall. */
  async function findPreviousInstaller(id: string): Promise<string | undefined> {
    // Doesn't decrypt the token, because people reinstall the app to fix a token that can't be decrypted.
    const current = await store.installations.summary(id)
    return current ? current.installedBy : await store.settings.get(id, INSTALLER)
  }

  /**
   * Chooses the installer, who becomes an admin of Signalman. Anyone can install the app again on Slack's pages, so an earlier
   * installer stays unless an admin of the workspace installs the app.
   */
  async function chooseInstaller(
    installation: Installation,
    previousInstaller: string | undefined,
  ): Promise<string> {
    const { id, botToken, installedBy } = installation
    if (previousInstaller === undefined || previousInstaller === installedBy) return installedBy
    const person = await createSlackClient(botToken, apiUrl)
      .readPerson(installedBy)
      .catch(() => undefined)
    // In an organization, an admin of another workspace isn't an admin of this one.
    const belongsHere = (person?.teamId ?? id) === id
    return person?.isAdmin && belongsHere && !person.isGuest && !person.isDeactivated
      ? installedBy
      : previousInstaller
  }

  async function sendWelcome(
    { id, installedBy }: Installation,
    name: string,
    isInstaller: boolean,
  ): Promise<void> {
    const slack = await clients.forWorkspace({ workspaceId: id })
    await slack.postDirect(installedBy, bindMessage(welcomeMessage(name, isInstaller), 'production'))
  }

  /**
   * Saves the installation. First finishes an earlier removal, even one that another process started, so that it can't delete rows
   * of the new installation.
   */
  async function save(...args: Parameters<Stored['installations']['save']>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await store.finishRemoval(args[0].id)
      try {
        return await store.installations.save(...args)
      } catch (error) {
        if (!(error instanceof RemovalInProgress) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  return async function storeInstallation(slack: SlackInstallation): Promise<boolean> {
    const reference = createReference()
    refuseTokenRotation(slack)
    const { installation, name, scopes } = readInstallation(slack)
    const { id } = installation
    const previousInstaller = await findPreviousInstaller(id)
    const installedBy = await chooseInstaller(installation, previousInstaller)
    await save(
      { ...installation, installedBy },
      {
        workspaceId: id,
        at: now(),
        actor: { userId: installation.installedBy },
        verb: 'install',
        object: `workspace ${id}`,
        ...(previousInstaller !== undefined && { before: { installedBy: previousInstaller } }),
        after: { scopes, installedBy },
        outcome: 'done',
        reference,
      },
    )
    clients.forget()
    log.info({ reference, workspace: id }, 'Signalman was installed.')
    try {
      await sendWelcome(installation, name, installedBy === installation.installedBy)
      return true
    } catch (error) {
      log.warn({ reference, workspace: id, err: error }, "Couldn't send the next steps to the installer.")
      return false
    }
  }
}

/** Slack gave the app a token that expires. */
export class TokenRotationOn extends Error {
  override readonly name = 'TokenRotationOn'
  constructor() {
    super(
      'Token rotation is on in the Slack app, so its tokens expire after 12 hours. Nothing was installed. Create the Slack app again without it (signalman manifest), because Slack can’t turn it off.',
    )
  }
}

/** (https://docs.slack.dev/authentication/using-token-rotation, November 2026) */
function refuseTokenRotation({ bot }: SlackInstallation): void {
  if (bot?.expiresAt !== undefined || bot?.refreshToken !== undefined) throw new TokenRotationOn()
}

/** Someone installed the app for a whole organization. */
export class OrganizationInstall extends Error {
  override readonly name = 'OrganizationInstall'
  constructor() {
    super('Slack installed the app for a whole organization. Signalman is installed in each workspace.')
  }
}

/** Throws OrganizationInstall, and an error if Slack returned no bot or no workspace. */
function readInstallation({ isEnterpriseInstall, enterprise, team, bot, user }: SlackInstallation): {
  installation: Installation
  name: string
  scopes: readonly string[]
} {
  if (isEnterpriseInstall) throw new OrganizationInstall()
  if (!team || !bot) throw new Error('Slack’s response doesn’t have a bot or a workspace.')
  return {
    installation: {
      id: team.id,
      enterpriseId: enterprise?.id,
      botToken: bot.token,
      installedBy: user.id,
    },
    name: team.name ?? team.id,
    scopes: bot.scopes,
  }
}

/** The welcome message: three next steps, with buttons. Reinstalling the app gives someone no role unless they become its installer. */
function welcomeMessage(name: string, isInstaller: boolean): Message {
  // Roles outlive an uninstall, so people may have some already.
  const installerLabel = isInstaller ? 'you' : 'the person who first installed Signalman'
  const steps = [
    `1. Store a connection token for the service: ${cmd('/hc connect')}`,
    `2. Give people roles: ${cmd('/hc access')}. Members without a role can only look, except for ${installerLabel} and the admins of the workspace.`,
    `3. Try it in a channel: ${cmd('/hc')} shows what’s up and what’s down.`,
  ]
  const lead = `You installed Signalman in ${name}. Three steps to get started:`
  return message(
    literal(['Signalman is installed', lead, ...steps].join('\n')),
    header('Signalman is installed'),
    section(lead),
    section(steps.join('\n')),
    actions(
      ...(isInstaller
        ? [
            commandButton('Store a token', '/hc connect', { style: 'primary' }),
            commandButton('Roles', '/hc access'),
          ]
        : []),
      commandButton('Try it', '/hc'),
    ),
  )
}
