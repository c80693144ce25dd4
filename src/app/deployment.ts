import { ownSetting } from '@signalman/durable'
import type { Store } from './store.ts'

/** What a database is for. Unknown parts are absent. */
export interface Deployment {
  readonly workspaceId?: string | undefined
  /** The user ID of the Slack app's bot. */
  readonly botId?: string | undefined
  readonly serviceUrl: string
}

const DEPLOYMENT = ownSetting<Deployment>('deployment')
const EVERY_WORKSPACE = ''
/** What is left of a workspace that was erased. */
const ERASED = ['audit_entry']

type Stores = Pick<Store, 'settings' | 'hasDataAbout'>

/** What is stored for another workspace, Slack app, or service than these. A sentence for each, and what to do. */
export async function findForeignData(
  { settings, hasDataAbout }: Stores,
  current: Deployment,
): Promise<{ message: string; fix: string }[]> {
  const before = await settings.get(EVERY_WORKSPACE, DEPLOYMENT)
  if (before === undefined) return []
  const { workspaceId, botId, serviceUrl } = before
  const isOtherWorkspace = differs(workspaceId, current.workspaceId)
  return [
    ...(isOtherWorkspace && (await hasDataAbout(workspaceId ?? '', ERASED))
      ? [
          {
            message: `The bot token is for the workspace ${current.workspaceId}, but watches, roles, or orders in the database are for ${workspaceId}. Nothing is posted for them.`,
            fix: `Put the token of ${workspaceId} back, use another database, or run signalman erase-workspace ${workspaceId} --yes.`,
          },
        ]
      : []),
    ...(!isOtherWorkspace && differs(botId, current.botId)
      ? [
          {
            message:
              'The bot token is for another Slack app than before. Buttons on messages of the other one don’t work here.',
            fix: 'If that isn’t meant, put the former SLACK_BOT_TOKEN back.',
          },
        ]
      : []),
    ...(differs(toAddress(serviceUrl), toAddress(current.serviceUrl))
      ? [
          {
            message: `The address of the service was ${serviceUrl} before. Watched checks that the new one doesn’t have count as deleted.`,
            fix: 'If that isn’t meant, put the former API_BASE_URL back.',
          },
        ]
      : []),
  ]
}

/** As it's written in different ways. */
const toAddress = (url: string): string => new URL(url).href.replace(/\/$/, '')

const differs = (before: string | undefined, now: string | undefined): boolean =>
  before !== undefined && now !== undefined && before !== now

/** Remembers what the database is for. A workspace is kept until nothing is stored for it. */
export async function rememberDeployment(
  { settings, hasDataAbout }: Stores,
  current: Deployment,
): Promise<void> {
  const before = await settings.get(EVERY_WORKSPACE, DEPLOYMENT)
  const keepsWorkspace =
    differs(before?.workspaceId, current.workspaceId) &&
    (await hasDataAbout(before?.workspaceId ?? '', ERASED))
  const { workspaceId, botId } = keepsWorkspace && before ? before : { ...before, ...current }
  await settings.set(EVERY_WORKSPACE, DEPLOYMENT, { serviceUrl: current.serviceUrl, workspaceId, botId })
}
